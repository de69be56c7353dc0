// Sorts a table of the site by a column, on a click or a key on its heading: by the first number of the cells, or as text.
"use strict";

function sortKey(cell) {
  const number = /-?\d+(?:[.,]\d+)*/.exec(cell.textContent);
  return number ? parseFloat(number[0].replaceAll(",", "")) : cell.textContent.trim();
}

function sortBy(table, column, descending) {
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => {
    const [x, y] = [a, b].map((row) => sortKey(row.cells[column]));
    const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
    return descending ? -order : order;
  });
  table.tBodies[0].append(...rows);
}

document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("article table.docutils")) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    heads.forEach((head, column) => {
      if (!head.textContent.trim() || table.tBodies[0].rows.length < 3) return;
      const button = document.createElement("button");
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        sortBy(table, column, descending);
      });
    });
  }
});

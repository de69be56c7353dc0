// Sorts a table of figures by a column, on a click or a key on its heading: by the first number of its cells, or as text if
// a cell has no number. A table of figures has a column with a number in each cell.
"use strict";

function firstNumber(text) {
  const found = /-?\d+(?:,\d{3})*(?:\.\d+)?/.exec(text);
  return found ? parseFloat(found[0].replaceAll(",", "")) : NaN;
}

function sortBy(table, column, descending) {
  const rows = [...table.tBodies[0].rows].map((row) => {
    const text = row.cells[column].textContent.trim();
    return { row, text, number: firstNumber(text) };
  });
  const numbers = rows.every(({ text, number }) => !text || !isNaN(number));
  rows.sort((a, b) => {
    const order = numbers ? (a.number || 0) - (b.number || 0) : a.text.localeCompare(b.text);
    return descending ? -order : order;
  });
  table.tBodies[0].append(...rows.map(({ row }) => row));
}

document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("article table.docutils")) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
    const rows = [...table.tBodies[0].rows];
    const isNumeric = (_, column) => rows.every((row) => !isNaN(firstNumber(row.cells[column].textContent)));
    if (rows.length < 3 || !heads.some(isNumeric)) continue;
    heads.forEach((head, column) => {
      if (!head.textContent.trim()) return;
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

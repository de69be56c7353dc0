"""Every page of the site in Chromium, wide and narrow, light and dark: scripts, pictures, scrolling, contrast, search.

    stress site [--html FOLDER] [--chromium PATH] [--screenshots FOLDER] [PAGE ...]

Needs playwright, and Chromium: that of the system, or what `playwright install chromium` installs. Builds the site, unless
a folder has it. A page fails if a script raises an error, a picture is missing, something is requested from the network, the
page scrolls sideways at a width of 375 px, or text has less contrast than WCAG 2.1 asks for at level AA.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WIDTHS = (1280, 375)
SCHEMES = ("light", "dark")

# Texts with too little contrast: 4.5 to 1, or 3 to 1 if they are large (24 px, or 18.66 px bold). A background is that of the
# nearest ancestors, blended if it is translucent.
LOW_CONTRAST = r"""
() => {
  const parse = (color) => {
    const [r, g, b, a = 1] = color.match(/[\d.]+/g).map(Number);
    return {r, g, b, a};
  };
  const over = (top, below) => {
    const mix = (name) => top[name] * top.a + below[name] * (1 - top.a);
    return {r: mix("r"), g: mix("g"), b: mix("b"), a: 1};
  };
  const luminance = ({r, g, b}) => {
    const [x, y, z] = [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const background = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), {r: 255, g: 255, b: 255, a: 1});
  };
  const found = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim();
    const element = walker.currentNode.parentElement;
    if (!text || !element.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
    if (["SCRIPT", "STYLE", "NOSCRIPT"].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const ground = background(element);
    const [x, y] = [luminance(over(parse(style.color), ground)), luminance(ground)];
    const ratio = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) {
      const key = `${element.tagName.toLowerCase()}.${element.className} ${style.color}`;
      if (!found.has(key)) found.set(key, `${ratio.toFixed(2)} ${key}: ${text.slice(0, 40)}`);
    }
  }
  return [...found.values()];
}
"""

MISSING_PICTURES = """
() => [...document.images].filter((image) => !(image.complete && image.naturalWidth)).map((image) => image.src)
"""

# Elements that reach beyond the window, whether the page scrolls or cuts them off, but those within a box that scrolls.
SIDEWAYS = r"""
() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (e) =>
    e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement.closest("article *")));
  return [...document.querySelectorAll("article *")]
    .filter((e) => e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement.closest("article *")))
    .slice(0, 3)
    .map((e) => `${e.tagName.toLowerCase()}.${e.className}: ${e.textContent.trim().slice(0, 40)}`)
    .concat(document.documentElement.scrollWidth > width ? ["the page"] : []);
}
"""


def build(folder: Path) -> Path:
    command = [
        sys.executable, "-m", "sphinx", "-q", "-W", "-d", folder / "trees", ROOT / "docs", folder / "html",
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return folder / "html"


def faults(page: object, path: Path) -> list[str]:
    """What is wrong with a page that has been opened."""
    found = [f"picture: {address}" for address in page.evaluate(MISSING_PICTURES)]
    found += [f"wider than the window: {element}" for element in page.evaluate(SIDEWAYS)]
    return found + [f"contrast: {text}" for text in page.evaluate(LOW_CONTRAST)]


def search_faults(browser: object, html: Path) -> list[str]:
    """The search finds a function by its name, from files alone."""
    page = browser.new_page()
    page.goto((html / "search.html").as_uri() + "?q=string_edit_distance")
    try:
        page.wait_for_selector("#search-results li a", timeout=10_000)
    except Exception as error:
        return [f"search: {error}"]
    links = page.eval_on_selector_all("#search-results li a", "links => links.map((link) => link.href)")
    return [] if any("compare.html" in link for link in links) else [f"search: only {links}"]


def sort_faults(browser: object, html: Path) -> list[str]:
    """A click on the heading of a table sorts it."""
    page = browser.new_page()
    page.goto((html / "benchmarks.html").as_uri())
    button = page.locator("article table button.sort").first
    cells = "table => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent)"
    table = page.locator("article table:has(button.sort)").first
    button.click()
    rows = table.evaluate(cells)
    return [] if rows == sorted(rows, key=str.lower) and len(rows) > 2 else [f"sorting: {rows[:5]}"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="stress site", description=__doc__.split("\n")[0])
    parser.add_argument("--html", type=Path, help="a site that is built already")
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("google-chrome"))
    parser.add_argument("--screenshots", type=Path, help="save a picture of each page here")
    parser.add_argument("pages", nargs="*", help="only these, such as reference/nn")
    args = parser.parse_args()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("stress site: needs the package playwright")
        return 1

    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        html = args.html.resolve() if args.html else build(Path(scratch))
        paths = [html / f"{name}.html" for name in args.pages] or sorted(html.rglob("*.html"))
        browser = playwright.chromium.launch(executable_path=args.chromium, args=["--no-sandbox"])
        found = [] if args.pages else [*search_faults(browser, html), *sort_faults(browser, html)]
        for width in WIDTHS:
            for scheme in SCHEMES:
                page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
                events: list[str] = []
                page.on("pageerror", lambda error, events=events: events.append(f"script: {error}"))
                page.on("requestfailed", lambda request, events=events: events.append(f"request: {request.url}"))
                page.on(
                    "request",
                    lambda request, events=events: (
                        request.url.startswith(("file:", "data:")) or events.append(f"network: {request.url}")
                    ),
                )
                for path in paths:
                    events.clear()
                    page.goto(path.as_uri())
                    name = path.relative_to(html).with_suffix("").as_posix()
                    found += [f"{name}, {width} px, {scheme}: {fault}" for fault in [*events, *faults(page, path)]]
                    if args.screenshots:
                        args.screenshots.mkdir(parents=True, exist_ok=True)
                        page.screenshot(path=args.screenshots / f"{name.replace('/', '-')}-{width}-{scheme}.png")
                page.close()
        browser.close()
    print("\n".join(found) or f"{len(paths)} pages, {len(WIDTHS) * len(SCHEMES)} times each: no fault")
    return bool(found)

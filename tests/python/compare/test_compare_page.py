"""The page of a comparison in a real browser (Debian's chromium, headless)."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from stores import opyard

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here: apt-get install chromium, or ./dev test --all"
)

# Before anything of the page runs: what goes wrong is kept.
WATCH = """<script>
window.problems = [];
window.addEventListener("error", (event) => window.problems.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => {
  window.problems.push(String(event.reason));
});
for (const kind of ["error", "warn"]) {
  const told = console[kind];
  console[kind] = (...words) => { window.problems.push(words.join(" ")); told(...words); };
}
</script>"""
# After all: what a reader sees, and what happens when headings are clicked.
LOOK = """<script>
const table = document.querySelector("#table-value table");
const column = (n) => [...table.tBodies[0].rows].map((row) => row.cells[n].dataset.value ?? null);
const names = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
const click = (n) => table.tHead.rows[0].cells[n].querySelector("button").click();
const seen = {};
seen.before = names();
click(1); seen.ascending = column(1); seen.sort = table.tHead.rows[0].cells[1].ariaSort;
click(1); seen.descending = column(1);
click(0); seen.names = names();
seen.tables = [...document.querySelectorAll("table")].map(
  (t) => [t.tBodies[0].rows.length, t.getBoundingClientRect().width > 0]);
seen.curves = [...document.querySelectorAll("figure svg")].map((svg) => [
  svg.getAttribute("aria-label"), svg.querySelectorAll("path").length,
  Math.round(svg.getBoundingClientRect().width), Math.round(svg.getBoundingClientRect().height)]);
const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
seen.doubled = ids.filter((id, i) => ids.indexOf(id) !== i);
seen.dangling = [...document.querySelectorAll("nav a")].map((a) => a.getAttribute("href"))
  .filter((to) => document.querySelector(to) === null);
seen.wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
seen.problems = window.problems;
const out = document.createElement("pre");
out.id = "seen-by-the-test"; out.textContent = JSON.stringify(seen); document.body.append(out);
</script>"""


def browse(page: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Opens the page, 1280 pixels wide as a laptop is."""
    assert BROWSER is not None
    home = page.parent / "browser"
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
               "--disable-dev-shm-usage", f"--user-data-dir={home}", "--window-size=1280,800",
               "--enable-logging=stderr", "--virtual-time-budget=5000", *words,
               page.resolve().as_uri()]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)


@pytest.fixture(scope="module")
def page(results, tmp_path_factory) -> Path:
    """The page of a comparison, as it is made."""
    out = tmp_path_factory.mktemp("page")
    opyard("compare", str(results), "--robust", "--out", str(out), folder=out)
    return out / "report.html"


@pytest.fixture(scope="module")
def seen(page) -> dict:
    """What the page is like once it has run."""
    text = page.read_text(encoding="utf-8")
    watched = page.with_name("watched.html")
    text = text.replace("<head>", f"<head>{WATCH}").replace("</body>", f"{LOOK}</body>")
    watched.write_text(text, encoding="utf-8")
    shown = browse(watched, "--dump-dom")
    assert "CONSOLE" not in shown.stderr
    (found,) = re.findall(r'<pre id="seen-by-the-test">(.*?)</pre>', shown.stdout, re.DOTALL)
    return json.loads(html.unescape(found))


def test_nothing_goes_wrong(seen):
    assert seen["problems"] == []


def test_tables_are_there_with_a_row_for_each_agent(seen):
    assert len(seen["tables"]) >= 10
    assert all(rows >= 3 and is_visible for rows, is_visible in seen["tables"])


def test_curves_are_there_and_large_enough_to_read(seen):
    names = [name for name, *_ in seen["curves"]]
    assert names == ["speed-ups", "profile", "anytime-evaluations", "anytime-seconds", "robust"]
    for _, paths, width, height in seen["curves"]:
        assert paths > 10
        assert width > 400
        assert height > 80


def test_a_click_sorts_by_number_and_a_second_one_the_other_way(seen):
    ascending = [float(value) for value in seen["ascending"]]
    assert ascending == sorted(ascending)
    assert seen["sort"] == "ascending"
    assert seen["descending"] == seen["ascending"][::-1]
    assert seen["names"] == sorted(seen["before"]) != seen["before"]


def test_every_id_is_one_element_and_every_link_leads_there(seen):
    assert seen["doubled"] == []
    assert seen["dangling"] == []


def test_nothing_is_wider_than_a_laptop(seen):
    assert seen["wider"] == 0


def test_it_prints_on_a_few_pages(page):
    printed = page.with_name("report.pdf")
    browse(page, f"--print-to-pdf={printed}", "--no-pdf-header-footer")
    pages = len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes()))
    assert 3 <= pages <= 14  # 16 tables of four rows and five drawings

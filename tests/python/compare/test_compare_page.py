"""The page of a comparison in a real browser (Debian's chromium, headless)."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from stores import copied, execute, grow, opyard

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
  const original = console[kind];
  console[kind] = (...words) => { window.problems.push(words.join(" ")); original(...words); };
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
// Of all blocks of tables, cells and headings: what does not fit into them, or lies over another.
seen.clipped = [...document.querySelectorAll(".wide, th, td, nav a, h1, h2, p, li")]
  .filter((element) => element.scrollWidth > element.clientWidth + 1)
  .map((element) => element.textContent.slice(0, 60));
const inside = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
seen.overlapping = [...document.querySelectorAll("thead th")].filter((heading) => {
  const button = heading.querySelector("button").getBoundingClientRect();
  const own = heading.getBoundingClientRect();
  const next = heading.nextElementSibling?.getBoundingClientRect();
  return !inside(button, own) || (next !== undefined && own.right > next.left + 1);
}).map((heading) => heading.textContent);
seen.verdict = document.querySelector("#verdict").getBoundingClientRect().bottom;
seen.text = document.body.innerText;
seen.wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
seen.problems = window.problems;
const out = document.createElement("pre");
out.id = "seen-by-the-test"; out.textContent = JSON.stringify(seen); document.body.append(out);
</script>"""


def browse(page: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Opens the page, 1366 pixels wide as a laptop is."""
    assert BROWSER is not None
    home = page.parent / "browser"
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
               "--disable-dev-shm-usage", f"--user-data-dir={home}", "--window-size=1366,768",
               "--enable-logging=stderr", "--virtual-time-budget=5000", *words,
               page.resolve().as_uri()]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)


LONG = "models/exported/a_transformer_with_a_very_long_name_that_goes_on_and_on_{}.json"


def long_names(results: Path) -> None:
    """Graphs are files with long names, machines files in other folders."""
    for i in (1, 2):
        name = f"random:layered?n={20 + 20 * i}&seed={i}"
        for table in ("runs", "bounds"):
            execute(
                results, f"UPDATE {table} SET graph = ? WHERE graph = ?", [LONG.format(i), name]
            )
            execute(results, f"UPDATE {table} SET hardware = '../lab/machines/ours.yaml'")
    execute(results, "DELETE FROM info WHERE key IN ('matrix', 'resolved')")


def many_machines(results: Path) -> None:
    """Seven workloads, six of them on machines of their own, and eleven agents."""
    grow(results, 7, 11, 2)
    for i in range(6):
        machine = f"../lab/machines/h100x8-nvlink-rack{i}.yaml"
        execute(results, "UPDATE runs SET hardware = ? WHERE graph = ?", [machine, f"g{i}"])


def failing(results: Path) -> None:
    """One agent never finds a plan, another sometimes."""
    failed = "UPDATE runs SET status = 'failed', outcome = 'out_of_memory', score = NULL "
    execute(results, f"{failed} WHERE agent = 'random'")
    execute(results, f"{failed} WHERE agent = 'brkga' AND seed = 1")


def one_agent(results: Path) -> None:
    """Nobody to compare with."""
    execute(results, "DELETE FROM runs WHERE agent <> 'brkga'")
    execute(results, "DELETE FROM info WHERE key IN ('matrix', 'resolved')")


def unchanged(results: Path) -> None:
    """As it was run."""


SHAPES = (unchanged, long_names, many_machines, failing, one_agent)


def page_of(results: Path, out: Path, *words: str) -> Path:
    """The page of a comparison, as it is made."""
    out.mkdir()
    opyard("compare", str(results), *words, "--out", str(out), folder=out)
    return out / "report.html"


def look_at(page: Path) -> dict:
    """The state of the page once it has run."""
    text = page.read_text(encoding="utf-8")
    watched = page.with_name("watched.html")
    text = text.replace("<head>", f"<head>{WATCH}").replace("</body>", f"{LOOK}</body>")
    watched.write_text(text, encoding="utf-8")
    shown = browse(watched, "--dump-dom")
    assert "CONSOLE" not in shown.stderr
    (found,) = re.findall(r'<pre id="seen-by-the-test">(.*?)</pre>', shown.stdout, re.DOTALL)
    return json.loads(html.unescape(found))


@pytest.fixture(scope="module")
def page(results, tmp_path_factory) -> Path:
    """The page with everything on it."""
    return page_of(results, tmp_path_factory.mktemp("page") / "report", "--robust")


@pytest.fixture(scope="module")
def seen(page) -> dict:
    """The state that a reader sees."""
    return look_at(page)


@pytest.fixture(scope="module", params=SHAPES, ids=lambda shape: shape.__name__)
def any_page(request, results, tmp_path_factory) -> Path:
    """A page of each shape that results may have."""
    folder = tmp_path_factory.mktemp("shape")
    store = copied(results, folder / "results")
    request.param(store)
    return page_of(store, folder / "report")


@pytest.fixture(scope="module")
def any_seen(any_page) -> dict:
    """The state that a reader sees."""
    return look_at(any_page)


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


def test_nothing_is_wider_than_a_laptop(any_seen):
    assert any_seen["problems"] == []
    assert any_seen["wider"] == 0
    assert any_seen["clipped"] == []
    assert any_seen["overlapping"] == []


def test_the_answer_is_seen_first_and_zero_has_no_sign(any_seen):
    assert 0 < any_seen["verdict"] < 200
    assert not re.search(r"[-\u2212]0(\.0+)?(?![\d.])", any_seen["text"])


def test_machines_and_graphs_in_files_are_named_without_their_folders(results, tmp_path):
    store = copied(results, tmp_path / "results")
    long_names(store)
    text = page_of(store, tmp_path / "report").with_name("report.md").read_text(encoding="utf-8")
    assert "machines: ours\n" in text
    assert "| a\\_transformer\\_with" in text
    assert "exported" not in text


def text_of_first_page(pdf: Path) -> str:
    """The text of page one."""
    command = ["pdftotext", "-f", "1", "-l", "1", "-layout", str(pdf), "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_it_prints_on_a_few_pages_with_the_answer_on_the_first(any_page):
    printed = any_page.with_name("report.pdf")
    browse(any_page, f"--print-to-pdf={printed}", "--no-pdf-header-footer")
    pages = len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes()))
    assert 3 <= pages <= 20  # at most 20 tables and four drawings
    if shutil.which("pdftotext"):
        first = text_of_first_page(printed)
        assert "best mean over" in first or "No agent compares" in first
        assert "Step time" in first

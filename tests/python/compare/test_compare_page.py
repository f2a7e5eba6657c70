"""The page of a comparison in a real browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from browsing import BROWSER, DESKTOP, LAPTOP, browser, opened, wait_for
from shapes import SHAPES
from stores import copied, opyard

pytest.importorskip("playwright", reason="no playwright here: ./dev test --all installs it")
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no chromium here: apt-get install chromium, or ./dev test --all"
)

# Of all blocks of tables, cells, headings and lines: what does not fit into them, or lies over
# another.
CROWDED = """() => {
  const clipped = [...document.querySelectorAll(".wide, th, td, h1, h2, h3, p, li")]
    .filter((element) => element.checkVisibility() && element.closest(".view") === null
      && element.scrollWidth > element.clientWidth + 1)
    .map((element) => element.textContent.slice(0, 60));
  const inside = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1;
  const overlapping = [...document.querySelectorAll("thead th:has(button)")].filter((heading) => {
    const button = heading.querySelector("button").getBoundingClientRect();
    const own = heading.getBoundingClientRect();
    const next = heading.nextElementSibling?.getBoundingClientRect();
    return !inside(button, own) || (next !== undefined && own.right > next.left + 1);
  }).map((heading) => heading.textContent);
  const { scrollWidth, clientWidth } = document.documentElement;
  return { clipped, overlapping, wider: scrollWidth - clientWidth };
}"""
PLAN = "workload-random-layered-n-40-seed-1--brkga"
RANGE = f"""() => {{
  const root = document.querySelector("#figure-{PLAN}-timeline").views.roots[0].model;
  const plot = [root, ...(root.children ?? [])].flat(2).find((one) => one.x_range !== undefined);
  return [plot.x_range.start, plot.x_range.end];
}}"""
UNFOLDED = "document.querySelectorAll('details[open]').length"
UNDRAWN = """[...document.querySelectorAll("[data-figure]")]
  .filter((figure) => figure.checkVisibility() && figure.dataset.state !== "drawn").length"""
VISIBLE = """document.querySelector("#figure-anytime-evaluations")
  .views.roots[0].model.renderers.map((one) => one.visible)"""


def page_of(results: Path, out: Path, *words: str) -> Path:
    """The page of a comparison, as it is made."""
    opyard("compare", str(results), *words, "--html", str(out), folder=results)
    return out


@pytest.fixture(scope="module")
def chromium():
    """The browser."""
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def page(results, tmp_path_factory) -> Path:
    """The page with everything on it."""
    return page_of(results, tmp_path_factory.mktemp("page") / "all.html", "--robust")


@pytest.fixture(scope="module")
def tab(chromium, page):
    """It, opened on a laptop."""
    with opened(chromium, page) as shown:
        yield shown


@pytest.fixture(scope="module", params=SHAPES, ids=lambda shape: shape.__name__)
def any_page(request, results, tmp_path_factory) -> Path:
    """A page of each shape that results may have."""
    folder = tmp_path_factory.mktemp("shape")
    store = copied(results, folder / "results")
    request.param(store)
    return page_of(store, folder / f"{request.param.__name__}.html", "--views", "none")


@pytest.fixture(scope="module")
def any_tab(chromium, any_page):
    """It, opened on a laptop."""
    with opened(chromium, any_page) as shown:
        yield shown


@pytest.mark.parametrize("size", [LAPTOP, DESKTOP], ids=["laptop", "desktop"])
def test_the_first_screen_has_the_answer_the_picture_and_the_table(any_page, any_tab, size):
    any_tab.set_viewport_size(size)
    places = ["#verdict", "#table-answer .wide", ".conditions"]
    if any_page.stem != "one_agent":  # it has nothing to show a picture of
        places += ["#figure-speed-ups canvas >> nth=0", ".reasons .badge"]
    for place in places:
        box = any_tab.locator(place).bounding_box()
        assert box is not None, place
        assert box["width"] > 40, place
        assert box["x"] + box["width"] <= size["width"], place
        assert box["height"] >= 10, place
        assert box["y"] + box["height"] <= size["height"], place
    assert any_tab.locator("#verdict").bounding_box()["y"] < 100
    assert any_tab.locator("details[open]").count() == 0


def test_nothing_is_wider_than_a_laptop_with_everything_unfolded(any_tab):
    any_tab.set_viewport_size(LAPTOP)
    any_tab.click("#expand")
    wait_for(any_tab, CROWDED, {"clipped": [], "overlapping": [], "wider": 0})
    assert any_tab.locator("details.section:not([open]), .workload:not([open])").count() == 0
    assert legends_that_stick_out(any_tab) == []
    assert not re.search(r"[-\u2212]0(\.0+)?(?![\d.])", any_tab.inner_text("main"))
    # Blocks of one table are sorted together.
    for section in any_tab.locator("section:has(table + table)").all():
        section.locator("thead button").first.click()
        names = [table.locator("tbody th").all_inner_texts() for table in
                 section.locator("table").all()]  # fmt: skip
        assert names == [sorted(names[0])] * len(names)
    any_tab.click("#expand")
    assert any_tab.locator("details[open]").count() == 0


def legends_that_stick_out(tab) -> list[str]:
    """The figures whose legend is wider than they are."""
    found = []
    for figure in tab.locator("figure:has(.toggles)").all():
        own = figure.bounding_box()
        for button in figure.locator(".toggles button").all():
            box = button.bounding_box()
            is_inside = own["x"] <= box["x"] and (
                box["x"] + box["width"] <= own["x"] + own["width"] + 1
            )
            found += [] if is_inside else [figure.get_attribute("id")]
    return found


def test_names_of_files_are_those_without_their_folders(any_page, any_tab):
    if any_page.stem == "long_names":
        without_commands = """() => {
          const main = document.querySelector("main").cloneNode(true);
          for (const commands of main.querySelectorAll("pre")) commands.remove();
          return main.textContent;
        }"""
        text = any_tab.evaluate(without_commands)
        assert "machines: ours" in text
        assert "a_transformer_with_a_very_long_name_that_goes_on_and_on_1" in text
        assert "exported" not in text


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no poppler-utils here")
def test_it_prints_on_a_few_full_pages_with_the_answer_on_the_first(any_page, any_tab):
    pdf = any_page.with_suffix(".pdf")
    any_tab.emulate_media(color_scheme="dark")
    any_tab.pdf(path=pdf, prefer_css_page_size=True)
    wait_for(any_tab, UNFOLDED, 0)  # folded again
    pages = int(re.search(r"Pages:\s+(\d+)", output_of(pdf, "pdfinfo"))[1])
    assert 2 <= pages <= {"many_machines": 10}.get(any_page.stem, 5)
    texts = [lines_of(pdf, number) for number in range(1, pages + 1)]
    first = " ".join(texts[0])
    assert "s per search" in first
    assert (
        "than those of metis" in first
        or "agent0, the baseline" in first
        or "no other agent" in first
    )
    with_charts = pages_of_pictures(pdf)
    assert len(with_charts) >= (3 if any_page.stem == "one_agent" else 4)
    assert any_page.stem == "one_agent" or 1 in with_charts
    # A page but the last has a chart, or half as many lines as the fullest.
    fullest = max(map(len, texts))
    for number, lines in enumerate(texts[:-1], 1):
        assert number in with_charts or len(lines) >= fullest / 2


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no poppler-utils here")
def test_workloads_and_plans_print_as_far_as_they_are_unfolded(chromium, page, tmp_path):
    def printed() -> tuple[int, str]:
        wait_for(tab, UNDRAWN, 0)
        tab.pdf(path=tmp_path / "page.pdf", prefer_css_page_size=True)
        text = output_of(tmp_path / "page.pdf", "pdftotext", "-layout")
        assert "was not drawn yet" not in text
        return len(pages_of_pictures(tmp_path / "page.pdf")), text

    with opened(chromium, page) as tab:
        pictures, text = printed()
        assert "Mean over seeds of a run's best plan; bars" not in text
        tab.click("#expand")
        with_workloads, text = printed()
        assert with_workloads == pictures + 2  # a chart of each workload
        assert text.count("Mean over seeds of a run's best plan; bars") == 2
        assert "transfers" not in text
        tab.click(f"[id='{PLAN}'] > summary")
        with_timeline, text = printed()
        assert with_timeline == with_workloads + 1
        assert "transfers" in text  # the legend of its timeline
        assert "Critical path and idle time" not in text  # which is folded
        tab.click(f"[id='{PLAN}--path'] > summary")
        with_idle_time, text = printed()
        assert with_idle_time == with_timeline + 1
        assert "Critical path and idle time" in text


def pages_of_pictures(pdf: Path) -> list[int]:
    """The number of its page for each picture, without masks."""
    rows = [row.split() for row in output_of(pdf, "pdfimages", "-list").splitlines()[2:]]
    return [int(row[0]) for row in rows if row[2] == "image"]


def output_of(pdf: Path, command: str, *words: str) -> str:
    """The output of a program of poppler."""
    line = [command, *words, str(pdf), *(["-"] if command == "pdftotext" else [])]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout


def lines_of(pdf: Path, page: int) -> list[str]:
    """The lines of a page that are not empty."""
    number = str(page)
    text = output_of(pdf, "pdftotext", "-f", number, "-l", number, "-layout")
    return [line for line in text.splitlines() if line.strip()]


def test_tables_and_charts_are_all_there(tab):
    rows = tab.evaluate(
        "[...document.querySelectorAll('table')].map((t) => t.tBodies[0].rows.length)"
    )
    assert len(rows) >= 11
    assert min(rows[:11]) >= 3
    drawn = tab.evaluate(
        "[...document.querySelectorAll('[data-state=drawn]')].map((one) => one.dataset.figure)"
    )
    assert {"speed-ups", "profile", "anytime-evaluations", "anytime-seconds", "robust"} <= {*drawn}


def test_every_id_is_one_element_and_every_link_leads_there(tab):
    ids = tab.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
    links = tab.evaluate("[...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))")
    assert len(ids) == len(set(ids))
    assert len(links) > 25
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_a_click_sorts_by_number_and_a_second_one_the_other_way(chromium, page):
    with opened(chromium, page, "#table-value") as tab:
        heading = tab.locator("#table-value thead th")
        rows = tab.locator("#table-value tbody tr")

        def column() -> list[float]:
            cells = rows.locator("td:nth-child(2)")
            return [float(cell.get_attribute("data-value")) for cell in cells.all()]

        before = rows.locator("th").all_inner_texts()
        heading.nth(1).locator("button").click()
        ascending = column()
        assert ascending == sorted(ascending)
        assert heading.nth(1).get_attribute("aria-sort") == "ascending"
        heading.nth(1).locator("button").click()
        assert column() == ascending[::-1]
        heading.nth(0).locator("button").click()
        assert rows.locator("th").all_inner_texts() == sorted(before) != before


@pytest.mark.parametrize("place", ["#table-overview", "#plot-profile", f"#{PLAN}"])
def test_a_link_unfolds_what_it_leads_to_and_nothing_else(chromium, page, place):
    with opened(chromium, page, place) as tab:
        target = tab.locator(place)
        assert target.is_visible()
        assert 0 <= target.bounding_box()["y"] < LAPTOP["height"]
        unfolded = tab.locator("details[open]").count()
        assert unfolded == target.locator("xpath=ancestor-or-self::details").count() > 0


def test_a_link_of_the_contents_unfolds_and_so_does_the_keyboard(chromium, page):
    with opened(chromium, page) as tab:
        tab.click("nav a[href='#scores']")
        tab.locator("#table-overview table").wait_for(state="visible")
        tab.focus("#costs > summary")
        tab.keyboard.press("Enter")
        tab.locator("#table-cost table").wait_for(state="visible")
        tab.keyboard.press("Tab")
        assert tab.evaluate("document.activeElement.getAttribute('href')") == "#costs"


def test_a_click_in_the_legend_hides_a_curve_with_its_band_and_another_shows_it(chromium, page):
    with opened(chromium, page, "#anytime") as tab:
        shown = tab.evaluate(VISIBLE)
        assert shown == [True] * 12  # line, band and the points that a pointer finds
        entry = tab.locator("#plot-anytime-evaluations").get_by_role("button", name="brkga")
        place = tab.locator("#plot-anytime-evaluations .toggles button").all_inner_texts().index(
            "brkga"
        )  # fmt: skip
        entry.click()
        wait_for(tab, VISIBLE, [i // 3 != place for i in range(12)])
        assert entry.get_attribute("aria-pressed") == "false"
        entry.click()
        wait_for(tab, VISIBLE, shown)
        assert entry.get_attribute("aria-pressed") == "true"


def test_the_keyboard_goes_through_the_legend_and_hides_curves(chromium, page):
    with opened(chromium, page, "#anytime") as tab:
        tab.focus("#plot-anytime-evaluations .anchor")
        names = tab.locator("#plot-anytime-evaluations .toggles button").all_inner_texts()
        reached = []
        while len(reached) < 2:
            tab.keyboard.press("Tab")
            place = "document.activeElement.closest('#plot-anytime-evaluations') !== null"
            assert tab.evaluate(place)  # tools of the chart, then the legend
            name = tab.evaluate("document.activeElement.value")
            if name:
                reached.append(name)
                tab.keyboard.press("Enter" if len(reached) == 1 else "Space")
                wait_for(tab, VISIBLE, [i // 3 >= len(reached) for i in range(12)])
        assert reached == names[:2]


def test_the_timeline_of_a_plan_is_drawn_when_it_is_unfolded_and_zooms(chromium, page):
    with opened(chromium, page) as tab:
        figure = f"#figure-{PLAN}-timeline"
        assert tab.locator(figure).get_attribute("data-state") is None
        tab.goto(page.as_uri() + f"#{PLAN}")
        tab.wait_for_selector(f"{figure}[data-state=drawn]")
        begin, end = tab.evaluate(RANGE)
        box = tab.locator(f"{figure} canvas").first.bounding_box()
        tab.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.3)
        tab.keyboard.down("Control")
        tab.mouse.wheel(0, -400)
        tab.keyboard.up("Control")
        wait_for(tab, f"({RANGE})()[1] - ({RANGE})()[0] < {(end - begin) * 0.95}")
        for view in ("path", "graph", "machine", "memory"):
            tab.click(f"[id='{PLAN}--{view}'] > summary")
        tab.wait_for_selector(f"#figure-{PLAN}-machine[data-state=drawn]")


def brightness(colour: str) -> float:
    """The mean of red, green and blue of "rgb(1, 2, 3)"."""
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def test_it_is_dark_where_the_reader_wants_it_and_changes_while_it_is_open(chromium, page):
    def colours() -> tuple[float, float]:
        style = "getComputedStyle(document.body)"
        return tuple(brightness(tab.evaluate(f"{style}.{name}"))
                     for name in ("backgroundColor", "color"))  # fmt: skip

    with opened(chromium, page, color_scheme="dark") as tab:
        ground, text = colours()
        assert ground < 40
        assert text > 200
        tab.emulate_media(color_scheme="light")
        ground, text = colours()
        assert ground > 240
        assert text < 60

"""The page of a plan in a real browser (Debian's chromium, without a window)."""

from __future__ import annotations

import opyard
import pytest
from opyard.viewer.plan_page import PlanNames, plan_page

TIMELINE = "plan-timeline"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
ENDS_BEFORE = """([figure, end]) =>
  document.getElementById(figure).views.roots[0].model.x_range.end < end"""
ENDS_AT = """([figure, end]) =>
  document.getElementById(figure).views.roots[0].model.x_range.end === end"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """The page of Inception-v3, cut into two runs of ops, one for each GPU."""
    problem = opyard.Problem("inception_v3", "p100x2-pcie", group="op")
    plan = problem.baseline_plans()[-1]
    file = tmp_path_factory.mktemp("page") / "plan.html"
    file.write_text(plan_page(problem, plan, PlanNames("half", "opyard")), encoding="utf-8")
    return file


def bar_of(shown, name):
    """The point on the page in the middle of the longest bar of a kind, and what it stands for."""
    script = """([figure, name]) => {
      const { views } = document.getElementById(`figure-${figure}`);
      const plot = views.roots[0];
      const { data } = plot.model.document.get_model_by_name(name).data_source;
      const length = (i) => data.right[i] - data.left[i];
      const places = [...data.left.keys()];
      const longest = places.reduce((a, b) => (length(b) > length(a) ? b : a));
      const { x_scale, y_scale } = plot.frame;
      const box = plot.el.getBoundingClientRect();
      const middle = (data.left[longest] + data.right[longest]) / 2;
      return [box.left + x_scale.compute(middle), box.top + y_scale.compute(data.y[longest]),
              data.name[longest]];
    }"""
    return shown.page.evaluate(script, [TIMELINE, name])


PIXELS = """document.getElementById("figure-plan-timeline").views.roots[0]
  .canvas_view.primary.canvas.toDataURL()"""


def pixels_of_timeline(shown):
    """The pixels of the timeline."""
    return shown.page.evaluate(PIXELS)


def wait_for_pixels(shown, condition, pixels):
    """Waits until the timeline is `=== pixels` or `!== pixels`: figures are painted later."""
    shown.page.wait_for_function(f"(pixels) => {PIXELS} {condition} pixels", arg=pixels)


def printed_picture(shown):
    """The picture of the timeline on paper; the page is on the screen as before afterwards."""
    on_screen = pixels_of_timeline(shown)
    shown.page.emulate_media(media="print")
    picture = shown.page.locator(f"#figure-{TIMELINE} > img")
    picture.wait_for()
    assert shown.page.evaluate(BACKGROUND) == "rgb(255, 255, 255)"
    pixels = picture.get_attribute("src")
    assert picture.evaluate("(image) => image.naturalWidth") > 1000
    shown.page.emulate_media(media="screen")
    picture.wait_for(state="detached")
    wait_for_pixels(shown, "===", on_screen)
    return pixels


def test_the_first_screen_has_the_answer_and_the_timeline(opened, page_file):
    shown = opened(page_file)
    box = shown.drawn(TIMELINE).bounding_box()
    assert box["y"] < 300
    assert box["width"] > 1200
    assert "One step takes" in shown.page.locator("h1").inner_text()
    page = shown.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 1366
    assert page.locator("details[open]").count() == 0
    assert page.locator(".figure[data-state]").count() == 1  # what is folded is not drawn


def test_a_section_is_drawn_when_it_is_opened(opened, page_file):
    shown = opened(page_file)
    for section, figure in (("path", "idle"), ("graph", "graph"), ("machine", "machine")):
        shown.page.locator(f"#{section} > summary").click()
        box = shown.drawn(f"plan-{figure}").bounding_box()
        assert box["height"] > 100
    shown.page.locator("#memory > summary").click()
    assert shown.page.locator("#memory tbody tr").count() == 20  # ten on each GPU


def test_the_wheel_zooms_with_ctrl_only_and_reset_goes_back(opened, page_file):
    shown = opened(page_file)
    shown.drawn(TIMELINE)
    whole = shown.model(TIMELINE, "time", "end")
    x, y, _ = bar_of(shown, "kernels")
    shown.page.mouse.move(x, y)
    shown.page.mouse.wheel(0, -200)
    shown.page.wait_for_timeout(300)
    assert shown.model(TIMELINE, "time", "end") == whole
    shown.page.keyboard.down("Control")
    shown.page.mouse.wheel(0, -200)
    shown.page.keyboard.up("Control")
    shown.page.wait_for_function(ENDS_BEFORE, arg=[f"figure-{TIMELINE}", whole])
    assert shown.model(TIMELINE, "time", "start") > 0
    shown.page.locator(f"#figure-{TIMELINE} .bk-tool-icon-reset").first.click()
    shown.page.wait_for_function(ENDS_AT, arg=[f"figure-{TIMELINE}", whole])


@pytest.mark.parametrize("bars", ["kernels", "transfers", "path"])
def test_a_pointer_shows_what_a_bar_is(opened, page_file, bars):
    shown = opened(page_file)
    shown.drawn(TIMELINE)
    x, y, name = bar_of(shown, bars)
    shown.page.mouse.move(x - 1, y)
    shown.page.mouse.move(x, y)
    text = shown.page.locator(".bk-Tooltip .bk-tooltip-content").first
    text.wait_for()
    assert name in text.inner_text()
    assert " ms" in text.inner_text()


def test_the_menu_colours_kernels_and_changes_the_legend(opened, page_file):
    shown = opened(page_file)
    shown.drawn(TIMELINE)
    before = pixels_of_timeline(shown)
    shown.page.get_by_label("Kernels coloured by").select_option(label="op type")
    shown.page.wait_for_function("document.querySelector('[data-of=phase]').hidden")
    assert "Conv2DBackpropFilter" in shown.page.locator("#timeline .choice").inner_text()
    assert shown.model(TIMELINE, "kernels-bars", "fill_color.field") == "op_type"
    wait_for_pixels(shown, "!==", before)


def test_figures_follow_the_scheme_of_the_browser_and_print_light(opened, page_file):
    shown = opened(page_file)
    shown.drawn(TIMELINE)
    light = pixels_of_timeline(shown)
    on_paper = printed_picture(shown)
    shown.page.emulate_media(color_scheme="dark")
    wait_for_pixels(shown, "!==", light)
    assert shown.page.evaluate(BACKGROUND) == "rgb(21, 24, 29)"
    assert printed_picture(shown) == on_paper


def test_it_prints_with_pictures(opened, page_file):
    shown = opened(page_file)
    shown.drawn(TIMELINE)
    printed = shown.page.pdf(format="A4", landscape=True)
    assert b"/Subtype /Image" in printed or b"/Subtype/Image" in printed


def test_a_failed_step_says_so_first(opened, tmp_path):
    values = opyard.load_machine("p100x2-pcie").to_dict()
    for device in values["devices"]:
        device["memory"] = "2 GiB"
    machine = opyard.Machine.from_dict(values)
    problem = opyard.Problem("inception_v3", machine, group="op")
    file = tmp_path / "failed.html"
    plan = problem.plan([1] * problem.graph.num_ops)
    file.write_text(plan_page(problem, plan, PlanNames("p", "c")), encoding="utf-8")
    shown = opened(file)
    shown.drawn(TIMELINE)
    assert "asks for" in shown.page.get_by_role("alert").inner_text()


def test_a_high_figure_prints_in_pieces_that_make_the_whole(opened, page_file):
    shown = opened(page_file)
    shown.page.locator("#graph > summary").click()
    height = shown.drawn("plan-graph").bounding_box()["height"]
    assert height > 3000  # several pages
    shown.page.emulate_media(media="print")
    pictures = shown.page.locator("#figure-plan-graph > img")
    pictures.first.wait_for()
    heights = pictures.evaluate_all("(images) => images.map((image) => image.naturalHeight)")
    assert len(set(heights[:-1])) == 1 < len(heights)
    assert sum(heights) == pytest.approx(height, abs=2)
    assert max(heights) < 400
    assert shown.page.locator("#machine").is_hidden()  # nobody has unfolded it


@pytest.mark.slow
def test_a_page_of_ten_thousand_ops_shows_them(opened, tmp_path):
    # docs/explain.md has the seconds, by tests/benchmarks/page_opening.py.
    graph, machine = "random:layered?n=10000&seed=1", "h100x8-hgx"
    problem = opyard.Problem(graph, machine, group="op")
    plan = opyard.place(graph, machine, agent="critical_path", evaluations=1).plan
    file = tmp_path / "large.html"
    file.write_text(plan_page(problem, plan, PlanNames("p", "c")), encoding="utf-8")
    assert file.stat().st_size < 4_000_000
    shown = opened(file)
    shown.drawn(TIMELINE)
    assert shown.model(TIMELINE, "transfers", "data_source.data.left.length") > 10_000


@pytest.mark.parametrize("machine", ["p100x1-pcie", "a100x16-ib"])
def test_no_section_is_wider_than_the_page(opened, tmp_path, machine):
    problem = opyard.Problem("random:layered?n=60&seed=4", machine, group="op")
    devices = problem.hardware.num_devices
    plan = problem.plan([i % devices for i in range(60)])
    file = tmp_path / "plan.html"
    file.write_text(plan_page(problem, plan, PlanNames("p", "c")), encoding="utf-8")
    shown = opened(file)
    shown.drawn(TIMELINE)
    shown.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for figure in ("idle", "graph", "machine"):
        shown.drawn(f"plan-{figure}")
    shown.page.wait_for_function("document.documentElement.scrollWidth <= 1366")

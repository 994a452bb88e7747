"""`labeler report` in a real browser: what people see and do, what injected text does not do."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.apps.reported import EVIL, evil_run, has_truncated, made, write_truth
from tests.browser import chromium, installed, opened
from tests.prover_runs import columns
from tests.runs import label_rows

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Row = Mapping[str, Any]


class World:
    """A run, its truth, and its page."""

    def __init__(self, folder: Path) -> None:
        self.root = evil_run(folder)
        self.truth = write_truth(self.root, folder / "truth.jsonl")
        self.page = made(self.root, folder / "report.html", folder / "truth.jsonl")
        self.rows = label_rows(self.root)

    def differs(self, row: Row) -> bool:
        """From the truth."""
        first, true = row["first_error"], self.truth[row["solution_id"]]
        return first is not None and first != true


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    installed()
    return World(tmp_path_factory.mktemp("reported"))


@pytest.fixture(scope="module")
def browser(world: World) -> "Iterator[Browser]":
    """Opened when the run is made: no other event loop can run beside it."""
    with chromium() as found:
        yield found


@pytest.fixture
def page(world: World, browser: "Browser") -> "Iterator[Page]":
    with opened(browser, world.page, viewport={"width": 1280, "height": 900}) as found:
        yield found


def listed(page: "Page") -> int:
    """How many solutions the status line says are listed."""
    return int(page.inner_text(".status").split(" of ")[0].replace(",", ""))


def chosen(page: "Page") -> str:
    return page.inner_text("#detail h3").removeprefix("Solution ")


def says(page: "Page", text: str) -> None:
    """Wait until the status line holds a text; a function to wait for would need `eval`."""
    page.locator(".status", has_text=text).wait_for()


def follow(page: "Page", name: str) -> None:
    """Open a solution by its link."""
    page.evaluate("name => { location.hash = `#s=${name}`; }", name)
    page.locator("#detail h3", has_text=name).wait_for()


FILTERS: list[tuple[str, str, Callable[[Row, World], bool]]] = [
    ("answer", "right", lambda r, _: r["is_correct"] is True),
    ("answer", "wrong", lambda r, _: r["is_correct"] is False),
    ("first", "located", lambda r, _: bool(r["first_error"])),
    ("first", "none", lambda r, _: r["first_error"] == 0),
    ("first", "undecided", lambda r, _: r["first_error"] is None),
    ("source", "plain", lambda r, _: r["source"] == "plain"),
    ("source", EVIL, lambda r, _: r["source"] == EVIL),
    ("judge", "", lambda r, _: r["judge_first_error"] is not None
        and r["first_error"] is not None and r["judge_first_error"] != r["first_error"]),
    ("truth", "", lambda r, w: w.differs(r)),
    ("truncated", "", lambda r, _: has_truncated(r)),
    ("dropped", "", lambda r, _: r["keep"] is False),
]  # fmt: skip


def test_filters_list_what_the_labels_hold(page: "Page", world: World) -> None:
    for key, option, test in FILTERS:
        wanted = [r for r in world.rows if test(r, world)]
        assert 0 < len(wanted) < len(world.rows)
        if option:
            page.select_option(f"#filter-{key}", label=f"{option} ({len(wanted)})")
        else:
            page.check(f"#filter-{key}")
        assert listed(page) == len(wanted)
        assert chosen(page) in {r["solution_id"] for r in wanted}
        page.click("#clear")
        assert listed(page) == len(world.rows)


def test_filters_and_search_add_up(page: "Page", world: World) -> None:
    assert listed(page) == len(world.rows)
    row = next(r for r in world.rows if r["is_correct"])
    page.fill("#search", row["question"].rpartition("Planted")[2].upper())
    same = [r for r in world.rows if r["question"] == row["question"]]
    says(page, f"{len(same)} of {len(world.rows)} ")
    page.select_option("#filter-answer", index=2)
    assert listed(page) == sum(not r["is_correct"] for r in same)
    page.fill("#search", "no such text")
    says(page, "0 of ")
    assert "No solution passes" in page.inner_text("#detail")


def test_keys_and_buttons_go_on_and_back(page: "Page", world: World) -> None:
    order = [r["solution_id"] for r in world.rows]  # by id, as the page has them
    assert chosen(page) == order[0]
    for key, at in (("j", 1), ("ArrowRight", 2), ("k", 1), ("ArrowLeft", 0), ("k", 0)):
        page.keyboard.press(key)
        assert chosen(page) == order[at]
    page.focus("#list")
    for key, at in (("ArrowDown", 1), ("End", -1), ("j", -1), ("ArrowUp", -2), ("Home", 0)):
        page.keyboard.press(key)
        assert chosen(page) == order[at]
    page.click("#next")
    assert chosen(page) == order[1]
    page.keyboard.press("/")
    page.keyboard.type("jk")
    assert page.input_value("#search") == "jk"


def test_keys_go_on_after_a_filter_and_the_address_follows(page: "Page", world: World) -> None:
    page.keyboard.press("j")
    page.check("#filter-dropped")
    assert page.evaluate("location.hash") == f"#s={chosen(page)}"
    before = chosen(page)
    page.keyboard.press("j")
    assert chosen(page) != before
    page.evaluate("location.hash = '#s=nowhere'")
    says(page, "not in this page")
    follow(page, world.rows[2]["solution_id"])
    says(page, f" of {len(world.rows)} solutions")


def test_a_link_opens_its_solution(world: World, browser: "Browser") -> None:
    row = world.rows[7]
    with opened(browser, world.page, f"#s={row['solution_id']}") as page:
        assert chosen(page) == row["solution_id"]
        assert page.locator("#detail .about dd").first.inner_text() == row["gold"]
        page.keyboard.press("j")
        assert page.evaluate("location.hash") == f"#s={world.rows[8]['solution_id']}"
        page.check("#filter-judge")
        follow(page, world.rows[0]["solution_id"])
        assert not page.is_checked("#filter-judge")
        page.evaluate("location.hash = '#s=%E0%A4%A'")
        says(page, "not in this page")


def test_a_solution_shows_its_labels(page: "Page", world: World) -> None:
    row = next(
        r for r in world.rows if r["first_error"] and r["judge_first_error"] == r["first_error"]
    )
    follow(page, row["solution_id"])
    steps = page.locator(".steps > .step")
    assert steps.count() == len(row["steps"]) + 1
    marked = steps.nth(row["first_error"]).locator(".mark")
    assert marked.all_inner_texts()[:2] == ["first error: labels", "first error: judge"]
    assert page.locator(".mark.labels").count() == 1
    label = row["labels"][0]
    first = steps.nth(1)
    assert first.locator(".chip").inner_text() == f"{label['soft']:.2f}"
    tip = first.locator(".tip")
    assert not tip.is_visible()
    first.focus()
    assert tip.is_visible()
    assert f"{label['n']}, of these {label['correct']} correct" in tip.inner_text()
    assert f"{label['low']:.2f} to {label['high']:.2f}" in tip.inner_text()
    under = columns(row, "cut")[1]
    value = f"{under['soft']:.2f}, {under['low']:.2f} to {under['high']:.2f}"
    assert f"by cut\n{value}, n {under['n']}, progress" in tip.inner_text()
    words = {-1: "\u22121, wrong", 0: "0, brings nothing", 1: "1, good"}
    assert f"rating\n{words[label['rating']]}" in tip.inner_text()
    steps.nth(2).hover(position={"x": 20, "y": 10})  # the focused step's tip covers the rest
    assert steps.nth(2).locator(".tip").is_visible()
    assert not tip.is_visible()


def test_injected_text_is_text(world: World, browser: "Browser") -> None:
    with opened(browser, world.page) as page:
        shown = EVIL.replace("\u2028", "")
        steps = page.locator(".steps > .step")
        steps.nth(1).locator("summary").click()
        seen = (
            page.locator("#detail .question .text").text_content(),
            steps.nth(1).locator(".text").text_content(),
            page.locator(".rollout pre").first.text_content(),
            page.locator("#filter-source option").nth(1).text_content(),
        )
        for text in seen:
            assert text is not None
            assert shown in text.replace("\u2028", "")
        assert page.evaluate("window.broken") is None
        assert page.locator("img").count() == 0
        assert page.locator("body script:not([type])").count() == 1


def test_an_injected_script_could_not_run_even_then(world: World, browser: "Browser") -> None:
    """The policy refuses a script that is in the page, were it to get there."""
    page = browser.new_page()
    page.goto(world.page.as_uri())
    refused = page.evaluate(
        """() => new Promise((done) => {
          addEventListener("securitypolicyviolation", (e) => done(e.effectiveDirective));
          const made = document.createElement("script");
          made.textContent = "window.broken = 3";
          document.body.append(made);
        })"""
    )
    assert refused.startswith("script-src")
    assert page.evaluate("window.broken") is None
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_and_the_button(
    world: World, browser: "Browser", scheme: str
) -> None:
    with opened(browser, world.page, color_scheme=scheme) as page:
        paper = "getComputedStyle(document.body).backgroundColor"
        before = page.evaluate(paper)
        page.click("#theme")
        after = page.evaluate(paper)
        assert before != after
        page.reload()
        assert page.evaluate(paper) == after
        page.click("#theme")
        assert page.evaluate(paper) == before


@pytest.mark.parametrize("width", [360, 800, 2200])
def test_nothing_is_wider_than_the_screen(world: World, browser: "Browser", width: int) -> None:
    with opened(browser, world.page, viewport={"width": width, "height": 800}) as page:
        page.locator(".steps summary").nth(1).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator(".filters").evaluate("box => { box.open = true; }")
        page.locator("details").evaluate_all("all => all.forEach((box) => { box.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.locator("#detail").is_visible()


def test_only_what_is_seen_is_in_the_page(page: "Page") -> None:
    assert page.locator(".row").count() < 25
    page.focus("#list")
    page.keyboard.press("End")
    page.locator(".row[aria-selected=true]").wait_for()
    assert page.locator(".row").count() < 25
    assert page.locator(".steps").count() == 1

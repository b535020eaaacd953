"""The benches' own arithmetic: growth, limits, and that the page says what its data says."""
import importlib.util
import json
import math
from typing import Any

import pytest

from results import check, report
from results.figures import ROOT, Figure, Lane
from results.micro import natural, read_micro
from results.scale import add_exponents, exponent, slug


def script() -> Any:
    """scripts/bench.py."""
    spec = importlib.util.spec_from_file_location("bench", ROOT / "scripts/bench.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def figures(**values: float) -> dict[str, Figure]:
    return {name.replace("__", "."): Figure(name.replace("__", "."), "ns", (value,))
            for name, value in values.items()}


def threshold(**entry: object) -> check.Threshold:
    return check._threshold({"figure": "a", "margin": 0.1, "reason": "because", **entry})


@pytest.mark.parametrize("b", [0.0, 0.5, 1.0, 2.0])
def test_an_exponent_is_that_of_the_power_law(b: float) -> None:
    sizes = (1_000, 10_000, 100_000)
    assert math.isclose(exponent(sizes, [3 * size**b for size in sizes]), b, abs_tol=1e-9)


def test_exponents_are_made_of_times_alone_and_run_by_run() -> None:
    lane = Lane("scale")
    for size, values in ((10, [1.0, 2.0]), (1000, [100.0, 2.0])):
        lane.add(f"scale.gang_admitted.{size}", "ns", values)
        lane.add(f"scale.bytes.node.{size}", "bytes", values)
    add_exponents(lane, [10, 1000])
    assert lane.figures["scale.exponent.gang_admitted"].values == pytest.approx((1.0, 0.0))
    assert not any("bytes" in name and "exponent" in name for name in lane.figures)


@pytest.mark.parametrize("value,holds", [(2.0, True), (2.19, True), (2.21, False)])
def test_an_upper_limit_forgives_its_margin_and_no_more(value: float, holds: bool) -> None:
    assert threshold(at_most=2).holds(value) == holds


@pytest.mark.parametrize("value,holds", [(2.0, True), (1.81, True), (1.79, False)])
def test_a_lower_limit_forgives_its_margin_and_no_more(value: float, holds: bool) -> None:
    assert threshold(at_least=2).holds(value) == holds


def test_an_absolute_margin_is_added_as_it_is() -> None:
    assert threshold(at_most=0.1, margin=0.2, absolute=True).allowed == pytest.approx(0.3)


def test_two_figures_of_a_run_are_compared_by_their_quotient() -> None:
    entry = threshold(at_most=2, over="b", margin=0)
    assert entry.value(figures(a=10, b=4)) == 2.5
    assert not entry.holds(2.5)
    assert entry.value(figures(a=10)) is None


@pytest.mark.parametrize("entry", [{}, {"at_most": 1, "at_least": 1}, {"at_most": 1, "most": 2},
                                   {"at_most": 1, "reason": ""}])
def test_a_threshold_that_says_too_little_or_too_much_is_refused(entry: dict[str, object]) -> None:
    with pytest.raises(AssertionError):
        threshold(**entry)


def test_a_figure_that_nobody_gives_fails_unless_something_was_not_measured() -> None:
    entry = threshold(at_most=1)
    assert check.judge({}, [], [entry])[0].problem
    assert not check.judge({}, ["macro: no Go"], [entry])[0].problem


def test_the_check_fails_when_a_kept_threshold_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    lane = Lane("scale")
    for each in check.read_thresholds():
        if each.figure.startswith("scale."):
            lane.add(each.figure, "x", [each.limit])
    assert script().compare([lane.as_json({})], "scale.") == 0
    for name in list(lane.figures):
        good = lane.figures[name]
        lane.figures[name] = Figure(name, "x", (good.median * 3 + 1,))
        assert script().compare([lane.as_json({})], "scale.") == 1, name
        lane.figures[name] = good
    assert "FAILED" in capsys.readouterr().out


def test_every_threshold_is_read_and_names_a_figure_once() -> None:
    names = [each.name for each in check.read_thresholds()]
    assert len(names) == len(set(names))


def test_a_ratio_is_made_run_by_run_and_names_both_sides() -> None:
    lane = Lane("macro")
    lane.add("a", "pods/s", [10, 30])
    lane.add("b", "pods/s", [20, 30])
    lane.add_ratio("c", "a", "b")
    assert lane.figures["c"].values == (0.5, 1.0)
    assert lane.as_json({})["figures"][2]["denominator"] == "b"


@pytest.mark.parametrize("value,text", [(0, "0"), (0.03456, "0.0346"), (12.34, "12.3"), (1234.5, "1,230"),
                                        (98765432, "98,800,000")])
def test_numbers_are_shown_with_three_digits(value: float, text: str) -> None:
    assert report.number(value) == text


def test_slugs_are_parts_of_ids() -> None:
    assert slug("node joined, gangs waiting") == "node_joined_gangs_waiting"


def test_the_data_is_kept_a_figure_a_line() -> None:
    lane = Lane("scale")
    lane.add("a", "ns", [1, 2])
    data = {"lanes": [lane.as_json({"cores": 4}), lane.as_json({"cores": 8})]}
    text = report.as_text(data)
    assert json.loads(text) == data
    assert sum('"id": "a"' in line for line in text.splitlines()) == 2


def test_the_page_is_what_its_data_and_its_template_make() -> None:
    """`make bench-docs` writes both."""
    assert report.PAGE.read_text() == report.render(report.read_data())


def test_the_page_of_no_data_says_what_was_not_measured() -> None:
    page = report.render({"lanes": []})
    assert "- macro: the whole lane" in page
    assert "@@" not in page


def test_every_figure_of_a_threshold_is_in_the_kept_data() -> None:
    kept = report.read_data()
    names = {figure["id"] for lane in kept["lanes"] for figure in lane["figures"]}
    lanes = {lane["lane"] for lane in kept["lanes"] if not lane["missing"]}
    if lanes >= {"micro", "scale", "macro"}:
        assert {each.figure for each in check.read_thresholds()} <= names


def test_benches_are_sorted_as_people_count() -> None:
    assert sorted(["a/1000/2", "a/200", "a/200/10", "a/200/9", "b/1"], key=natural) == [
        "a/200", "a/200/9", "a/200/10", "a/1000/2", "b/1"]


def test_micro_benches_give_their_times_in_ns_and_their_own_counters() -> None:
    run = {"name": "a/1", "run_name": "a/1", "run_type": "iteration", "cpu_time": 2.0, "real_time": 9.0,
           "time_unit": "us", "items_per_second": 5.0, "bytes_each": 43.0}
    lane = read_micro({"benchmarks": [run, {**run, "cpu_time": 3.0}, {**run, "run_type": "aggregate"}]})
    assert lane.figures["micro.a/1"].values == (2000.0, 3000.0)
    assert lane.figures["micro.a/1:bytes_each"].values == (43.0, 43.0)
    assert len(lane.figures) == 2


def test_a_bench_that_measures_itself_is_not_charged_with_its_preparations() -> None:
    run = {"run_name": "a/manual_time", "run_type": "iteration", "cpu_time": 9.0, "real_time": 2.0, "time_unit": "us"}
    assert read_micro({"benchmarks": [run]}).figures["micro.a/manual_time"].values == (2000.0,)

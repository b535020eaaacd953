"""The alerts of the chart, judged by promtool: each fires when it should and is quiet when it should be."""
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from support.plane.chart import CHART, Helm, find

ALERTS = CHART / "files/alerts.yaml"
RUNBOOK = CHART.parents[1] / "docs/manage/alerts.md"
CASES = sorted(Path(__file__).parent.glob("*.yaml"))


def rules() -> list[dict]:
    return [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def run(promtool: Path, *arguments: str) -> None:
    result = subprocess.run([str(promtool), *arguments], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stdout + result.stderr


def test_promtool_takes_the_rules(promtool: Path) -> None:
    run(promtool, "check", "rules", str(ALERTS))


@pytest.mark.parametrize("cases", CASES, ids=lambda path: path.stem)
def test_alerts_fire_and_are_quiet(promtool: Path, tmp_path: Path, cases: Path) -> None:
    """Without their annotations, which promtool would compare too."""
    bare = [{key: value for key, value in rule.items() if key != "annotations"} for rule in rules()]
    (tmp_path / "alerts.yaml").write_text(yaml.safe_dump({"groups": [{"name": "bare", "rules": bare}]}))
    (tmp_path / cases.name).write_text(cases.read_text())
    run(promtool, "test", "rules", str(tmp_path / cases.name))


@pytest.mark.parametrize("alert, series, leader, standby, by, filled_in", [
    ("GangSchedulerGangsNeverFit", 'gang_scheduler_pending_gangs{code="ExceedsCluster",%s}', 3, 0, {"job": "g"},
     {"{{ $value }}": "3"}),
    ("GangSchedulerDegraded", 'gang_scheduler_reservation_slots{state="degraded",%s}', 3, 0, {"job": "g"}, {"{{ $value }}": "3"}),
    ("GangSchedulerConfigRefused", "gang_scheduler_config_last_reload_successful{%s}", 0, 1, {"pod": "p"},
     {"{{ or $labels.pod $labels.instance }}": "p"}),
])
def test_a_message_counts_a_replica_once(promtool: Path, tmp_path: Path, alert: str, series: str, leader: int, standby: int,
                                         by: dict[str, str], filled_in: dict[str, str]) -> None:
    """The leader is scraped twice, the standby once."""
    rule = next(rule for rule in rules() if rule["alert"] == alert)
    said = yaml.safe_dump(rule["annotations"], width=10_000)
    for template, text in filled_in.items():
        said = said.replace(template, text)
    scrapes = {'pod="p",instance="a",service="g"': leader, 'pod="p",instance="a"': leader, 'pod="q",instance="b"': standby}
    (tmp_path / "alerts.yaml").write_text(yaml.safe_dump({"groups": [{"name": "one", "rules": [rule]}]}))
    (tmp_path / "case.yaml").write_text(yaml.safe_dump({"rule_files": ["alerts.yaml"], "evaluation_interval": "1m", "tests": [{
        "interval": "1m",
        "input_series": [{"series": series % f'job="g",{scrape}', "values": f"{value}x60"} for scrape, value in scrapes.items()],
        "alert_rule_test": [{"eval_time": "50m", "alertname": alert, "exp_alerts": [
            {"exp_labels": {"severity": rule["labels"]["severity"], **by}, "exp_annotations": yaml.safe_load(said)}]}]}]}))
    run(promtool, "test", "rules", str(tmp_path / "case.yaml"))


def test_each_alert_has_a_case_that_fires_and_one_that_is_quiet() -> None:
    fires, quiet = set(), set()
    for path in CASES:
        for case in yaml.safe_load(path.read_text())["tests"]:
            for asked in case["alert_rule_test"]:
                for severity in {alert["exp_labels"]["severity"] for alert in asked["exp_alerts"]}:
                    fires.add((asked["alertname"], severity))
                if not asked["exp_alerts"]:
                    quiet.add(asked["alertname"])
    assert fires == {(rule["alert"], rule["labels"]["severity"]) for rule in rules()}
    assert quiet == {rule["alert"] for rule in rules()}


def test_each_alert_says_what_it_means_and_has_its_page() -> None:
    sections = re.findall(r"^## (Gang\w+)$", RUNBOOK.read_text(), re.MULTILINE)
    assert len(sections) == len(set(sections))
    assert set(sections) == {rule["alert"] for rule in rules()}
    for rule in rules():
        assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}, rule["alert"]
        assert rule["annotations"]["runbook_url"] == f"docs/manage/alerts.md#{rule['alert'].lower()}"


def test_the_chart_says_where_the_pages_are(helm: Path, tmp_path: Path) -> None:
    chart = Helm(helm, tmp_path)
    enabled = ["--set", "metrics.prometheusRule.enabled=true"]
    found = find(chart.template(*enabled), "PrometheusRule")
    assert found["spec"] == yaml.safe_load(ALERTS.read_text())
    found = find(chart.template(*enabled, "--set", "metrics.prometheusRule.runbooks=https://wiki.example/gang/"),
                 "PrometheusRule")
    for rule in found["spec"]["groups"][0]["rules"]:
        page = f"docs/manage/alerts.md#{rule['alert'].lower()}"
        assert rule["annotations"]["runbook_url"] == f"https://wiki.example/gang/{page}"

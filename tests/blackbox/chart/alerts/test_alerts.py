"""The alerts of the chart, judged by promtool: each fires when it should and is quiet when it should be."""
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from support.chart import CHART, Helm, find

ALERTS = CHART / "files/alerts.yaml"
RUNBOOK = CHART.parents[1] / "docs/alerts.md"
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
        assert rule["annotations"]["runbook_url"] == f"docs/alerts.md#{rule['alert'].lower()}"


def test_the_chart_says_where_the_pages_are(helm: Path, tmp_path: Path) -> None:
    chart = Helm(helm, tmp_path)
    enabled = ["--set", "metrics.prometheusRule.enabled=true"]
    found = find(chart.template(*enabled), "PrometheusRule")
    assert found["spec"] == yaml.safe_load(ALERTS.read_text())
    found = find(chart.template(*enabled, "--set", "metrics.prometheusRule.runbooks=https://wiki.example/gang/"),
                 "PrometheusRule")
    for rule in found["spec"]["groups"][0]["rules"]:
        assert rule["annotations"]["runbook_url"] == f"https://wiki.example/gang/docs/alerts.md#{rule['alert'].lower()}"

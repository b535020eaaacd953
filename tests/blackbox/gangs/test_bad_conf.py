"""A conf or a template that cannot be read: said with key and value, and nobody else waits for it."""
import pytest

from support.kube.cluster import Cluster
from support.kube.history import slots_of
from support.kube.spark_application import Size, SparkApplication, captured, sized
from test_hostile import assert_others_go_on, ready, wait_refused  # noqa: F401 (ready is a fixture)

MIB = 1024 * 1024
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi"))
VALUES = {
    "a command": ("spark.executor.memory", "2g;rm"), "negative": ("spark.executor.memory", "-1"),
    "an exponent": ("spark.executor.memory", "1e400"),
    "beyond 64 bits": ("spark.executor.memory", "9223372036854775807g"),
    "hexadecimal": ("spark.executor.memory", "0x10"), "nothing": ("spark.executor.memory", ""),
    "a fraction": ("spark.executor.memory", "1.5g"),
    "not a label": ("spark.kubernetes.executor.label.team", "not a value!"),
    "a task too large": ("spark.task.cpus", "64"),
    "the environment": ("spark.executor.cores", "${env:CORES}"),
    "a circle": ("spark.executor.cores", "${spark.executor.cores}"),
}
TEMPLATES = {
    "not YAML": "spec: {containers: [", "two documents": "kind: Pod\n---\nkind: Pod\n",
    "aliases": BOMB + "spec: {x: *i}\n", "nesting": "spec: " + "[" * 5000 + "]" * 5000,
    "a list": "kind: List\nitems: []\n", "no quantity":
    "spec: {containers: [{name: a, resources: {requests: {cpu: lots}}}]}",
    "a limit too low": "spec: {containers: [{name: a, resources: {limits: {cpu: 10m}}}]}",
}


def two_executors(cluster: Cluster) -> SparkApplication:
    return sized(Size(executors=2), cluster.default_namespace)


def test_every_wrong_value_is_named(ready: Cluster) -> None:  # noqa: F811
    wrong = {}
    for what, (key, value) in VALUES.items():
        application = two_executors(ready).set_conf(**{key.replace(".", "__"): value})
        wrong[what] = ready.submit(application), key, value
    for what, (application, key, value) in wrong.items():
        message = wait_refused(ready, application, what)
        assert message.endswith("[Misconfigured]") and key in message, f"{what}: {message}"
        assert f'"{value}"' in message, f"{what}: {message}"
    assert_others_go_on(ready, wrong["negative"][0])


@pytest.mark.parametrize("text", ["spark.executor.memory=1g\0\n", "\x7fELF\x02\x01\x01\n",
                                  "x=1\n" * 100_001], ids=["NUL", "binary", "100,001 keys"])
def test_a_text_that_is_no_conf(ready: Cluster, text: str) -> None:  # noqa: F811
    application = ready.submit(two_executors(ready).set_properties(text))
    assert wait_refused(ready, application).endswith("[Misconfigured]")
    assert_others_go_on(ready, application)


def test_a_conf_of_nearly_a_mebibyte_is_read(ready: Cluster) -> None:  # noqa: F811
    """The API server's own limit is one MiB for the whole object."""
    application = two_executors(ready)
    application.set_properties(application.properties + "spark.padding=" + "x" * (MIB - 40_000) + "\n")
    ready.submit(application)
    ready.wait_finished(application)


def test_every_wrong_template_is_said(ready: Cluster) -> None:  # noqa: F811
    wrong = {}
    for what, text in TEMPLATES.items():
        application = captured("template-sidecar", ready.default_namespace)
        template = next(each for each in application.config_maps if "podspec-configmap-key" in each["data"])
        template["data"]["podspec-configmap-key"] = text
        wrong[what] = ready.submit(application)
    for what, application in wrong.items():
        message = wait_refused(ready, application, what)
        assert message.endswith("[Misconfigured]") and "template" in message, f"{what}: {message}"
    assert_others_go_on(ready, wrong["aliases"])


def test_a_config_map_replaced_after_admission_changes_nothing(ready: Cluster) -> None:  # noqa: F811
    application = sized(Size(executors=2), ready.default_namespace)
    application.batch_seconds = 3.0  # the executors come after the replacement
    ready.submit(application)
    driver = ready.wait_bound(application)
    before = slots_of(driver)
    conf = next(each for each in application.config_maps if "spark.properties" in each["data"])
    path = f"/api/v1/namespaces/{ready.default_namespace}/configmaps"
    ready.api.delete(f"{path}/{conf['metadata']['name']}")
    application.set_conf(spark__executor__instances="7", spark__executor__memory="4g")
    ready.api.post(path, conf)
    ready.wait_finished(application)
    assert slots_of(driver) == before and sum(slot.count for slot in before) == 2
    assert application.running_max == 2

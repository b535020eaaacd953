"""Drivers as others than a plain spark-submit make them: captured ones, with what each submitter adds.

Whoever submits, Spark makes the driver, its ConfigMap and the executors, so the gang is known without a line more.
"""
import json
from typing import Callable

import pytest

from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pod_groups import LABEL, add_group, define_kinds
from support.kube.pods import node_of
from support.process.polling import eventually
from support.kube.spark_application import Size, SparkApplication, sized

OPERATOR = "sparkoperator.k8s.io/"
Submitter = Callable[[Cluster, SparkApplication], None]


def add_labels(application: SparkApplication, **labels: str) -> None:
    for pod in (application.driver, application.executor_pattern):
        pod["metadata"]["labels"].update({key.replace("__", "/"): value for key, value in labels.items()})


def own(cluster: Cluster, application: SparkApplication, name: str) -> None:
    """An object controls the driver; a ConfigMap stands for the operator's own, whose kind is not installed here."""
    space = cluster.default_namespace
    made = cluster.api.post(f"/api/v1/namespaces/{space}/configmaps", {"metadata": {"name": name}})
    application.driver["metadata"]["ownerReferences"] = [{
        "apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": made["metadata"]["uid"], "controller": True,
        "blockOwnerDeletion": True}]


def renamed(application: SparkApplication, old: str, new: str) -> None:
    def again(value: Json) -> Json:
        result: Json = json.loads(json.dumps(value).replace(old, new))
        return result
    application.driver = again(application.driver)
    application.config_maps = [again(each) for each in application.config_maps]
    application.executor_pattern = again(application.executor_pattern)


def by_kubeflow(cluster: Cluster, application: SparkApplication) -> None:
    """spark-operator 2 with spec.driver.schedulerName and spec.executor.schedulerName: labels, and an owner."""
    name = f"pi-{application.application_id[-8:]}"
    for key, value in (("app-name", name), ("launched-by-spark-operator", "true"), ("mutated-by-spark-operator", "true"),
                       ("submission-id", "0e4a9b62-55a8-4b1c-9d11-1c5c7fba9a01")):
        add_labels(application, **{OPERATOR.replace("/", "__") + key: value})
    own(cluster, application, name)


def by_kubeflow_as_batch_scheduler(cluster: Cluster, application: SparkApplication) -> None:
    """The same with spec.batchScheduler and --kube-scheduler-names: it makes a PodGroup and names it on all pods."""
    by_kubeflow(cluster, application)
    group = add_group(cluster, {"minMember": 1, "minResources": {"cpu": "3", "memory": "4224Mi"}},
                      name=f"{application.driver['metadata']['labels'][OPERATOR + 'app-name']}-pg")
    for pod in (application.driver, application.executor_pattern):
        pod["metadata"]["labels"][LABEL] = group


def by_apache(cluster: Cluster, application: SparkApplication) -> None:
    """spark-kubernetes-operator: it makes the driver itself; ids are the application's name and attempt."""
    name = f"pi-{application.application_id[-8:]}"
    driver = application.driver_name
    renamed(application, application.application_id, f"{name}-0")
    renamed(application, driver, f"{name}-0-driver")
    application.application_id = f"{name}-0"
    application.set_conf(spark__app__id=f"{name}-0", spark__authenticate="true",
                         spark__kubernetes__executor__useDriverPodIP="true",
                         spark__kubernetes__executor__deleteOnTermination="false")
    for key, value in (("spark.operator/name", "spark-kubernetes-operator"), ("spark.operator/spark-app-name", name)):
        application.driver["metadata"]["labels"][key] = value
        application.executor_pattern["metadata"]["labels"][key] = value
    own(cluster, application, name)


def by_livy(cluster: Cluster, application: SparkApplication) -> None:
    """A batch: spark-submit with a label by which Livy finds its pods."""
    add_labels(application, **{"spark-app-tag": f"livy-batch-0-{application.application_id[-8:]}"})


def by_airflow(cluster: Cluster, application: SparkApplication) -> None:
    """SparkSubmitOperator: spark-submit with the task's labels as conf."""
    add_labels(application, dag_id="etl", task_id="pi", airflow_version="3.0.2")


@pytest.mark.parametrize("submitter", [by_kubeflow, by_kubeflow_as_batch_scheduler, by_apache, by_livy, by_airflow])
def test_whole_or_not_at_all(cluster: Cluster, submitter: Submitter) -> None:
    define_kinds(cluster)
    cluster.add_nodes(1, cpu="2", memory="16Gi")
    cluster.start_scheduler()
    application = sized(Size(executors=2), cluster.default_namespace)
    submitter(cluster, application)
    cluster.submit(application)
    cluster.wait_code(application, "ExceedsCluster")
    assert not cluster.is_bound(application)
    cluster.add_nodes(1, cpu="2", memory="16Gi")
    cluster.wait_finished(application)
    assert application.running_max == 2


@pytest.mark.parametrize("on_the_driver, on_executors", [(True, True), (False, True)])
def test_tolerations_of_kubeflows_webhook(cluster: Cluster, on_the_driver: bool, on_executors: bool) -> None:
    """It adds what spec.driver and spec.executor say to the pods as they are created; no conf has a word of it."""
    dedicated = {"key": "dedicated", "value": "spark", "effect": "NoSchedule"}
    cluster.add_nodes(2, cpu="4", memory="16Gi", taints=[dedicated])
    if not on_the_driver:
        cluster.add_nodes(1, cpu="1", memory="4Gi")
    cluster.start_scheduler()
    application = sized(Size(executors=3), cluster.default_namespace)
    by_kubeflow(cluster, application)
    for pod, has_it in ((application.driver, on_the_driver), (application.executor_pattern, on_executors)):
        if has_it:
            pod["spec"].setdefault("tolerations", []).append({"operator": "Equal", **dedicated})
    cluster.submit(application)
    if not on_the_driver:
        said = cluster.wait_code(application, "ExceedsCluster")
        assert "2 untolerated taint dedicated=spark" in said and "its executors do not tolerate the taints" in said, said
        assert "annotation gang-scheduler/executor-tolerations" in said, said
        cluster.api.patch(application.driver_path, {"metadata": {"annotations": {
            "gang-scheduler/executor-tolerations": "dedicated=spark:NoSchedule"}}})
    cluster.wait_finished(application)
    assert application.running_max == 3


def test_a_client_mode_driver_of_airflow_goes_by_itself(cluster: Cluster) -> None:
    """KubernetesPodOperator: the driver is a process of the task's pod, which is no gang."""
    cluster.add_nodes(1)
    cluster.start_scheduler()
    path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
    cluster.api.post(path, {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "etl-pi-x1", "labels": {
            "dag_id": "etl", "task_id": "pi", "run_id": "manual-1", "try_number": "1", "kubernetes_pod_operator": "True",
            "airflow_version": "3.0.2"}},
        "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
            {"name": "base", "image": "none", "resources": {"requests": {"cpu": "1"}}}]}})
    eventually(lambda: node_of(cluster.api.get(f"{path}/etl-pi-x1")), 40, "its pod on a node")

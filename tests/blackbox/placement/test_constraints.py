"""Where the pods of a gang may go: selectors, taints, cordon, affinity, readiness, pod counts."""
from support.client.api import Json
from support.kube.cluster import Cluster
from support.kube.pods import condition, is_finished, node_of
from support.process.polling import eventually
from support.kube.spark_application import Size, SparkApplication, captured, sized


def nodes_used(cluster: Cluster, application: SparkApplication) -> tuple[set[str], set[str]]:
    """(the driver's, the executors') nodes over the whole test."""
    driver, executors = set(), set()
    for seen in cluster.history.events:
        if not node_of(seen.pod) or is_finished(seen.pod):
            continue
        name = seen.pod["metadata"]["name"]
        if name == application.driver_name:
            driver.add(node_of(seen.pod))
        elif name.startswith(application.driver_name.rsplit("-driver", 1)[0]):
            executors.add(node_of(seen.pod))
    return driver, executors


def test_node_selectors_of_driver_and_executors(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    drivers = cluster.add_nodes(1, labels={"disk": "ssd", "pool": "drivers"})
    executors = cluster.add_nodes(1, labels={"disk": "ssd", "pool": "spark"})
    cluster.start_scheduler()
    application = cluster.submit(captured("selectors", cluster.default_namespace))
    cluster.wait_finished(application)
    assert nodes_used(cluster, application) == (set(drivers), set(executors))


def test_a_selector_that_no_node_satisfies(cluster: Cluster) -> None:
    cluster.add_nodes(2, labels={"disk": "ssd", "pool": "drivers"})
    cluster.start_scheduler()
    application = cluster.submit(captured("selectors", cluster.default_namespace))
    eventually(lambda: cluster.message(application).startswith("0/2 nodes"), 10, "a condition")
    assert not cluster.is_bound(application)
    cluster.add_nodes(1, labels={"disk": "ssd", "pool": "spark"})
    cluster.wait_finished(application)


def test_the_executor_template_s_tolerations_and_sidecar(cluster: Cluster) -> None:
    """Executors tolerate the taint through their template, the driver does not."""
    plain = cluster.add_nodes(1)
    spark = cluster.add_nodes(1, labels={"pool": "spark"}, taints=[
        {"key": "spark", "value": "true", "effect": "NoSchedule"}])
    cluster.start_scheduler()
    application = cluster.submit(captured("template-sidecar", cluster.default_namespace))
    cluster.wait_finished(application)
    assert nodes_used(cluster, application) == (set(plain), set(spark))


def test_required_node_affinity_from_the_template(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    fitting = cluster.add_nodes(1, labels={"node.kubernetes.io/instance-type": "m5.8xlarge"})
    cluster.start_scheduler()
    application = captured("template-affinity", cluster.default_namespace)
    remove_spread(application)
    cluster.submit(application)
    cluster.wait_finished(application)
    assert nodes_used(cluster, application)[1] == set(fitting)


def test_taints_keep_a_gang_away(cluster: Cluster) -> None:
    cluster.add_nodes(1, taints=[{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}])
    cluster.start_scheduler()
    application = cluster.submit(captured("jvm-default", cluster.default_namespace))
    eventually(lambda: "dedicated" in cluster.message(application), 10, "the taint in the condition")
    free = cluster.add_nodes(1)
    cluster.wait_finished(application)
    assert nodes_used(cluster, application) == (set(free), set(free))


def test_cordon_and_uncordon(cluster: Cluster) -> None:
    node, = cluster.add_nodes(1)
    cluster.api.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": True}})
    cluster.start_scheduler()
    application = cluster.submit(captured("jvm-default", cluster.default_namespace))
    eventually(lambda: cluster.message(application).startswith("0/1 nodes"), 10, "a condition")
    cluster.api.patch(f"/api/v1/nodes/{node}", {"spec": {"unschedulable": None}})
    cluster.wait_finished(application)


def test_a_node_that_is_not_ready(cluster: Cluster) -> None:
    node, = cluster.add_nodes(1)
    cluster.kubelet.report_node(node, ready=False)
    cluster.start_scheduler()
    application = cluster.submit(captured("jvm-default", cluster.default_namespace))
    eventually(lambda: cluster.message(application).startswith("0/1 nodes"), 10, "a condition")
    cluster.kubelet.report_node(node, ready=True)
    cluster.wait_finished(application)


def test_the_number_of_pods_of_a_node(cluster: Cluster) -> None:
    cluster.add_nodes(2, pods=2)
    cluster.start_scheduler()
    five_pods = cluster.submit(sized(Size(executors=4), cluster.default_namespace))
    cluster.wait_code(five_pods, "ExceedsCluster")
    four_pods = cluster.submit(sized(Size(executors=3), cluster.default_namespace))
    cluster.wait_finished(four_pods)


def test_executors_that_want_a_port_of_their_node(cluster: Cluster) -> None:
    """One on each node where the port is free, and none of them runs before both can."""
    cluster.add_nodes(1)
    first, = cluster.add_nodes(1, labels={"pool": "spark"})
    cluster.start_scheduler()
    application = captured("template-sidecar", cluster.default_namespace)
    want_port(application, 24224)
    cluster.submit(application)
    eventually(lambda: "short of host port 24224/TCP" in cluster.message(application), 10, "the port in the condition")
    assert not cluster.is_bound(application)
    second, = cluster.add_nodes(1, labels={"pool": "spark"})
    cluster.wait_finished(application)
    assert nodes_used(cluster, application)[1] == {first, second}


def test_a_lone_pod_waits_for_its_port(cluster: Cluster) -> None:
    cluster.add_nodes(2)
    cluster.start_scheduler()

    def create(name: str, **port: object) -> str:
        path = f"/api/v1/namespaces/{cluster.default_namespace}/pods"
        cluster.api.post(path, {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [{
                "name": "main", "image": "none", "ports": [{"containerPort": 80, "hostPort": 8080, **port}]}]}})
        return f"{path}/{name}"

    def node(path: str) -> str:
        return node_of(cluster.api.get(path))

    def told(path: str) -> str:
        return condition(cluster.api.get(path), "PodScheduled").get("message", "")

    first, second, udp = create("first"), create("second"), create("udp", protocol="UDP")
    eventually(lambda: node(first) and node(second) and node(udp), 10, "three binds")
    assert node(first) != node(second)
    third = create("third", hostIP="127.0.0.1")
    eventually(lambda: "2 host port 8080/TCP taken" in told(third), 10, "the reason")
    left = node(first)
    cluster.api.request("DELETE", first, {"gracePeriodSeconds": 0})
    eventually(lambda: node(third) == left, 10, "the port to be free")


def want_port(application: SparkApplication, port: int) -> None:
    """The template's sidecar listens on this port of the node."""
    ports = f"    ports: [{{containerPort: {port}, hostPort: {port}}}]\n"
    for each in application.config_maps:
        data: Json = each["data"]
        for key, text in data.items():
            data[key] = text.replace("    image: fluent-bit\n", "    image: fluent-bit\n" + ports)
    sidecar = next(container for container in application.executor_pattern["spec"]["containers"]
                   if container["name"] == "log-shipper")
    sidecar["ports"] = [{"containerPort": port, "hostPort": port}]


def remove_spread(application: SparkApplication) -> None:
    """Takes the template's topology spread out: this test is about affinity."""
    application.executor_pattern["spec"].pop("topologySpreadConstraints", None)
    for each in application.config_maps:
        data: Json = each["data"]
        for key, text in data.items():
            lines = text.splitlines(keepends=True)
            data[key] = "".join(line for line in lines
                                if "topologySpread" not in line and "maxSkew" not in line)


def test_pred_2_a_pod_that_names_its_node(cluster: Cluster) -> None:
    """NodeName: it is there and nowhere else, whoever else has room. Nobody places it, and its room is gone for the others."""
    first, second = (cluster.add_nodes(1, cpu="2", memory="4Gi")[0] for _ in range(2))
    cluster.start_scheduler()
    pods = f"/api/v1/namespaces/{cluster.default_namespace}/pods"

    def create(name: str, **more: Json) -> str:
        cluster.api.post(pods, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
            "schedulerName": "gang-scheduler", "restartPolicy": "Never", "containers": [
                {"name": "main", "image": "busybox", "command": ["sleep", "600"],
                 "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}], **more}})
        return f"{pods}/{name}"
    elsewhere = create("elsewhere", nodeName="no-such-node")
    named = create("named", nodeName=first)
    other = create("other")
    eventually(lambda: node_of(cluster.api.get(other)), 10, "the other pod on a node")
    assert node_of(cluster.api.get(other)) == second
    third = create("third")
    eventually(lambda: "2 Insufficient cpu" in condition(cluster.api.get(third), "PodScheduled").get("message", ""), 10,
               lambda: f"no room, now {condition(cluster.api.get(third), 'PodScheduled')}")
    assert node_of(cluster.api.get(named)) == first and node_of(cluster.api.get(elsewhere)) == "no-such-node"
    spoken_of = {each["involvedObject"]["name"] for each in
                 cluster.api.items(f"/api/v1/namespaces/{cluster.default_namespace}/events")}
    assert not spoken_of & {"named", "elsewhere"}, spoken_of
    cluster.api.request("DELETE", named, {"gracePeriodSeconds": 0})
    eventually(lambda: node_of(cluster.api.get(third)), 10, "the third pod where the first has gone")
    assert node_of(cluster.api.get(third)) == first

"""The verbs: size, gangs, why, check-config, version."""
import json
import subprocess
from pathlib import Path

import pytest
import yaml

from support.client.api import Api, Json
from support.kube.cluster import Cluster
from support.kube.pods import amounts, effective_requests, node_of
from support.process.polling import eventually
from support.process.ports import free_ports
from support.process.processes import Process
from support.plane.rig import binary
from support.kube.spark_application import FIXTURES, Size, sized

CASES = sorted(path.relative_to(FIXTURES) for path in FIXTURES.glob("*/*"))


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(binary()), *arguments], capture_output=True, text=True, timeout=20)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_size_foretells_what_spark_asked_for(case: Path) -> None:
    folder = FIXTURES / case
    result = run("size", "-f", str(folder / "driver.json"), "-f", str(folder / "configmaps.json"),
                 "-o", "json")
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    executors = json.loads((folder / "executors.json").read_text())
    assert sum(shape["count"] for shape in answer["executors"]) == len(executors)
    expected = effective_requests(executors[0])
    del expected["pods"]
    assert amounts(answer["executors"][0]["requests"]) == expected
    assert answer["executors"][0]["nodeSelector"] == executors[0]["spec"].get("nodeSelector", {})


def test_size_prints_a_table_for_people() -> None:
    folder = FIXTURES / "4.1.4/jvm-sized"
    result = run("size", "-f", str(folder / "driver.json"), "-f", str(folder / "configmaps.json"))
    assert result.returncode == 0 and "4505Mi" in result.stdout, result.stdout + result.stderr


def test_size_of_something_that_is_not_json(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text("{")
    result = run("size", "-f", str(path))
    assert result.returncode == 1 and str(path) in result.stderr


def test_check_config(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("{}\n")
    good = run("check-config", str(path))
    assert good.returncode == 0, good.stderr
    path.write_text("gang:\n  discoverie: auto\n")
    bad = run("check-config", str(path))
    assert bad.returncode == 2
    assert f"{path}:2" in bad.stderr + bad.stdout and "discoverie" in bad.stderr + bad.stdout
    path.write_text("gang: {discovery: auto}\ngang: {discovery: none}\n")
    assert run("check-config", str(path)).returncode == 2
    assert run("check-config", str(tmp_path / "absent.yaml")).returncode == 2


def test_run_refuses_a_bad_config(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("no-such-key: 1\n")
    result = run("run", "--config", str(path))
    assert result.returncode == 2 and f"{path}:1" in result.stderr + result.stdout


def test_version_and_usage() -> None:
    assert run("version").returncode == 0
    wrong = run("no-such-verb")
    assert wrong.returncode not in (0, None) and "no-such-verb" in wrong.stderr + wrong.stdout


def test_gangs_and_why_from_the_api_server_alone(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    running = sized(Size(executors=2), cluster.default_namespace)
    running.work_seconds = 60
    cluster.submit(running)
    eventually(lambda: cluster.is_whole(running), 15, "two executors")
    waiting = cluster.submit(sized(Size(executors=3), cluster.default_namespace))
    cluster.wait_code(waiting, "WaitingForCapacity")

    namespace = cluster.default_namespace
    table = cluster.rig.cli("gangs", "-n", namespace)
    assert table.returncode == 0, table.stderr
    assert running.driver_name[:20] in table.stdout and "WaitingForCapacity" in table.stdout
    listed = json.loads(cluster.rig.cli("gangs", "-n", namespace, "-o", "json").stdout)
    entries = listed["gangs"] if isinstance(listed, dict) else listed
    assert {entry["driver"] for entry in entries} == {running.driver_name, waiting.driver_name}

    for name in (waiting.driver_name, waiting.application_id):
        why = cluster.rig.cli("why", name, "-n", namespace)
        assert why.returncode == 3, why.stderr
        assert "WaitingForCapacity" in why.stdout and "cpu" in why.stdout
    executor = cluster.executors(running)[0]["metadata"]["name"]
    assert cluster.rig.cli("why", executor, "-n", namespace).returncode == 0
    machine = cluster.rig.cli("why", waiting.driver_name, "-n", namespace, "-o", "json")
    json.loads(machine.stdout)
    absent = cluster.rig.cli("why", "no-such-pod", "-n", namespace)
    assert absent.returncode != 0 and "no-such-pod" in absent.stderr + absent.stdout


def test_why_waits_for_a_gang_and_says_by_its_exit_code_what_became_of_it(cluster: Cluster) -> None:
    cluster.add_nodes(1, cpu="2")
    cluster.start_scheduler()
    namespace = cluster.default_namespace
    never = cluster.submit(sized(Size(executors=20), namespace))
    cluster.wait_code(never, "ExceedsCluster")
    assert cluster.rig.cli("why", never.driver_name, "-n", namespace, "--wait").returncode == 4
    waits = cluster.submit(sized(Size(executors=2), namespace))
    cluster.wait_code(waits, "ExceedsCluster")
    cluster.add_nodes(1, cpu="1")
    ended = cluster.rig.cli("why", waits.driver_name, "-n", namespace, "--wait", "--timeout", "15s")
    assert ended.returncode in (0, 4), ended
    cluster.wait_finished(waits)
    assert cluster.rig.cli("why", waits.driver_name, "-n", namespace).returncode == 0
    for wrong in (("--wait", "--timeout", "soon"), ("--timeout", "1s")):
        refused = cluster.rig.cli("why", waits.driver_name, *wrong)
        assert refused.returncode == 2 and "--timeout" in refused.stderr, refused


def test_why_says_who_holds_the_room_and_what_would_help(cluster: Cluster) -> None:
    cluster.add_nodes(1)  # 4 cpu
    control = f"127.0.0.1:{free_ports(1)[0]}"
    cluster.start_scheduler("--leader-elect=false", "--control", control)
    running = sized(Size(executors=1), cluster.default_namespace)
    running.work_seconds = 120
    cluster.submit(running)
    eventually(lambda: cluster.is_whole(running), 20, "a gang that runs")
    waiting = cluster.submit(sized(Size(executors=2), cluster.default_namespace))
    cluster.wait_code(waiting, "WaitingForCapacity")

    def why() -> "subprocess.CompletedProcess[str]":
        return cluster.rig.cli("why", f"{waiting.namespace}/{waiting.driver_name}", "--control", control)
    said = eventually(lambda: said if "--conf spark.executor.instances=1" in (said := why()).stdout else None, 10,
                      lambda: f"what would help, in {why().stdout}")
    assert said.returncode == 3
    assert f"held by running gangs: {running.namespace}/{running.driver_name}" in said.stdout, said.stdout
    timed_out = cluster.rig.cli("why", f"{waiting.namespace}/{waiting.driver_name}", "--wait", "--timeout", "1s",
                                "--control", control)
    assert timed_out.returncode == 3


def test_nodes_jsonpath_and_one_picture(cluster: Cluster) -> None:
    cluster.add_nodes(2)
    control = f"127.0.0.1:{free_ports(1)[0]}"
    cluster.start_scheduler("--leader-elect=false", "--control", control)
    running = sized(Size(executors=2), cluster.default_namespace)
    running.work_seconds = 60
    cluster.submit(running)
    eventually(lambda: cluster.is_whole(running), 20, "a gang that runs")
    for where in (control, "none"):  # asked of the daemon, and of the API server alone
        def cli(*words: str) -> str:
            result = cluster.rig.cli(*words, "--control", where)
            assert result.returncode == 0, result
            return result.stdout
        names = cli("nodes", "-o", "jsonpath={range .nodes[*]}{.name}{\"\\n\"}{end}").split()
        assert cli("nodes", "-o", "name").split() == [f"node/{name}" for name in names] and len(names) == 2
        assert cli("nodes", "-o", "jsonpath={.nodes[*].boundBy[*].requests.pods}").split() in (["3"], ["1", "2"], ["2", "1"])
        assert "FITS" in cli("nodes", "--executor", "1x1Gi") and "ZONE" in cli("nodes", "-o", "wide")
        assert "No node says anything of its cards." in cli("nodes", "--cards")
        used = cli("nodes", "-o", "jsonpath={range .nodes[*]}{.boundBy[0].gang} {.name}{\"\\n\"}{end}").split("\n")
        busy = next(line.split(" ")[1] for line in used if running.driver_name in line)
        assert running.driver_name in cli("nodes", busy)
        picture = cli("top")
        assert "RUNNING (1)" in picture and running.driver_name in picture and "\x1b" not in picture
        assert cluster.rig.cli("nodes", "absent", "--control", where).returncode == 1
    wrong = cluster.rig.cli("gangs", "-o", "jsonpath={.gangs[?(@.x)]}")
    assert wrong.returncode == 2 and "filters" in wrong.stderr


def test_timeline_tells_the_life_of_an_application(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    first = sized(Size(executors=2), cluster.default_namespace)
    first.work_seconds = 3
    cluster.submit(first)
    eventually(lambda: cluster.is_whole(first), 15, "two executors")
    second = cluster.submit(sized(Size(executors=3), cluster.default_namespace))
    cluster.wait_code(second, "WaitingForCapacity")
    cluster.wait_finished(first, second)

    def steps(name: str) -> list[str]:
        result = cluster.rig.cli("timeline", f"{cluster.default_namespace}/{name}", "-o", "json")
        assert result.returncode == 0, result.stderr
        entries = json.loads(result.stdout)["entries"]
        seconds = [entry["timeMs"] // 1000 for entry in entries]
        assert seconds == sorted(seconds)
        return [entry["step"] for entry in entries]

    eventually(lambda: "Ended" in steps(second.driver_name), 10, "the end")
    told = steps(second.driver_name)
    assert told[0] == "Created" and "FailedScheduling" in told
    assert told.index("FailedScheduling") < told.index("DriverBound") < told.index("Ended")
    text = cluster.rig.cli("timeline", second.application_id, "-n", cluster.default_namespace).stdout
    assert "driver bound to" in text and "[WaitingForCapacity]" in text, text
    absent = cluster.rig.cli("timeline", "no-such-pod", "-n", cluster.default_namespace)
    assert absent.returncode == 1 and "no-such-pod" in absent.stderr


def test_the_cluster_ends_in_order_while_somebody_watches(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    server = Process([str(binary()), "cluster", "--kubeconfig-out", str(kubeconfig)],
                     tmp_path / "cluster.log")
    eventually(kubeconfig.exists, 10, "the kubeconfig")
    api = Api(kubeconfig)
    watches = (api.request("GET", "/api/v1/pods", stream=True, params={"watch": "true"}),
               api.websocket("/api/v1/nodes?watch=true"))
    server.signal(15)
    assert server.wait(10) == 0, server.output()
    for watch in watches:
        watch.close()


def test_the_cluster_plays_sparks_drivers(tmp_path: Path) -> None:
    """A captured spark-submit on it: executors as real Spark asked for them come when the driver runs, and end with it."""
    kubeconfig = tmp_path / "kubeconfig"
    server = Process([str(binary()), "cluster", "--play-spark", "--run-for", "4s", "--nodes", "4", "--kubeconfig-out",
                      str(kubeconfig)], tmp_path / "cluster.log")
    eventually(kubeconfig.exists, 10, "the kubeconfig")
    scheduler = Process([str(binary()), "run", "--kubeconfig", str(kubeconfig), "--leader-elect=false", "--server", "none",
                         "--control", "none"], tmp_path / "run.log")
    api = Api(kubeconfig)
    application = sized(Size(executors=11), "default")
    application.submit(api)
    pods = "/api/v1/namespaces/default/pods"

    def executors() -> dict[str, Json]:
        return {pod["metadata"]["name"]: pod for pod in api.items(pods, labelSelector="spark-role=executor")
                if pod["status"].get("phase") == "Running"}

    eventually(lambda: len(executors()) == 11, 15, lambda: f"eleven executors; {server.output()}")
    stem = application.driver_name.removesuffix("-driver")
    assert set(executors()) == {f"{stem}-exec-{number}" for number in range(1, 12)}
    wanted = effective_requests(application.executor_pattern)
    for pod in executors().values():
        assert effective_requests(pod) == wanted and node_of(pod)
        assert pod["metadata"]["labels"]["spark-app-selector"] == application.application_id
        assert pod["metadata"]["annotations"]["gang-scheduler/slot"], "it is in a slot of its gang"
    eventually(lambda: api.get(application.driver_path)["status"]["phase"] == "Succeeded", 15, "the driver's end")
    eventually(lambda: not executors(), 10, "the executors' end")
    for process in (scheduler, server):
        process.signal(15)
        assert process.wait(10) == 0, process.output()
    alone = run("cluster", "--play-spark", "--kubelet", "none")
    assert alone.returncode == 2 and "--play-spark: without simulated kubelets" in alone.stderr, alone


def test_a_cluster_that_comes_back_empty_expires_what_was_watched(tmp_path: Path) -> None:
    """Else a client would wait for news of objects that no longer exist."""
    kubeconfig = tmp_path / "kubeconfig"
    command = [str(binary()), "cluster", "--kubeconfig-out", str(kubeconfig), "--nodes", "1"]
    versions = []
    for start in range(2):
        server = Process(command, tmp_path / f"cluster-{start}.log")
        eventually(kubeconfig.exists, 10, "the kubeconfig")
        api = Api(kubeconfig)
        if versions:
            event = next(api.watch("/api/v1/nodes", versions[0]))
            assert event["type"] == "ERROR" and event["object"]["code"] == 410, event
        versions.append(api.get("/api/v1/nodes")["metadata"]["resourceVersion"])
        server.kill()
        kubeconfig.unlink()


def test_what_cannot_be_written_is_not_done() -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run([str(binary()), "version"], stdout=full, stderr=subprocess.PIPE,
                                text=True, timeout=20)
    assert result.returncode == 1 and "standard output" in result.stderr, result.stderr


def test_a_standby_says_so_and_the_api_server_answers(cluster: Cluster) -> None:
    """What kubectl exec deployment/gang-scheduler asks is any of the replicas."""
    addresses = [f"127.0.0.1:{port}" for port in free_ports(2)]
    cluster.add_nodes(1)
    leader = cluster.rig.start_scheduler(("--control", addresses[0]))
    waiting = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(waiting, "ExceedsCluster")
    standby = cluster.rig.start_scheduler(("--control", addresses[1]))
    name = f"{cluster.default_namespace}/{waiting.driver_name}"

    def ask(verb: str, address: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return cluster.rig.cli(verb, *arguments, "--control", address)

    eventually(lambda: "asked a standby" in ask("gangs", addresses[1]).stderr, 20, "the standby's word")
    for verb, arguments, code in (("gangs", (), 0), ("why", (name,), 4)):
        told = ask(verb, addresses[1], *arguments)
        assert told.returncode == code and " leads: this is what the API server shows" in told.stderr, told
        assert "ExceedsCluster" in told.stdout and "WaitingForConf" not in told.stdout, told.stdout
        first_hand = ask(verb, addresses[0], *arguments)
        assert first_hand.returncode == code and not first_hand.stderr, first_hand
        assert "ExceedsCluster" in first_hand.stdout
    queues = ask("queues", addresses[1], "-o", "json")
    assert queues.returncode == 0 and " leads: this is what the API server shows" in queues.stderr, queues
    (queue,) = json.loads(queues.stdout)["queues"]
    assert queue["waiting"] is None and queue["head"] is None and queue["headExpectedStartMs"] is None, queue
    assert ask("queues", addresses[1]).stdout.splitlines()[1].split()[-2:] == ["?", "?"]
    assert json.loads(ask("queues", addresses[0], "-o", "json").stdout)["queues"][0]["waiting"] == 0
    ledger = ask("ledger", addresses[1])
    assert ledger.returncode == 0 and " leads: this is what the standby itself counts" in ledger.stderr, ledger
    assert not ask("ledger", addresses[0]).stderr
    assert standby.terminate() == 0, standby.output()
    assert leader.terminate() == 0, leader.output()


def test_an_application_is_found_by_its_name(cluster: Cluster) -> None:
    """spark.app.name, as Spark writes it into a label: with the daemon, without it, and where two are called alike."""
    (port,) = free_ports(1)
    control = f"127.0.0.1:{port}"
    cluster.add_nodes(1)
    cluster.start_scheduler("--leader-elect=false", "--control", control)
    first = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(first, "ExceedsCluster")
    cluster.api.patch(first.driver_path, {"metadata": {"labels": {"spark-app-name": "nightly-sales"}}})

    def ask(verb: str, name: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return cluster.rig.cli(verb, name, "-n", cluster.default_namespace, *arguments)

    by_daemon = ("--control", control)
    eventually(lambda: json.loads(ask("why", "nightly-sales", "-o", "json", *by_daemon).stdout)["source"] == "daemon",
               10, "the daemon to know the name")
    for where in (by_daemon, ("--control", "none")):
        told = ask("why", "nightly-sales", *where)
        assert told.returncode == 4 and ", called nightly-sales" in told.stdout, told
        wide = cluster.rig.cli("gangs", "-o", "wide", "-n", cluster.default_namespace, *where).stdout.splitlines()
        assert wide[0].split()[-1] == "NAME" and wide[1].split()[-1] == "nightly-sales", wide
    assert "driver created" in ask("timeline", "nightly-sales").stdout
    slip = ask("timeline", "nightly-salse")
    assert slip.returncode == 1 and 'did you mean "nightly-sales"?' in slip.stderr, slip

    second = cluster.submit(sized(Size(executors=60), cluster.default_namespace))
    cluster.wait_code(second, "ExceedsCluster")
    cluster.api.patch(second.driver_path, {"metadata": {"labels": {"spark-app-name": "nightly-sales"}}})
    eventually(lambda: "names several" in ask("why", "nightly-sales", *by_daemon).stderr, 10, "the ambiguity to be told")
    assert "names several" in ask("timeline", "nightly-sales").stderr


def test_a_closed_pipe_is_the_end_without_a_word(tmp_path: Path) -> None:
    for arguments in (["man"], ["help"], ["completion", "bash"]):
        result = subprocess.run(["bash", "-c", f"set -o pipefail; {binary()} {' '.join(arguments)} | head -c 0; sleep 0.1"],
                                capture_output=True, text=True, timeout=20)
        assert not result.stderr, (arguments, result.stderr)


def test_gangs_as_kubectl_users_type_it(cluster: Cluster, tmp_path: Path) -> None:
    """-A, the context's namespace, -o yaml and name, pod/NAME; -w prints what changes."""
    cluster.add_nodes(1)
    cluster.start_scheduler()
    running = sized(Size(executors=2), cluster.default_namespace)
    running.work_seconds = 3
    cluster.submit(running)
    eventually(lambda: cluster.is_whole(running), 15, "two executors")
    waiting = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(waiting, "ExceedsCluster")
    config = yaml.safe_load(cluster.rig.kubeconfig.read_text())
    chosen = next(one for one in config["contexts"] if one["name"] == config["current-context"])
    files = {}
    for namespace in (cluster.default_namespace, "kube-public"):
        chosen["context"]["namespace"] = namespace
        files[namespace] = tmp_path / namespace
        files[namespace].write_text(yaml.safe_dump(config))

    def ask(namespace: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return run(*arguments, "--control", "none", "--kubeconfig", str(files[namespace]))

    watch = subprocess.Popen([str(binary()), "gangs", "-w", "--control", "none", "--kubeconfig",
                              str(files[cluster.default_namespace])], stdout=subprocess.PIPE, text=True)
    assert watch.stdout is not None
    first = [watch.stdout.readline() for _ in range(3)]
    assert first[0].startswith("NAMESPACE") and "ExceedsCluster" in "".join(first)

    assert waiting.driver_name in ask(cluster.default_namespace, "gangs", "-o", "name").stdout
    elsewhere = ask("kube-public", "gangs")
    assert elsewhere.stdout == "No gangs in namespace kube-public; -A looks in all.\n", elsewhere
    assert f"pod/{waiting.driver_name}\n" in ask("kube-public", "gangs", "-A", "-o", "name").stdout
    listed = yaml.safe_load(ask("kube-public", "gangs", "-n", cluster.default_namespace, "-o", "yaml").stdout)
    assert waiting.driver_name in {gang["driver"] for gang in listed["gangs"]}
    told = ask("kube-public", "why", f"pod/{waiting.driver_name}", "-o", "yaml")
    assert told.returncode == 4 and yaml.safe_load(told.stdout)["code"] == "ExceedsCluster", told
    assert ask("kube-public", "why", waiting.driver_name, "-n", "kube-public").returncode == 1
    assert ask("kube-public", "timeline", f"pod/{waiting.driver_name}").returncode == 0

    cluster.wait_finished(running)
    ended = watch.stdout.readline()
    watch.kill()
    watch.wait()
    assert running.driver_name[:20] in ended and "Ended" in ended, ended


def test_bash_completes_verbs_flags_values_and_gangs(cluster: Cluster) -> None:
    cluster.add_nodes(1)
    cluster.start_scheduler()
    waiting = cluster.submit(sized(Size(executors=50), cluster.default_namespace))
    cluster.wait_code(waiting, "ExceedsCluster")
    environment = {"PATH": f"{binary().parent}:/usr/bin:/bin", "KUBECONFIG": str(cluster.rig.kubeconfig)}

    def complete(*words: str) -> list[str]:
        line = " ".join(f"'{word}'" for word in words)
        script = (f"source <(gang-scheduler completion bash); COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; "
                  "compopt() { :; }; _gang_scheduler; printf '%s\\n' \"${COMPREPLY[@]}\"")
        result = subprocess.run(["bash", "-u", "-c", script], capture_output=True, text=True, timeout=20,
                                env=environment)
        assert result.returncode == 0 and not result.stderr, result
        return result.stdout.split()

    program = "gang-scheduler"
    assert complete(program, "g") == ["gangs"]
    assert "--kubeconfig" in complete(program, "gangs", "--k")
    assert complete(program, "gangs", "-o", "") == ["table", "json", "wide", "yaml", "name", "jsonpath="]
    assert complete(program, "gangs", "--output", "y") == ["yaml"]
    assert complete(program, "check-config", "/etc/hostn") == ["/etc/hostname"]
    assert waiting.driver_name in complete(program, "why", waiting.driver_name[:4])
    assert complete(program, "why", "--wai") == ["--wait"]

"""Random applications: a conf, perhaps an executor pod template, a language. The seed says it all."""
import random
from dataclasses import dataclass
from typing import Optional

from templates import random_template

LANGUAGES = ("jvm", "jvm", "python", "python", "r")


@dataclass(frozen=True)
class Case:
    """One application to submit to one line of Spark."""

    line: str
    seed: int
    conf: dict[str, str]
    template: Optional[str] = None
    language: str = "jvm"

    @property
    def name(self) -> str:
        return f"case-{self.seed}"

    @property
    def expected(self) -> int:
        """Executors at the start, so that nobody waits longer than needed; exactness is not needed."""
        conf = self.conf
        try:
            if conf.get("spark.kubernetes.allocation.pods.allocator", "direct") != "direct":
                return 1  # the set
            if conf.get("spark.dynamicAllocation.enabled") != "true":
                return int(conf.get("spark.executor.instances", "2"))
            return max(int(conf.get(key, "0")) for key in (
                "spark.dynamicAllocation.minExecutors", "spark.dynamicAllocation.initialExecutors",
                "spark.executor.instances"))
        except ValueError:
            return 2


def random_case(line: str, seed: int) -> Case:
    chance = random.Random(f"{line}/{seed}")
    conf: dict[str, str] = {}
    language = chance.choice(LANGUAGES)
    for make in (_memory, _overhead, _off_heap, _cpu, _devices, _count, _places, _names, _volumes, _others,
                 _oddities):
        make(chance, conf)
    template = None
    if chance.random() < 0.45:
        template, name = random_template(chance)
        if name and chance.random() < 0.7:
            conf["spark.kubernetes.executor.podTemplateContainerName"] = name
    return Case(line, seed, conf, template, language)


def _size(chance: random.Random, low_mib: int, high_mib: int) -> str:
    """A size in one of the forms that Spark reads."""
    mib = chance.randint(low_mib, high_mib)
    gib = max(1, mib // 1024)
    return chance.choice((f"{mib}m", f"{mib}M", f"{mib}mb", f"{gib}g", f"{gib}G", f"{gib}gb",
                          f"{mib * 1024 + chance.randint(0, 1023)}k", f"{mib}MB", f" {mib}m "))


def _memory(chance: random.Random, conf: dict[str, str]) -> None:
    if chance.random() < 0.75:
        conf["spark.executor.memory"] = _size(chance, 460, 40_000)
    if chance.random() < 0.3:
        conf["spark.executor.pyspark.memory"] = chance.choice((_size(chance, 1, 5000), "300", "2048"))
    if chance.random() < 0.1:
        conf["spark.driver.memory"] = _size(chance, 512, 2000)


def _overhead(chance: random.Random, conf: dict[str, str]) -> None:
    if chance.random() < 0.25:
        conf["spark.executor.memoryOverhead"] = chance.choice((_size(chance, 1, 9000), "777", "1", "2g"))
    if chance.random() < 0.3:
        conf["spark.executor.memoryOverheadFactor"] = _factor(chance)
    if chance.random() < 0.25:
        conf["spark.kubernetes.memoryOverheadFactor"] = _factor(chance)
    if chance.random() < 0.1:
        conf["spark.driver.memoryOverheadFactor"] = _factor(chance)
    if chance.random() < 0.25:
        conf["spark.executor.minMemoryOverhead"] = chance.choice((_size(chance, 1, 3000), "500"))


def _factor(chance: random.Random) -> str:
    return chance.choice((f"{chance.uniform(0.01, 1.5):.{chance.randint(1, 17)}f}", "0.57", "1", "1e-1",
                          ".25", "2.", "+0.3", "0.35d", "1.0E-4"))


def _off_heap(chance: random.Random, conf: dict[str, str]) -> None:
    if chance.random() < 0.25:
        conf["spark.memory.offHeap.enabled"] = chance.choice(("true", "true", "TRUE", "false"))
        conf["spark.memory.offHeap.size"] = chance.choice(
            (_size(chance, 1, 9000), str(chance.randint(1 << 20, 1 << 33)), "1073741823"))


def _cpu(chance: random.Random, conf: dict[str, str]) -> None:
    if chance.random() < 0.5:
        conf["spark.executor.cores"] = str(chance.randint(1, 16))
    if chance.random() < 0.35:
        conf["spark.kubernetes.executor.request.cores"] = chance.choice(
            ("500m", "0.1", "1.5", "2", "100m", "250000u", "3.25", "1e0", "0.5", "0.0015"))
    if chance.random() < 0.25:
        conf["spark.kubernetes.executor.limit.cores"] = chance.choice(("16", "17", "20000m"))


def _devices(chance: random.Random, conf: dict[str, str]) -> None:
    for name, vendor in (("gpu", chance.choice(("nvidia.com", "amd.com"))), ("fpga", "xilinx.com")):
        if chance.random() < 0.12:
            conf[f"spark.executor.resource.{name}.amount"] = str(chance.choice((1, 2, 4, 8)))
            conf[f"spark.executor.resource.{name}.vendor"] = vendor
            conf[f"spark.executor.resource.{name}.discoveryScript"] = "/opt/find"
            if chance.random() < 0.3:
                conf[f"spark.task.resource.{name}.amount"] = "1"
            if chance.random() < 0.1:
                conf[f"spark.driver.resource.{name}.vendor"] = vendor


def _count(chance: random.Random, conf: dict[str, str]) -> None:
    if chance.random() < 0.7:
        conf["spark.executor.instances"] = str(chance.choice((1, 2, 3, 4, 5, 6, 7, 9, 12)))
    if chance.random() < 0.25:
        conf["spark.dynamicAllocation.enabled"] = chance.choice(("true", "true", "True"))
        conf["spark.dynamicAllocation.shuffleTracking.enabled"] = "true"
        low = chance.randint(0, 4)
        if chance.random() < 0.6:
            conf["spark.dynamicAllocation.minExecutors"] = str(low)
        if chance.random() < 0.6:
            conf["spark.dynamicAllocation.initialExecutors"] = str(low + chance.randint(0, 3))
        if chance.random() < 0.7:
            conf["spark.dynamicAllocation.maxExecutors"] = str(chance.choice((12, 15, 40)))
        if chance.random() < 0.2:
            conf["spark.dynamicAllocation.executorAllocationRatio"] = "0.5"
    elif chance.random() < 0.08:
        conf["spark.kubernetes.allocation.pods.allocator"] = "statefulset"
    if chance.random() < 0.3:
        conf["spark.kubernetes.allocation.batch.size"] = str(chance.randint(1, 20))
    if chance.random() < 0.1:
        conf["spark.kubernetes.allocation.maxPendingPods"] = "30"


def _places(chance: random.Random, conf: dict[str, str]) -> None:
    keys = ("disk", "topology.kubernetes.io/zone", "pool", "example.com/kind")
    for prefix in ("spark.kubernetes.node.selector.", "spark.kubernetes.executor.node.selector.",
                   "spark.kubernetes.driver.node.selector."):
        if chance.random() < 0.2:
            for key in chance.sample(keys, chance.randint(1, 2)):
                conf[prefix + key] = chance.choice(("ssd", "a", "true", "x-1", "2"))


def _names(chance: random.Random, conf: dict[str, str]) -> None:
    if chance.random() < 0.7:
        conf["spark.kubernetes.scheduler.name"] = "gang-scheduler"
    if chance.random() < 0.15:
        conf["spark.kubernetes.executor.scheduler.name"] = chance.choice(("gang-scheduler", "another"))
    if chance.random() < 0.15:
        conf["spark.kubernetes.driver.scheduler.name"] = chance.choice(("gang-scheduler", "another"))
    if chance.random() < 0.2:
        conf["spark.kubernetes.executor.podNamePrefix"] = f"exec-{chance.randint(0, 99)}"
    for role in ("driver", "executor"):
        if chance.random() < 0.2:
            conf[f"spark.kubernetes.{role}.label.team"] = chance.choice(("etl", "ml"))
        if chance.random() < 0.1:
            conf[f"spark.kubernetes.{role}.annotation.example.com/app"] = "{{APP_ID}}"
    if chance.random() < 0.05:
        conf["spark.kubernetes.executor.label.example.com/app"] = "{{APP_ID}}"


def _volumes(chance: random.Random, conf: dict[str, str]) -> None:
    for number in range(chance.choice((0, 0, 0, 1, 1, 2))):
        kind = chance.choice(("persistentVolumeClaim", "persistentVolumeClaim", "hostPath", "emptyDir", "nfs"))
        name = chance.choice((f"data{number}", f"spark-local-dir-{number + 1}"))
        for role in chance.choice((("executor",), ("executor",), ("driver", "executor"))):
            prefix = f"spark.kubernetes.{role}.volumes.{kind}.{name}"
            conf[f"{prefix}.mount.path"] = f"/mnt/{number}"
            for option, value in _options(chance, kind, role, number).items():
                conf[f"{prefix}.options.{option}"] = value


def _options(chance: random.Random, kind: str, role: str, number: int) -> dict[str, str]:
    if kind == "hostPath":
        return {"path": "/data"}
    if kind == "nfs":
        return {"server": "nfs.example.com", "path": "/export"}
    if kind == "emptyDir":
        return chance.choice(({}, {"sizeLimit": "5Gi"}, {"medium": "Memory", "sizeLimit": "1Gi"}))
    claim = chance.choice(("OnDemand", "OnDemand", "shared", f"scratch{number}-SPARK_EXECUTOR_ID"))
    if role == "driver" and claim.endswith("ID"):
        claim = "scratch-driver"
    more: dict[str, str] = {}
    if claim != "shared":
        more["storageClass"] = chance.choice(("fast", "standard"))
        more["sizeLimit"] = chance.choice(("10Gi", "500M"))
    return {"claimName": claim, **more}


def _others(chance: random.Random, conf: dict[str, str]) -> None:
    """What should change nothing about the executors' size and place."""
    some = {
        "spark.decommission.enabled": "true",
        "spark.kubernetes.local.dirs.tmpfs": "true",
        "spark.blockManager.port": chance.choice(("0", "7999")),
        "spark.kubernetes.executor.disableConfigMap": "true",
        "spark.kubernetes.executor.deleteOnTermination": "false",
        "spark.kubernetes.executor.useDriverPodIP": chance.choice(("true", "false")),
        "spark.kubernetes.driver.limit.cores": "2",
        "spark.kubernetes.driver.request.cores": "300m",
        "spark.executorEnv.COLOUR": "blue=green # not a comment ! \\ \u00e9",
        "spark.executor.extraJavaOptions": "-Dkey=\"a b\" -XX:+UseG1GC",
        "spark.kubernetes.executor.checkAllContainers": "true",
        "spark.task.maxFailures": "5",
        "spark.app.note": "a=b:c #d",
        "spark.kubernetes.legacy.useReadWriteOnceAccessMode": "true",
        "spark.kubernetes.authenticate.executor.serviceAccountName": "default",
        "spark.authenticate": "true",
        "spark.memory.fraction": "0.5",
    }
    for key, value in some.items():
        if chance.random() < 0.07:
            conf[key] = value


def _oddities(chance: random.Random, conf: dict[str, str]) -> None:
    """What users write by mistake, from old habits, or as nobody expects."""
    if chance.random() > 0.2:
        return
    conf.update(chance.choice((
        {"spark.executor.memory": "1.5g"}, {"spark.executor.memory": "4Gi"},
        {"spark.executor.memory": "1536"}, {"spark.executor.memory": "300m"},
        {"spark.executor.memory": "2g;rm"}, {"spark.executor.memory": "0x10"},
        {"spark.executor.memory": "-1g"}, {"spark.executor.memory": "1 g"},
        {"spark.executor.memory": "9223372036854775807g"}, {"spark.executor.memory": "1048576k"},
        {"spark.executor.memory": "3000000000"}, {"spark.executor.memory": "2147483648b"},
        {"spark.executor.memoryOverhead": "0"}, {"spark.executor.memoryOverhead": "-100m"},
        {"spark.executor.memoryOverhead": "1e3"}, {"spark.executor.memoryOverhead": "0m"},
        {"spark.executor.minMemoryOverhead": "0"}, {"spark.executor.minMemoryOverhead": "-5"},
        {"spark.executor.memoryOverheadFactor": "0"}, {"spark.executor.memoryOverheadFactor": "-0.1"},
        {"spark.executor.memoryOverheadFactor": "1e400"}, {"spark.executor.memoryOverheadFactor": "NaN"},
        {"spark.executor.memoryOverheadFactor": "0x1p-2"}, {"spark.executor.memoryOverheadFactor": "1,5"},
        {"spark.kubernetes.memoryOverheadFactor": "0"}, {"spark.kubernetes.memoryOverheadFactor": "0.0"},
        {"spark.kubernetes.memoryOverheadFactor": "Infinity"},
        {"spark.executor.cores": "0.5"}, {"spark.executor.cores": "0"}, {"spark.executor.cores": "+2"},
        {"spark.executor.cores": " 3 "}, {"spark.executor.cores": "-1"},
        {"spark.kubernetes.executor.request.cores": "0"}, {"spark.kubernetes.executor.request.cores": "2x"},
        {"spark.kubernetes.executor.request.cores": "1Ki"}, {"spark.kubernetes.executor.request.cores": "-1"},
        {"spark.kubernetes.executor.request.cores": " 2 "}, {"spark.kubernetes.executor.request.cores": "2k"},
        {"spark.kubernetes.executor.limit.cores": "10m"}, {"spark.kubernetes.executor.limit.cores": "x"},
        {"spark.executor.instances": "0"}, {"spark.executor.instances": "-3"},
        {"spark.executor.instances": "3.0"}, {"spark.executor.instances": " 4 "},
        {"spark.executor.instances": "+3"}, {"spark.executor.instances": "99999999999"},
        {"spark.dynamicAllocation.enabled": "yes"}, {"spark.dynamicAllocation.enabled": ""},
        {"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.minExecutors": "5",
         "spark.dynamicAllocation.maxExecutors": "3"},
        {"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.initialExecutors": "50",
         "spark.dynamicAllocation.maxExecutors": "20"},
        {"spark.dynamicAllocation.enabled": "true"},
        {"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.maxExecutors": "0"},
        {"spark.dynamicAllocation.enabled": "true", "spark.executor.instances": "0"},
        {"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.maxExecutors": "infinity"},
        {"spark.memory.offHeap.enabled": "true"},
        {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "0"},
        {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1000"},
        {"spark.memory.offHeap.enabled": "maybe"},
        {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "-1"},
        {"spark.executor.resource.gpu.amount": "1"},
        {"spark.executor.resource.gpu.amount": "0"},
        {"spark.executor.resource.gpu.amount": "0", "spark.executor.resource.gpu.vendor": "nvidia.com"},
        {"spark.executor.resource.gpu.vendor": "nvidia.com"},
        {"spark.executor.resource.gpu.amount": "1.5", "spark.executor.resource.gpu.vendor": "nvidia.com"},
        {"spark.executor.resource.a.b.amount": "1", "spark.executor.resource.a.b.vendor": "nvidia.com"},
        {"spark.executor.resource.gpu.amount": "1", "spark.executor.resource.gpu.vendor": ""},
        {"spark.task.cpus": "4"}, {"spark.task.resource.gpu.amount": "1"},
        {"spark.yarn.executor.memoryOverhead": "900"}, {"spark.unsafe.offHeap": "true"},
        {"spark.executor.instances": "${spark.case.number}", "spark.case.number": "3"},
        {"spark.executor.memoryOverhead": "${spark.case.size}", "spark.case.size": "600m"},
        {"spark.kubernetes.executor.request.cores": "${spark.case.cpu}", "spark.case.cpu": "750m"},
        {"spark.kubernetes.driver.master": "local[2]"}, {"spark.kubernetes.driver.master": "local"},
        {"spark.kubernetes.executor.scheduler.name": ""}, {"spark.kubernetes.scheduler.name": ""},
        {"spark.kubernetes.executor.volumes.emptyDir.a.options.sizeLimit": "1Gi"},
        {"spark.kubernetes.executor.volumes.unknown.a.mount.path": "/a"},
        {"spark.kubernetes.executor.volumes.persistentVolumeClaim.a.mount.path": "/a"},
        {"spark.kubernetes.executor.volumes.emptyDir.a.mount.path": "/a",
         "spark.kubernetes.executor.volumes.emptyDir.a.options.sizeLimit": "5"},
        {"spark.kubernetes.executor.label.spark-role": "driver"},
        {"spark.kubernetes.executor.podNamePrefix": "Not_a_name"},
        {"spark.kubernetes.allocation.batch.size": "0"},
        {"spark.kubernetes.allocation.pods.allocator": "deployment"},
        {"spark.dynamicAllocation.enabled": "true", "spark.dynamicAllocation.shuffleTracking.enabled": "false"},
        {"spark.dynamicAllocation.enabled": "true", "spark.shuffle.service.enabled": "true",
         "spark.dynamicAllocation.shuffleTracking.enabled": "false"},
        {"spark.task.resource.gpu.amount": "2", "spark.executor.resource.gpu.amount": "1",
         "spark.executor.resource.gpu.vendor": "nvidia.com"},
        {"spark.task.resource.gpu.amount": "0.25", "spark.executor.resource.gpu.amount": "1",
         "spark.executor.resource.gpu.vendor": "nvidia.com"},
        {"spark.executor.pyspark.memory": "1.5g"}, {"spark.executor.pyspark.memory": "-1"},
        {"spark.executor.pyspark.memory": "0"}, {"spark.executor.pyspark.memory": ""},
        {"spark.executor.memory": ""}, {"spark.executor.cores": ""},
        {"spark.executor.memory": "2\u00a0g"}, {"spark.executor.memory": "1e3m"},
        {"spark.memory.offHeap.size": "abc"}, {"spark.memory.offHeap.enabled": ""},
        {"spark.kubernetes.executor.label.team": "not a value!"},
        {"spark.kubernetes.executor.label.-bad": "x"},
        {"spark.kubernetes.executor.node.selector.disk": "not valid!"},
        {"spark.kubernetes.node.selector.": "empty"},
        {"spark.blockManager.port": "80"}, {"spark.blockManager.port": "70000"},
        {"spark.executor.resource.gpu.amount": "3", "spark.executor.resource.gpu.vendor": "not valid!"},
        {"spark.kubernetes.executor.scheduler.name": "Not Valid"},
        {"spark.executor.memoryOverheadFactor": "1e308"}, {"spark.executor.memoryOverheadFactor": "1e-400"},
        {"spark.kubernetes.executor.request.cores": ""}, {"spark.kubernetes.executor.request.cores": "1e19"},
        {"spark.kubernetes.executor.limit.cores": ""},
        {"spark.executor.cores": "${spark.case.number}", "spark.case.number": "2"},
        {"spark.memory.offHeap.size": "${spark.executor.memory}", "spark.executor.memory": "2g",
         "spark.memory.offHeap.enabled": "true"},
    )))

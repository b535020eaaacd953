#include "k8s/codec/pod/codec_pod.hpp"
#include "k8s/codec/pod/task_groups.hpp"

#include <doctest/doctest.h>

#include <string>

using k8s::plain_task_groups;

TEST_CASE("task groups: the JSON list becomes lines") {
    CHECK(
        plain_task_groups(R"([
            {"name": "spark-driver", "minMember": 1, "minResource": {"cpu": 1, "memory": "2Gi"},
             "nodeSelector": {}, "tolerations": [], "affinity": {}},
            {"name": "spark-executor", "minMember": 2,
             "minResource": {"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": "1"},
             "nodeSelector": {"disk": "ssd", "a": ""},
             "tolerations": [{"key": "dedicated", "value": "spark", "effect": "NoSchedule"},
                             {"operator": "Exists"}],
             "affinity": {"nodeAffinity": {"x": 1}}, "topologySpreadConstraints": [{}]}])") ==
        "task groups\n"
        "group spark-driver 1\n"
        "request cpu 1000m\n"
        "request memory 2147483648\n"
        "group spark-executor 2\n"
        "request cpu 500m\n"
        "request memory 1073741824\n"
        "request nvidia.com/gpu 1\n"
        "select a \n"
        "select disk ssd\n"
        "tolerate dedicated Equal spark NoSchedule\n"
        "tolerate  Exists  \n"
        "unread affinity\n"
        "unread topologySpreadConstraints\n");
    CHECK(plain_task_groups("[]") == "task groups\n");
}

TEST_CASE("task groups: lines stay as they are") {
    const std::string lines = plain_task_groups(R"([{"name": "a", "minMember": 3}])");
    CHECK(plain_task_groups(lines) == lines);
}

TEST_CASE("task groups: what is no such list is one line that says why") {
    const auto error = [](const std::string& json) {
        const std::string lines = plain_task_groups(json);
        CHECK(lines.starts_with("task groups\nerror "));
        CHECK(lines.size() < 300);
        return lines;
    };
    error("");
    error("{}");
    error("[1]");
    error("[{\"name\": 1}]");
    error("[{\"name\": \"a\", \"minMember\": \"two\"}]");
    error("[{\"name\": \"a\", \"minMember\": 1e400}]");
    error("[{\"name\": \"a\", \"minResource\": {\"cpu\": \"-1\"}}]");
    error("[{\"name\": \"a b\"}]");
    error("[{\"name\": \"a\\ngroup b 1\"}]");
    error("[{\"name\": \"a\", \"nodeSelector\": {\"x\": \"1\\nerror\"}}]");
    error(std::string(200'000, '['));
    error(std::string(200'000, 'x'));
    std::string many = "[";
    for (int i = 0; i < 101; ++i) many += (i == 0 ? "{}" : ",{}");
    CHECK(error(many + "]").find("more than 100") != std::string::npos);
}

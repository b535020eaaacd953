#include "tests/bench/load/report.hpp"

#include "k8s/json/json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sys/resource.h>
#include <vector>

namespace load {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

/// The nearest-rank quantile; 0 of nothing.
std::int64_t quantile(const std::vector<std::int64_t>& sorted, double share) {
    if (sorted.empty()) return 0;
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void write_sent(Writer& json, const Sent& sent) {
    auto sorted = sent.latencies_us;
    std::sort(sorted.begin(), sorted.end());
    json.Key("requests");
    json.Uint64(sorted.size());
    json.Key("first_us");
    json.Int64(sent.first_us);
    json.Key("last_us");
    json.Int64(sent.last_us);
    json.Key("latency_us");
    json.StartObject();
    for (const auto& [name, share] :
         {std::pair("p50", 0.5),
          std::pair("p90", 0.9),
          std::pair("p99", 0.99),
          std::pair("max", 1.0)}) {
        json.Key(name);
        json.Int64(quantile(sorted, share));
    }
    json.EndObject();
    json.Key("statuses");
    json.StartObject();
    for (const auto& [status, count] : sent.statuses) {
        json.Key(std::to_string(status).c_str());
        json.Uint64(count);
    }
    json.EndObject();
    json.Key("refusal");
    json.String(sent.refusal);
}

void write_bound(Writer& json, const std::map<std::string, SeenPod>& pods) {
    std::uint64_t bound = 0;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = 0;
    for (const auto& [name, pod] : pods) {
        if (pod.bound_us == 0) continue;
        ++bound;
        first = std::min(first, pod.bound_us);
        last = std::max(last, pod.bound_us);
    }
    json.Key("bound");
    json.Uint64(bound);
    json.Key("first_bound_us");
    json.Int64(bound == 0 ? 0 : first);
    json.Key("last_bound_us");
    json.Int64(last);
}

}  // namespace

std::string to_json(const Sent& sent, const std::map<std::string, SeenPod>& pods, bool all_pods) {
    rapidjson::StringBuffer text;
    Writer json(text);
    json.StartObject();
    write_sent(json, sent);
    write_bound(json, pods);
    json.Key("cpu_s");
    json.Double(cpu_seconds());
    if (all_pods) {
        json.Key("pods");
        json.StartArray();
        for (const auto& [name, pod] : pods) {
            json.StartArray();
            json.String(name);
            json.Int64(pod.seen_us);
            json.Int64(pod.bound_us);
            json.String(pod.node);
            json.EndArray();
        }
        json.EndArray();
    }
    json.EndObject();
    return text.GetString();
}

}  // namespace load

#pragma once
// What the edge hands to the scheduler about one Spark application: the allow-listed properties of
// its driver's config map, and the executor template in typed form. Nothing else of the config map
// is kept, for users pass secrets as conf (spark.properties is read, filtered and dropped).

#include "core/pod.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gang::spark {

/// The executor pod template, as far as scheduling sees it. `*_json` members are the template's own
/// subtrees as compact JSON, carried along unread so that `size` can print them.
struct ExecutorTemplate {
    core::PodRequests requests;
    core::Constraints constraints;
    std::string scheduler_name;
    std::string priority_class_name;
    std::string runtime_class_name;
    std::string affinity_json;
    std::string topology_spread_json;
    friend bool operator==(const ExecutorTemplate&, const ExecutorTemplate&) = default;
};

struct Conf {
    core::StringMap properties;  ///< only keys that is_relevant() accepts
    std::string spark_version;   ///< label spark-version of the driver, empty before Spark 3.3
    std::optional<ExecutorTemplate> executor_template;
    friend bool operator==(const Conf&, const Conf&) = default;
};

}  // namespace gang::spark

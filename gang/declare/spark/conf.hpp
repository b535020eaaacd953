#pragma once
// What the edge hands to the scheduler about one Spark application: the allow-listed properties of
// its driver's config map, and the executor template in typed form. Nothing else of the config map
// is kept, for users pass secrets as conf (spark.properties is read, filtered and dropped).

#include "core/value/pod_template.hpp"

#include <optional>
#include <string>

namespace gang::spark {

struct Conf {
    core::StringMap properties;  ///< only keys that is_relevant() accepts
    std::string spark_version;   ///< label spark-version of the driver, empty before Spark 3.3
    std::optional<core::PodTemplate> executor_template;
    friend bool operator==(const Conf&, const Conf&) = default;
};

}  // namespace gang::spark

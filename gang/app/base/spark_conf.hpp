#pragma once
// From the texts in a driver's config maps to the conf that sizing reads: the one place where the
// properties reader, the template codec and the scheduler's own types meet.

#include "core/base/result.hpp"
#include "gang/declare/spark/conf.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gang::app {

struct SparkTexts {
    std::string spark_version;    ///< label spark-version of the driver, or empty
    std::string_view properties;  ///< spark.properties
    std::optional<std::string_view> executor_template;
};

/// An error (not what Spark writes, template not YAML, ...) is final for this config map; its text
/// shows no values of the conf but those of keys that sizing reads.
core::Result<spark::Conf> make_spark_conf(const SparkTexts& texts);

}  // namespace gang::app

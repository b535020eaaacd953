#include "gang/app/spark_conf.hpp"

#include "gang/spark/properties.hpp"
#include "k8s/codec_executor_template.hpp"

#include <utility>

namespace gang::app {
namespace {

spark::ExecutorTemplate copied(k8s::ExecutorTemplate from) {
    return {
        std::move(from.requests),
        std::move(from.constraints),
        std::move(from.scheduler_name),
        std::move(from.priority_class_name),
        std::move(from.runtime_class_name),
        std::move(from.affinity_json),
        std::move(from.topology_spread_json)};
}

}  // namespace

core::Result<spark::Conf> make_spark_conf(const SparkTexts& texts) {
    auto properties = spark::read_properties(texts.properties);
    if (!properties) {
        return properties.error();
    }
    spark::Conf conf;
    conf.properties = *std::move(properties);
    conf.spark_version = texts.spark_version;
    if (texts.executor_template) {
        auto read = k8s::decode_executor_template(*texts.executor_template);
        if (!read) {
            return read.error();
        }
        conf.executor_template = copied(*std::move(read));
    }
    return conf;
}

}  // namespace gang::app

#include "gang/app/base/spark_conf.hpp"

#include "gang/declare/spark/properties.hpp"
#include "k8s/codec/pod/codec_executor_template.hpp"

#include <utility>

namespace gang::app {
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
        conf.executor_template = *std::move(read);
    }
    return conf;
}

}  // namespace gang::app

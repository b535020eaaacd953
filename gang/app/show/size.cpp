#include "gang/app/show/size.hpp"

#include "config/printable.hpp"
#include "gang/app/base/files.hpp"
#include "gang/app/base/spark_conf.hpp"
#include "gang/app/show/size_report.hpp"
#include "k8s/codec/codec_manifest.hpp"

#include <iterator>
#include <ostream>
#include <utility>

namespace gang::app {
namespace {

/// Everything in all files. The error begins with the file's name.
core::Result<k8s::Manifest> read_files(const std::vector<std::string>& files) {
    k8s::Manifest all;
    for (const std::string& file : files) {
        const auto text = read_file(file, k8s::manifest_max);
        if (!text) {
            return text.error();
        }
        auto manifest = k8s::decode_manifest(*text);
        if (!manifest) {
            return core::Error{
                (file == "-" ? "standard input" : file) + ": " + manifest.error().message};
        }
        std::move(manifest->pods.begin(), manifest->pods.end(), std::back_inserter(all.pods));
        std::move(
            manifest->config_maps.begin(),
            manifest->config_maps.end(),
            std::back_inserter(all.config_maps));
    }
    return all;
}

core::Result<core::Pod> find_driver(const std::vector<core::Pod>& pods) {
    const core::Pod* driver = nullptr;
    for (const core::Pod& pod : pods) {
        if (!pod.spark_properties) {
            continue;
        }
        if (driver != nullptr) {
            return core::Error{
                "two Spark drivers, " + driver->name + " and " + pod.name + ": give one at a time"};
        }
        driver = &pod;
    }
    if (driver == nullptr) {
        return core::Error{
            "no Spark driver among " + std::to_string(pods.size()) +
            " pods: expected a container whose first argument is `driver`, with --properties-file "
            "in a mounted config map"};
    }
    if (!driver->problem.empty()) {
        return core::Error{"driver " + driver->name + ": " + driver->problem};
    }
    return *driver;
}

core::Result<std::string_view> find_text(
    const std::vector<k8s::ConfigMap>& config_maps, const core::ConfigMapKey& wanted) {
    for (const auto& config_map : config_maps) {
        if (config_map.name != wanted.config_map) {
            continue;
        }
        if (const std::string* text = core::find_value(config_map.data, wanted.key)) {
            return std::string_view(*text);
        }
        return core::Error{"config map " + wanted.config_map + " has no key " + wanted.key};
    }
    return core::Error{
        "config map " + wanted.config_map + ", which the driver mounts, is in none of the files"};
}

core::Result<spark::Conf> read_conf(const k8s::Manifest& manifest, const core::Pod& driver) {
    const auto properties = find_text(manifest.config_maps, *driver.spark_properties);
    if (!properties) {
        return properties.error();
    }
    SparkTexts texts;
    texts.properties = *properties;
    if (const std::string* version = core::find_value(driver.labels, "spark-version")) {
        texts.spark_version = *version;
    }
    if (driver.executor_template) {
        const auto text = find_text(manifest.config_maps, *driver.executor_template);
        if (!text) {
            return text.error();
        }
        texts.executor_template = *text;
    }
    return make_spark_conf(texts);
}

spark::Derivation derive_gang(
    const k8s::Manifest& manifest, const core::Pod& driver, const spark::Limits& limits) {
    const auto conf = read_conf(manifest, driver);
    if (conf) {
        return spark::derive(*conf, driver, limits);
    }
    spark::Derivation derivation;
    derivation.problem = conf.error().message;
    return derivation;
}

}  // namespace

int run_size(const SizeOptions& options, std::ostream& out, std::ostream& err) {
    if (options.files.empty()) {
        err << "size: no file given; expected -f driver.json -f configmaps.json\n";
        return 2;
    }
    const auto manifest = read_files(options.files);
    if (!manifest) {
        err << "size: " << config::printable(manifest.error().message) << "\n";
        return 1;
    }
    const auto driver = find_driver(manifest->pods);
    if (!driver) {
        err << "size: " << config::printable(driver.error().message) << "\n";
        return 1;
    }
    const SizeReport report{*driver, derive_gang(*manifest, *driver, options.limits)};
    out << (options.json ? size_as_json(report) : size_as_text(report));
    if (!report.gang.problem.empty()) {
        err << "size: driver " << config::printable(driver->name + ": " + report.gang.problem)
            << "\n";
        return 1;
    }
    return 0;
}

}  // namespace gang::app

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

/// A namespace with history has drivers that ended: they are asked for by name only.
core::Result<std::vector<core::Pod>> find_drivers(
    const std::vector<core::Pod>& pods, const std::string& wanted) {
    std::vector<core::Pod> drivers;
    std::size_t ended = 0;
    for (const core::Pod& pod : pods) {
        if (!pod.spark_properties || (!wanted.empty() && pod.name != wanted)) {
            continue;
        }
        if (wanted.empty() && core::is_terminal(pod)) {
            ++ended;
        } else {
            drivers.push_back(pod);
        }
    }
    if (!drivers.empty()) {
        return drivers;
    }
    if (ended > 0) {
        return core::Error{
            std::to_string(ended) +
            (ended == 1 ? " Spark driver has ended" : " Spark drivers have ended") +
            ", and there is no other: name one with --driver"};
    }
    return core::Error{
        "no Spark driver " + (wanted.empty() ? "" : wanted + " ") + "among " +
        std::to_string(pods.size()) +
        " pods: expected a container whose first argument is `driver`, with --properties-file "
        "in a mounted config map"};
}

core::Result<std::string_view> find_text(
    const std::vector<k8s::ConfigMap>& config_maps,
    const std::string& namespace_name,
    const core::ConfigMapKey& wanted) {
    for (const auto& config_map : config_maps) {
        // Files made by hand may leave the namespace out.
        const bool is_elsewhere = !config_map.namespace_name.empty() && !namespace_name.empty() &&
                                  config_map.namespace_name != namespace_name;
        if (config_map.name != wanted.config_map || is_elsewhere) {
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
    const auto properties =
        find_text(manifest.config_maps, driver.namespace_name, *driver.spark_properties);
    if (!properties) {
        return properties.error();
    }
    SparkTexts texts;
    texts.properties = *properties;
    if (const std::string* version = core::find_value(driver.labels, "spark-version")) {
        texts.spark_version = *version;
    }
    if (driver.executor_template) {
        const auto text =
            find_text(manifest.config_maps, driver.namespace_name, *driver.executor_template);
        if (!text) {
            return text.error();
        }
        texts.executor_template = *text;
    }
    return make_spark_conf(texts);
}

}  // namespace

spark::Derivation derive_gang(
    const k8s::Manifest& manifest, const core::Pod& driver, const spark::Limits& limits) {
    spark::Derivation gang;
    gang.problem = driver.problem;
    if (!gang.problem.empty()) {
        return gang;
    }
    const auto conf = read_conf(manifest, driver);
    if (!conf) {
        gang.problem = conf.error().message;
        return gang;
    }
    return spark::derive(*conf, driver, limits);
}

int run_size(const SizeOptions& options, std::ostream& out, std::ostream& err) {
    const auto fail = [&err](const std::string& text) {
        err << "gang-scheduler size: " << config::printable(text) << "\n";
    };
    if (options.files.empty()) {
        fail("no file given; expected -f driver.json -f configmaps.json");
        return 2;
    }
    const auto manifest = read_files(options.files);
    if (!manifest) {
        fail(manifest.error().message);
        return 1;
    }
    const auto drivers = find_drivers(manifest->pods, options.driver);
    if (!drivers) {
        fail(drivers.error().message);
        return 1;
    }
    std::vector<SizeReport> reports;
    for (const core::Pod& driver : *drivers) {
        reports.push_back({driver, derive_gang(*manifest, driver, options.limits)});
    }
    out << (options.json ? size_as_json(reports) : size_as_text(reports));
    int code = 0;
    for (const SizeReport& report : reports) {
        if (!report.gang.problem.empty()) {
            fail("driver " + report.driver.name + ": " + report.gang.problem);
            code = 1;
        }
    }
    return code;
}

}  // namespace gang::app

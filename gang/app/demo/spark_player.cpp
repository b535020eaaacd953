#include "gang/app/demo/spark_player.hpp"

#include "core/value/quantity.hpp"
#include "gang/app/demo/spark_pace.hpp"
#include "gang/app/show/size_report.hpp"
#include "k8s/codec/codec_manifest.hpp"
#include "k8s/embedded/http/api_server.hpp"
#include "k8s/embedded/store/json_value.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

namespace asio = boost::asio;
using k8s::embedded::Json;

constexpr std::string_view driver_suffix = "-driver";

Json map_of(const core::StringMap& map) {
    Json out{Json::Object()};
    for (const auto& [key, value] : map) {
        out.set(key, value);
    }
    return out;
}

Json requests_of(const core::Resources& resources) {
    Json out{Json::Object()};
    out.set("cpu", core::format_cpu(resources.cpu_milli));
    out.set("memory", std::to_string(resources.memory_bytes));
    if (resources.ephemeral_bytes > 0) {
        out.set("ephemeral-storage", std::to_string(resources.ephemeral_bytes));
    }
    for (const core::ExtendedResource& extended : resources.extended) {
        if (extended.name.find('/') != std::string::npos) {
            out.set(extended.name, std::to_string(extended.amount));
        }
    }
    return out;
}

std::string effect_of(core::TaintEffect effect) {
    switch (effect) {
        case core::TaintEffect::prefer_no_schedule:
            return "PreferNoSchedule";
        case core::TaintEffect::no_execute:
            return "NoExecute";
        case core::TaintEffect::no_schedule:
            break;
    }
    return "NoSchedule";
}

Json tolerations_of(const std::vector<core::Toleration>& tolerations) {
    Json::Array out;
    for (const core::Toleration& toleration : tolerations) {
        Json one{Json::Object()};
        if (!toleration.key.empty()) {
            one.set("key", toleration.key);
        }
        one.set("operator", toleration.exists ? "Exists" : "Equal");
        if (!toleration.exists) {
            one.set("value", toleration.value);
        }
        if (!toleration.any_effect) {
            one.set("effect", effect_of(toleration.effect));
        }
        out.push_back(std::move(one));
    }
    return out;
}

/// Of one driver: all its executors' shapes, each as often as it is wanted at first.
struct Application {
    std::string namespace_name;
    std::string stem;  ///< of the executors' names
    Json owner;
    std::string image;
    std::string application_id;
    std::vector<const spark::ExecutorShape*> wanted;
    spark::Derivation gang;
    std::size_t made = 0;
};

Json executor_of(const Application& app, const spark::ExecutorShape& shape, std::size_t id) {
    Json labels = map_of(shape.labels);
    labels.set("spark-role", "executor");
    labels.set("spark-app-selector", app.application_id);
    labels.set("spark-exec-id", std::to_string(id));
    labels.set("spark-exec-resourceprofile-id", std::to_string(shape.profile));
    Json metadata{Json::Object()};
    metadata.set("name", fmt::format("{}-exec-{}", app.stem, id));
    metadata.set("namespace", app.namespace_name);
    metadata.set("labels", std::move(labels));
    metadata.set("ownerReferences", Json::Array{app.owner});
    Json resources{Json::Object()};
    resources.set("requests", requests_of(shape.requests));
    Json container{Json::Object()};
    container.set("name", "spark-kubernetes-executor");
    container.set("image", app.image);
    container.set("resources", std::move(resources));
    Json spec{Json::Object()};
    spec.set("restartPolicy", "Never");
    spec.set("schedulerName", shape.scheduler_name);
    spec.set("nodeSelector", map_of(shape.constraints.node_selector));
    spec.set("tolerations", tolerations_of(shape.constraints.tolerations));
    if (auto affinity = Json::parse(shape.affinity_json); affinity && affinity->is_object()) {
        spec.set("affinity", *std::move(affinity));
    }
    if (!shape.priority_class_name.empty()) {
        spec.set("priorityClassName", shape.priority_class_name);
    }
    spec.set("containers", Json::Array{std::move(container)});
    Json pod{Json::Object()};
    pod.set("apiVersion", "v1");
    pod.set("kind", "Pod");
    pod.set("metadata", std::move(metadata));
    pod.set("spec", std::move(spec));
    return pod;
}

Json owner_of(const Json& driver) {
    Json owner{Json::Object()};
    owner.set("apiVersion", "v1");
    owner.set("kind", "Pod");
    owner.set("name", driver.text({"metadata", "name"}));
    owner.set("uid", driver.text({"metadata", "uid"}));
    owner.set("controller", true);
    return owner;
}

/// The driver and the config maps of a list in one list. What stands in a list, or comes by a watch, does not say its
/// kind.
std::string as_manifest(Json driver, const Json& maps) {
    driver.set("kind", "Pod");
    Json::Array all = {std::move(driver)};
    const Json* const items = maps.find("items");
    for (Json one : items == nullptr ? Json::Array() : items->items()) {
        one.set("kind", "ConfigMap");
        all.push_back(std::move(one));
    }
    return Json(std::move(all)).dump();
}

std::string image_of(const Json& pod) {
    const Json* containers = pod.find_path({"spec", "containers"});
    return containers == nullptr || containers->items().empty()
               ? std::string()
               : containers->items().front().text({"image"});
}

}  // namespace

struct SparkPlayer::Impl {
    Impl(
        asio::io_context& context,
        k8s::embedded::ApiServer& server,
        std::function<void(const std::string&)> sink)
        : io(context), api(server), say(std::move(sink)) {}

    std::optional<std::string> call(std::string method, std::string target, std::string body = {});
    std::optional<Application> read(const Json& driver);
    void make_batch(const std::string& uid);
    void after(std::chrono::milliseconds delay, const std::string& uid);

    asio::io_context& io;
    k8s::embedded::ApiServer& api;
    std::function<void(const std::string&)> say;
    std::map<std::string, Application> running;  ///< by the driver's uid
    std::map<std::string, asio::steady_timer> timers;
};

/// Nothing: it was refused, and that was said.
std::optional<std::string> SparkPlayer::Impl::call(
    std::string method, std::string target, std::string body) {
    k8s::embedded::Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.content_type = "application/json";
    k8s::embedded::Response response = api.handle(request);
    if (response.status < 300) {
        return std::move(response.body);
    }
    say(fmt::format("{} {}: {}", request.method, request.target, response.body));
    return std::nullopt;
}

std::optional<Application> SparkPlayer::Impl::read(const Json& driver) {
    Application app;
    app.namespace_name = driver.text({"metadata", "namespace"});
    const std::string name = driver.text({"metadata", "name"});
    const auto body =
        call("GET", fmt::format("/api/v1/namespaces/{}/configmaps", app.namespace_name));
    const auto maps = body ? Json::parse(*body) : core::Result<Json>(core::Error());
    const auto manifest =
        maps ? k8s::decode_manifest(as_manifest(driver, *maps))
             : core::Result<k8s::Manifest>(core::Error{"its config maps cannot be read"});
    if (!manifest) {
        say(fmt::format("{}/{}: no executors: {}", app.namespace_name, name, manifest.error().message));
        return std::nullopt;
    }
    if (manifest->pods.empty() || !manifest->pods.front().spark_properties) {
        return std::nullopt;  // no driver that spark-submit has made
    }
    app.gang = derive_gang(*manifest, manifest->pods.front(), spark::Limits());
    if (!app.gang.problem.empty()) {
        say(fmt::format("{}/{}: no executors: {}", app.namespace_name, name, app.gang.problem));
        return std::nullopt;
    }
    app.stem = name.ends_with(driver_suffix) ? name.substr(0, name.size() - driver_suffix.size())
                                             : name;
    app.owner = owner_of(driver);
    app.image = image_of(driver);
    app.application_id = driver.text({"metadata", "labels", "spark-app-selector"});
    return app;
}

void SparkPlayer::Impl::make_batch(const std::string& uid) {
    const auto found = running.find(uid);
    if (found == running.end()) {
        return;
    }
    Application& app = found->second;
    const std::size_t end = std::min(app.wanted.size(), app.made + executors_per_batch);
    for (; app.made < end; ++app.made) {
        const Json executor = executor_of(app, *app.wanted[app.made], app.made + 1);
        call(
            "POST",
            fmt::format("/api/v1/namespaces/{}/pods", app.namespace_name),
            executor.dump());
    }
    if (app.made < app.wanted.size()) {
        after(between_batches, uid);
    }
}

void SparkPlayer::Impl::after(std::chrono::milliseconds delay, const std::string& uid) {
    asio::steady_timer& timer = timers.try_emplace(uid, io).first->second;
    timer.expires_after(delay);
    timer.async_wait([this, uid](const boost::system::error_code& ec) {
        if (!ec) {
            make_batch(uid);
        }
    });
}

SparkPlayer::SparkPlayer(
    asio::io_context& io,
    k8s::embedded::ApiServer& api,
    std::function<void(const std::string&)> say)
    : impl_(std::make_unique<Impl>(io, api, std::move(say))) {}

SparkPlayer::~SparkPlayer() = default;

void SparkPlayer::on_running(const Json& pod) {
    if (pod.text({"metadata", "labels", "spark-role"}) != "driver") {
        return;
    }
    auto app = impl_->read(pod);
    if (!app) {
        return;
    }
    const std::string uid = pod.text({"metadata", "uid"});
    Application& kept = impl_->running.insert_or_assign(uid, *std::move(app)).first->second;
    for (const auto* shapes : {&kept.gang.executors, &kept.gang.foreign_executors}) {
        for (const spark::ExecutorShape& shape : *shapes) {
            kept.wanted.insert(kept.wanted.end(), static_cast<std::size_t>(shape.count), &shape);
        }
    }
    impl_->after(before_first_batch, uid);
}

void SparkPlayer::on_gone(const Json& pod) {
    const std::string uid = pod.text({"metadata", "uid"});
    impl_->running.erase(uid);
    impl_->timers.erase(uid);
}

}  // namespace gang::app

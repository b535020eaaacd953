#include "k8s/lease/lease_object.hpp"

#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <variant>

namespace k8s {
namespace {

constexpr std::int64_t watch_seconds_min = 300;

}  // namespace

std::string LeaseObject::collection() const {
    return fmt::format(
        "/apis/coordination.k8s.io/v1/namespaces/{}/leases",
        percent_encode(options_.namespace_name));
}

std::string LeaseObject::path() const {
    return collection() + "/" + percent_encode(options_.lease_name);
}

Request LeaseObject::get() const {
    return Request("GET", path());
}

LeaseWrite LeaseObject::write_of(
    const protocol::UpdateLease& update, const protocol::Election& election) const {
    LeaseWrite write;
    write.namespace_name = options_.namespace_name;
    write.name = options_.lease_name;
    write.holder = options_.identity;
    write.duration_ms = options_.lease_duration_ms;
    write.transitions = update.transitions;
    write.resource_version = update.resource_version;
    write.acquired = update.acquired;
    write.unix_time_ms = unix_ms();
    write.epoch = election.next_epoch(write.unix_time_ms);
    write.scheduler_names = options_.scheduler_names;
    write.api = options_.api;
    return write;
}

std::string LeaseObject::body(const LeaseWrite& write) const {
    return encode_lease(write, write.resource_version.empty() ? std::string() : json_);
}

Request LeaseObject::write(
    const protocol::LeaseAction& action, const protocol::Election& election) const {
    protocol::UpdateLease update;
    const auto* create = std::get_if<protocol::CreateLease>(&action);
    if (create != nullptr) {
        update.transitions = create->transitions;
        update.acquired = true;
    } else {
        update = std::get<protocol::UpdateLease>(action);
    }
    Request request(create != nullptr ? "POST" : "PUT", create != nullptr ? collection() : path());
    request.content_type = "application/json";
    request.body = body(write_of(update, election));
    return request;
}

Request LeaseObject::release(
    const protocol::UpdateLease& update,
    const protocol::Election& election,
    bool is_settled) const {
    Request put("PUT", path());
    put.content_type = "application/json";
    LeaseWrite write = write_of(update, election);
    write.holder.clear();
    write.duration_ms = protocol::lease_released_ms;
    write.settled = is_settled;
    put.body = body(write);
    return put;
}

Request LeaseObject::watch(const std::string& version, std::uint32_t random) const {
    const auto spread = static_cast<std::int64_t>(random) % watch_seconds_min;
    return Request(
        "GET",
        fmt::format(
            "{}?watch=true&fieldSelector=metadata.name%3D{}&resourceVersion={}&timeoutSeconds={}",
            collection(),
            percent_encode(options_.lease_name),
            percent_encode(version),
            watch_seconds_min + spread));
}

}  // namespace k8s

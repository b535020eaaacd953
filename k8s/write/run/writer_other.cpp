#include "k8s/base/time.hpp"
#include "k8s/codec/codec_config_map.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/codec_write.hpp"
#include "k8s/write/run/writer_run.hpp"

#include <fmt/format.h>

#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

ConfigMapResult config_map_result(const Reply& reply) {
    ConfigMapResult result;
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        result.message = failure->message;
        return result;
    }
    const auto& response = std::get<Response>(reply);
    if (response.status == 200) {
        auto decoded = decode_config_map(response.body);
        result.outcome = decoded ? FetchOutcome::found : FetchOutcome::unreadable;
        if (decoded) {
            result.config_map = *std::move(decoded);
        } else {
            result.message = decoded.error().message;
        }
        return result;
    }
    if (response.status == 404) result.outcome = FetchOutcome::not_found;
    if (response.status == 401 || response.status == 403) result.outcome = FetchOutcome::forbidden;
    result.message = decode_status(response.status, response.body).message;
    return result;
}

ObjectStatusResult object_status_result(const Reply& reply) {
    ObjectStatusResult result;
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        result.message = failure->message;
        return result;
    }
    const auto& response = std::get<Response>(reply);
    if (response.status < 300) {
        result.outcome = ObjectStatusOutcome::written;
        return result;
    }
    Status status = decode_status(response.status, response.body);
    result.message = std::move(status.message);
    // Of an object that is written itself, another uid is a field that makes no sense.
    const bool is_another = response.status == 422 &&
                            result.message.find("metadata.uid: Invalid value") != std::string::npos;
    if (response.status == 404 || is_another) {
        result.outcome = ObjectStatusOutcome::gone;
    } else if (response.status == 409) {
        result.outcome =
            status.is_managers_conflict ? ObjectStatusOutcome::others : ObjectStatusOutcome::gone;
    } else if (response.status == 401 || response.status == 403) {
        result.outcome = ObjectStatusOutcome::forbidden;
    } else if (response.status < 500 && response.status != 429) {
        result.outcome = ObjectStatusOutcome::refused;
    }
    return result;
}

Request status_patch(const ObjectStatusWrite& write, bool is_in_object) {
    Request patch(
        "PATCH",
        fmt::format(
            "{}{}?fieldManager={}{}",
            write.path,
            is_in_object ? "" : "/status",
            write.field_manager,
            write.is_forced ? "&force=true" : ""));
    patch.content_type = "application/apply-patch+yaml";  // JSON is YAML
    patch.body = write.body;
    return patch;
}

}  // namespace

/// A 404 may mean that the kind has no such subresource: the object itself is asked then, and from
/// there on at once.
asio::awaitable<void> write_object_status(
    WriterParts& writer, WorkerPointer worker, ObjectStatusJob job) {
    const std::string kind = job.write.kind_with_status;
    const bool is_in_object = writer.statuses_in_objects.contains(kind);
    Request patch = status_patch(job.write, is_in_object);
    Reply reply = co_await writer.sender.write(worker, std::move(patch));
    const auto* response = std::get_if<Response>(&reply);
    const bool is_missing = response != nullptr && response->status == 404;
    if (is_missing && !kind.empty() && !is_in_object && !writer.context.is_closed()) {
        Request of_object = status_patch(job.write, true);
        reply = co_await writer.sender.write(worker, std::move(of_object));
        const auto* second = std::get_if<Response>(&reply);
        const bool is_written = second != nullptr && second->status < 300;
        if (is_written) writer.statuses_in_objects.insert(kind);
    }
    writer.backlog.finish_droppable({});
    if (!writer.context.is_closed()) job.done(object_status_result(reply));
}

asio::awaitable<void> fetch_config_map(WriterParts& writer, WorkerPointer worker, FetchJob job) {
    Request get(
        "GET",
        fmt::format(
            "/api/v1/namespaces/{}/configmaps/{}",
            percent_encode(job.namespace_name),
            percent_encode(job.name)));
    Reply reply = co_await writer.sender.call(
        worker,
        std::move(get),
        CallLimits(writer.context.options.call_timeout_ms, config_map_json_max));
    writer.backlog.finish_fetch();
    if (!writer.context.is_closed()) job.done(config_map_result(reply));
}

asio::awaitable<void> send_event(WriterParts& writer, WorkerPointer worker, EventJob job) {
    const EventSource source{writer.context.options.component, writer.context.options.instance};
    Request post(
        "POST",
        fmt::format(
            "/apis/events.k8s.io/v1/namespaces/{}/events",
            percent_encode(job.event.pod.namespace_name)));
    post.content_type = "application/json";
    post.body = encode_event(job.event, source, unix_ms(), ++writer.event_serial);
    Reply reply = co_await writer.sender.call(worker, std::move(post), writer.sender.limits());
    writer.backlog.finish_droppable({});
    const auto* response = std::get_if<Response>(&reply);
    if (response != nullptr && response->status < 300) {
        ++writer.context.stats.events;
        co_return;
    }
    ++writer.context.stats.events_dropped;
    if (response == nullptr) co_return;
    writer.context.notice(NoticeLevel::debug, "event dropped: " + answer_of(*response).message);
}

}  // namespace k8s

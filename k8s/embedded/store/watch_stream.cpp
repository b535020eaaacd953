#include "k8s/embedded/store/watch_stream.hpp"

#include "k8s/embedded/store/status.hpp"

#include <utility>

namespace k8s::embedded {

namespace {

std::string line(std::string_view type, std::string_view object) {
    return "{\"type\":\"" + std::string(type) + "\",\"object\":" + std::string(object) + "}";
}

std::string_view type_name(Watch::Type type) {
    switch (type) {
        case Watch::Type::added:
            return "ADDED";
        case Watch::Type::modified:
            return "MODIFIED";
        case Watch::Type::deleted:
            return "DELETED";
    }
    return {};
}

}  // namespace

WatchStream::WatchStream(Store& store, WatchPlan plan)
    : plan_(std::move(plan)),
      watch_(store.watch(*plan_.kind, plan_.scope, plan_.from)),
      initial_(plan_.initial.begin(), plan_.initial.end()),
      owes_initial_end_(plan_.marks_initial_end) {
    plan_.initial.clear();
}

std::optional<std::string> WatchStream::next() {
    if (!initial_.empty()) {
        const auto object = std::move(initial_.front());
        initial_.pop_front();
        return line("ADDED", plan_.render(object));
    }
    if (owes_initial_end_) {
        owes_initial_end_ = false;
        return bookmark_line(true);
    }
    if (is_finished_) {
        return std::nullopt;
    }
    if (auto event = watch_->next()) {
        return line(type_name(event->type), plan_.render(event->object));
    }
    if (watch_->is_expired()) {
        is_finished_ = true;
        const auto failure = gone(
            "too old resource version: " + std::to_string(watch_->position()) + " (" +
            std::to_string(watch_->compacted()) + ")");
        return line("ERROR", failure.status().dump());
    }
    return std::nullopt;
}

std::optional<std::string> WatchStream::bookmark() const {
    if (!plan_.sends_bookmarks || is_finished_) {
        return std::nullopt;
    }
    return bookmark_line(false);
}

std::string WatchStream::bookmark_line(bool ends_initial) const {
    Json metadata{Json::Object()};
    metadata.set("resourceVersion", std::to_string(watch_->position()));
    metadata.set("creationTimestamp", Json());
    if (ends_initial) {
        Json annotations{Json::Object()};
        annotations.set("k8s.io/initial-events-end", "true");
        metadata.set("annotations", std::move(annotations));
    }
    Json shell{Json::Object()};
    shell.set("kind", plan_.kind->kind).set("apiVersion", plan_.kind->api_version());
    shell.set("metadata", std::move(metadata));
    return line("BOOKMARK", shell.dump());
}

}  // namespace k8s::embedded

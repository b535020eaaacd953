#include "gang/sim/replica/watcher.hpp"

#include "gang/sim/world.hpp"

#include <utility>

namespace gang::sim {
namespace protocol = k8s::protocol;
namespace {

constexpr std::int64_t list_limit_ms = 60'000;  // as in k8s/watch/watcher.cpp
constexpr std::int64_t watch_open_limit_ms = 30'000;

protocol::ReflectorOptions options() {
    protocol::ReflectorOptions made;
    made.backoff.ms_min = 800;
    made.backoff.ms_max = 15'000;
    return made;
}

protocol::ObjectKey key_of(const core::Pod& pod) {
    return {full_name(pod), pod.uid, pod.resource_version};
}
protocol::ObjectKey key_of(const core::Node& node) {
    return {node.name, node.uid, node.resource_version};
}

protocol::WatchEventType type_of(Change change) {
    switch (change) {
        case Change::added:
            return protocol::WatchEventType::added;
        case Change::modified:
            return protocol::WatchEventType::modified;
        case Change::deleted:
            return protocol::WatchEventType::deleted;
    }
    ENSURE(false);
    return protocol::WatchEventType::deleted;
}

protocol::Trouble trouble_of(const Answer& answer) {
    protocol::Trouble made;
    made.status = answer.status;
    made.message = answer.message;
    made.retry_after_ms = answer.retry_after_ms;
    made.version_too_large = answer.version_too_large;
    return made;
}

Event upserted(const core::Pod& pod) {
    return PodUpserted{pod};
}
Event upserted(const core::Node& node) {
    return NodeUpserted{node};
}

}  // namespace

Watcher::Watcher(World& world, Process& process, bool is_of_nodes)
    : world_(world), process_(process), is_of_nodes_(is_of_nodes), reflector_(options()) {}

void Watcher::go_on() {
    const protocol::ReflectorAction action = reflector_.next(world_.random.next32());
    if (const auto* pause = std::get_if<protocol::Pause>(&action)) {
        process_.wakeups.watcher(is_of_nodes_, pause->ms, ++pause_);
        return;
    }
    Call call;
    call.is_of_nodes = is_of_nodes_;
    std::int64_t limit_ms = list_limit_ms;
    if (const auto* list = std::get_if<protocol::AskList>(&action)) {
        call.operation = Operation::list;
        call.continue_token = list->continue_token;
    } else {
        const auto& watch = std::get<protocol::AskWatch>(action);
        call.operation = Operation::watch;
        call.version = watch.version;
        call.timeout_ms = watch.timeout_seconds * 1'000;
        limit_ms = watch_open_limit_ms;
    }
    call_ = process_.send(std::move(call), is_of_nodes_ ? 1 : 0, limit_ms);
}

void Watcher::pause_over(std::uint32_t serial) {
    if (serial == pause_) {
        go_on();
    }
}

void Watcher::forget(const protocol::ObjectKey& key, std::uint64_t revision) {
    if (is_of_nodes_) {
        process_.push(NodeDeleted{key.name}, is_of_nodes_, revision);
    } else {
        process_.push(PodDeleted{key.uid}, is_of_nodes_, revision);
    }
}

template <typename Object>
void Watcher::take(const protocol::Verdict& verdict, const Object& object, std::uint64_t revision) {
    if (verdict.deleted) {
        forget(*verdict.deleted, revision);
    }
    if (verdict.upsert) {
        process_.push(upserted(object), is_of_nodes_, revision);
    }
}

template <typename Object>
void Watcher::take_page(const Answer& answer, const std::vector<Object>& objects) {
    denied_ = false;
    const auto verdict = reflector_.on_page(answer.list_version, answer.continue_token);
    if (verdict == protocol::PageVerdict::refused) {
        return;
    }
    const Kind kind = is_of_nodes_ ? Kind::nodes : Kind::pods;
    if (verdict == protocol::PageVerdict::first) {
        process_.push(RelistBegun{kind}, is_of_nodes_, 0);
    }
    for (const Object& object : objects) {
        take(reflector_.on_item(key_of(object)), object, 0);
    }
    const auto missing = reflector_.end_page();
    if (!missing) {
        return;
    }
    for (const protocol::ObjectKey& key : *missing) {
        forget(key, 0);
    }
    process_.push(RelistEnded{kind}, is_of_nodes_, std::stoull(answer.list_version));
    if (is_of_nodes_) {
        process_.nodes_listed();
    }
}

void Watcher::answered(const Call& call) {
    call_ = nobody;
    const Answer& answer = call.answer;
    const std::int64_t now = process_.time.mono();
    denied_ = answer.status == 401 || answer.status == 403 || answer.status == 404;
    if (call.operation == Operation::list) {
        if (answer.status == 200) {
            is_of_nodes_ ? take_page(answer, answer.nodes) : take_page(answer, answer.pods);
        } else {
            reflector_.on_list_failed(trouble_of(answer), now, world_.random.next32());
        }
        return go_on();
    }
    if (answer.status != 200) {
        reflector_.on_watch_failed(trouble_of(answer), now, world_.random.next32());
        return go_on();
    }
    reflector_.on_watch_opened(now);
    stream_ = world_.cluster.api.streams.start(call);
}

void Watcher::event(const Entry<core::Pod>& entry) {
    take(
        reflector_.on_event(type_of(entry.change), key_of(entry.object)),
        entry.object,
        entry.revision);
}

void Watcher::event(const Entry<core::Node>& entry) {
    take(
        reflector_.on_event(type_of(entry.change), key_of(entry.object)),
        entry.object,
        entry.revision);
}

void Watcher::bookmark(const std::string& version) {
    reflector_.on_bookmark(version);
}

void Watcher::failed(const protocol::Trouble& trouble) {
    stream_ = nobody;
    reflector_.on_watch_failed(trouble, process_.time.mono(), world_.random.next32());
    go_on();
}

void Watcher::closed(bool is_clean) {
    stream_ = nobody;
    reflector_.on_watch_closed(is_clean, process_.time.mono(), world_.random.next32());
    go_on();
}

void Watcher::stop() {
    if (stream_ != nobody) {
        world_.cluster.api.streams.close(std::exchange(stream_, nobody));
    }
    if (call_ != nobody) {
        world_.cluster.api.calls.give_up(std::exchange(call_, nobody));
    }
    ++pause_;
}

void Watcher::list_again() {
    stop();
    reflector_.ask_for_list();
    go_on();
}

}  // namespace gang::sim

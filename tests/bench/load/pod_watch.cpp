#include "tests/bench/load/pod_watch.hpp"

#include "k8s/json/json.hpp"
#include "tests/bench/load/clock.hpp"

#include <boost/asio/co_spawn.hpp>

#include <stdexcept>
#include <string_view>
#include <utility>

namespace load {
namespace asio = boost::asio;
namespace {

const rapidjson::Value* find(const rapidjson::Value& object, const char* key) {
    if (!object.IsObject()) return nullptr;
    const auto it = object.FindMember(key);
    return it == object.MemberEnd() ? nullptr : &it->value;
}

std::string text_of(const rapidjson::Value& object, const char* outer, const char* key) {
    const rapidjson::Value* holder = find(object, outer);
    const rapidjson::Value* value = holder == nullptr ? nullptr : find(*holder, key);
    if (value == nullptr || !value->IsString()) return {};
    return std::string(value->GetString(), value->GetStringLength());
}

std::string version_of(const std::string& list) {
    rapidjson::Document json;
    json.Parse<rapidjson::kParseIterativeFlag>(list.data(), list.size());
    const std::string version =
        json.HasParseError() ? "" : text_of(json, "metadata", "resourceVersion");
    if (version.empty()) throw std::runtime_error("a list without a resourceVersion");
    return version;
}

std::string watch_path(const std::string& path, const std::string& version) {
    return path + "?watch=1&timeoutSeconds=3600&resourceVersion=" + version;
}

}  // namespace

PodWatch::PodWatch(const Target& target, PodWatchOptions options)
    : target_(target), options_(std::move(options)) {}

PodWatch::~PodWatch() {
    stop();
}

void PodWatch::start() {
    opening_ = 1 + options_.idle_watches;
    const auto done = [this](std::exception_ptr why) { ended(why); };
    asio::co_spawn(io_, follow(), done);
    for (int i = 0; i < options_.idle_watches; ++i) asio::co_spawn(io_, drain(), done);
    auto opened = opened_.get_future();
    thread_ = std::thread([this] { io_.run(); });
    opened.get();
}

void PodWatch::stop() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
}

void PodWatch::ended(std::exception_ptr why) {
    if (opening_ > 0) {
        opening_ = 0;
        opened_.set_exception(why);
    } else if (options_.failed) {
        std::exchange(options_.failed, nullptr)(why);
    }
}

void PodWatch::note_open() {
    if (opening_ > 0 && --opening_ == 0) opened_.set_value();
}

asio::awaitable<std::string> PodWatch::list(std::string path) {
    Session session(io_, target_);
    co_await session.open();
    const Answer answer = co_await session.call("GET", path + "?limit=1", "", "");
    if (answer.status != 200) throw std::runtime_error("list: " + answer.body);
    co_return version_of(answer.body);
}

asio::awaitable<void> PodWatch::drain() {
    const std::string path = "/api/v1/pods";
    for (;;) {
        const std::string version = co_await list(path);
        Session session(io_, target_);
        co_await session.open();
        co_await session.open_stream(watch_path(path, version));
        note_open();
        for (std::string bytes("?"); !bytes.empty();) bytes = co_await session.read_stream();
    }
}

asio::awaitable<void> PodWatch::follow() {
    std::string version = co_await list(options_.path);
    for (;;) co_await watch_once(version);  // a server may end a watch at any time
}

asio::awaitable<void> PodWatch::watch_once(std::string& version) {
    Session session(io_, target_);
    co_await session.open();
    co_await session.open_stream(watch_path(options_.path, version));
    note_open();
    std::string partial;  // a line whose end has not come
    for (;;) {
        const std::string bytes = co_await session.read_stream();
        if (bytes.empty()) co_return;
        partial += bytes;
        std::size_t begin = 0;
        for (auto end = partial.find('\n'); end != std::string::npos;
             end = partial.find('\n', begin)) {
            take(std::string_view(partial).substr(begin, end - begin), version);
            begin = end + 1;
        }
        partial.erase(0, begin);
    }
}

void PodWatch::take(std::string_view line, std::string& version) {
    if (line.empty()) return;
    const std::int64_t now = now_us();
    rapidjson::Document event;
    event.Parse<rapidjson::kParseIterativeFlag>(line.data(), line.size());
    const rapidjson::Value* pod = event.HasParseError() ? nullptr : find(event, "object");
    const rapidjson::Value* type = event.HasParseError() ? nullptr : find(event, "type");
    if (pod == nullptr || type == nullptr || !type->IsString()) {
        throw std::runtime_error("not a watch event: " + std::string(line.substr(0, 200)));
    }
    const std::string_view kind(type->GetString(), type->GetStringLength());
    if (kind == "ERROR") throw std::runtime_error("the watch answered " + std::string(line));
    version = text_of(*pod, "metadata", "resourceVersion");
    if (kind == "BOOKMARK") return;
    std::string name = text_of(*pod, "metadata", "name");
    SeenPod& seen = pods_[name];
    if (seen.seen_us == 0) seen.seen_us = now;
    std::string node = text_of(*pod, "spec", "nodeName");
    if (seen.bound_us != 0 || node.empty()) return;
    seen.bound_us = now;
    seen.node = std::move(node);
    if (options_.bound) options_.bound(std::move(name));
}

}  // namespace load

#include "k8s/queue/queue_object_watch.hpp"

#include <algorithm>
#include <utility>

namespace k8s {
namespace {

/// The first that has an object of a name has the word.
constexpr std::array<const char*, 3> versions = {
    "scheduling.volcano.sh/v1beta1",
    "scheduling.sigs.dev/v1alpha2",
    "scheduling.incubator.k8s.io/v1alpha1"};

constexpr int not_found = 404;

/// A status of another kind is no other queue.
bool has_same_queues(
    const std::map<std::string, SeenQueueObject>& a,
    const std::map<std::string, SeenQueueObject>& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
            return one.second.queue == other.second.queue;
        });
}

}  // namespace

QueueObjectWatch::QueueObjectWatch(
    boost::asio::io_context& io,
    std::shared_ptr<Endpoint> endpoint,
    QueueObjectWatchOptions options)
    : options_(std::move(options)) {
    for (std::size_t version = 0; version < version_count; ++version) {
        kinds_[version].watch = std::make_unique<ObjectWatch>(io, endpoint, options_of(version));
    }
}

ObjectWatchOptions QueueObjectWatch::options_of(std::size_t version) {
    Kind& kind = kinds_[version];
    ObjectWatchOptions out;
    out.path = std::string("/apis/") + versions[version] + "/queues";
    out.name = "queues";
    out.take_page = [this, &kind](std::string body, bool is_first) {
        return take_page(kind, std::move(body), is_first);
    };
    out.take_line = [this, &kind](std::string line) { return take_line(kind, std::move(line)); };
    out.listed = [this, &kind] {
        const bool is_news = !kind.is_known || !kind.is_there || !has_same_queues(kind.objects, kind.listed);
        kind.objects = std::exchange(kind.listed, {});
        kind.is_there = kind.is_known = true;
        if (is_news) options_.changed();
    };
    out.denied = [this, version](int status, const std::string& why) {
        denied(version, status, why);
    };
    out.notice = options_.notice;
    out.pause_ms_min = options_.pause_ms_min;
    out.pause_ms_max = options_.pause_ms_max;
    out.pause_ms_denied = options_.pause_ms_denied;
    return out;
}

core::Result<PageEnd> QueueObjectWatch::take_page(Kind& kind, std::string body, bool is_first) {
    auto page = decode_queue_objects(std::move(body));
    if (!page) return page.error();
    if (is_first) kind.listed.clear();
    for (SeenQueueObject& seen : page->queues) {
        kind.listed.insert_or_assign(seen.queue.name, seen);
    }
    return PageEnd{std::move(page->version), std::move(page->continue_token)};
}

core::Result<bool> QueueObjectWatch::take_line(Kind& kind, std::string text) {
    auto line = decode_queue_object_line(std::move(text));
    if (!line) return line.error();
    using Type = QueueObjectLine::Type;
    const std::string name = line->seen.queue.name;
    const auto found = kind.objects.find(name);
    const bool is_there = found != kind.objects.end();
    if (line->type == Type::gone && is_there) {
        kind.objects.erase(found);
        options_.changed();
    } else if (line->type == Type::changed) {
        const bool is_news = !is_there || found->second.queue != line->seen.queue;
        kind.objects.insert_or_assign(name, std::move(line->seen));
        if (is_news) options_.changed();
    }
    return line->type != Type::error;
}

/// A kind that the cluster has not has no objects. What we may not see any more stays as it was.
void QueueObjectWatch::denied(std::size_t version, int status, const std::string& why) {
    Kind& kind = kinds_[version];
    const bool was_there = kind.is_there;
    if (status == not_found) {
        kind.is_there = false;
        kind.objects.clear();
    } else if (options_.denied) {
        options_.denied(versions[version], why);
    }
    const bool is_news = !std::exchange(kind.is_known, true) || was_there != kind.is_there;
    if (is_news) options_.changed();
}

void QueueObjectWatch::start() {
    for (Kind& kind : kinds_) kind.watch->start();
}

void QueueObjectWatch::stop() {
    for (Kind& kind : kinds_) kind.watch->stop();
}

std::vector<core::QueueObject> QueueObjectWatch::objects() const {
    std::map<std::string, const core::QueueObject*> all;
    for (const Kind& kind : kinds_) {
        for (const auto& [name, seen] : kind.objects) {
            all.try_emplace(name, &seen.queue);  // a name that is there stays
        }
    }
    std::vector<core::QueueObject> found;
    for (const auto& [name, queue] : all) found.push_back(*queue);
    return found;
}

const std::map<std::string, SeenQueueObject>& QueueObjectWatch::volcano_objects() const {
    return kinds_.front().objects;
}

bool QueueObjectWatch::has_kind() const {
    return std::any_of(
        kinds_.begin(), kinds_.end(), [](const Kind& kind) { return kind.is_there; });
}

bool QueueObjectWatch::is_known() const {
    return std::all_of(
        kinds_.begin(), kinds_.end(), [](const Kind& kind) { return kind.is_known; });
}

}  // namespace k8s

#pragma once
// Keeps the Queue objects of Volcano and kube-batch in view, of each version that the cluster has
// (watch/object_watch.hpp). A cluster without them is asked again each minute.

#include "core/value/group/queue_object.hpp"
#include "k8s/codec/queue/codec_queue_object.hpp"
#include "k8s/watch/object_watch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace k8s {

struct QueueObjectWatchOptions {
    /// Something is other than before: objects(), has_kind() or is_known(). Called on the loop's
    /// thread, never from inside start(), never after stop().
    std::function<void()> changed;
    /// We may not list those of an API version. Told once in a row; it is tried again.
    std::function<void(const std::string& api_version, const std::string& why)> denied;
    NoticeSink notice;
    std::int64_t pause_ms_min = 1'000;
    std::int64_t pause_ms_max = 5'000;
    std::int64_t pause_ms_denied = 60'000;
};

class QueueObjectWatch {
public:
    QueueObjectWatch(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        QueueObjectWatchOptions options);

    /// Again it changes nothing.
    void start();
    void stop();

    /// By name; of those of one name Volcano's counts, then the newer version's.
    std::vector<core::QueueObject> objects() const;
    /// Volcano's, by name: those whose status can be written.
    const std::map<std::string, SeenQueueObject>& volcano_objects() const;
    /// The cluster has the kind in some version, as far as we may know.
    bool has_kind() const;
    /// Of each version it is known what there is, or that it is not ours to know.
    bool is_known() const;

private:
    static constexpr std::size_t version_count = 3;
    using Objects = std::map<std::string, SeenQueueObject>;

    /// One API version.
    struct Kind {
        Objects objects;
        Objects listed;  ///< so far
        bool is_there = false;
        bool is_known = false;
        std::unique_ptr<ObjectWatch> watch;
    };

    ObjectWatchOptions options_of(std::size_t version);
    core::Result<PageEnd> take_page(Kind& kind, std::string body, bool is_first);
    core::Result<bool> take_line(Kind& kind, std::string text);
    void denied(std::size_t version, int status, const std::string& why);

    QueueObjectWatchOptions options_;
    std::array<Kind, version_count> kinds_;
};

}  // namespace k8s

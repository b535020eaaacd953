#pragma once
// Which status each Queue object of Volcano is to have, and what is not asked for again at once. No
// I/O: whoever owns it asks choose() from time to time, writes, and says what came of it.
//
// Of an object that is a queue here: how many groups wait and hold something, and what they hold.
// `state: Open` only where nobody has said a state for a minute. An object that is not taken, or no
// longer, loses what we wrote there once.

#include "gang/queue_view.hpp"
#include "k8s/codec/queue/codec_queue_object.hpp"
#include "k8s/protocol/write/object_status.hpp"
#include "k8s/protocol/write/queue_status.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang::app {

class QueueStatuses {
public:
    using Objects = std::map<std::string, k8s::SeenQueueObject>;

    /// At most `writes_max` at a time, of the objects by name, beginning where it ended before. What
    /// was chosen counts as under way until it is answered.
    std::vector<k8s::QueueStatusWrite> choose(
        const Objects& objects, const std::vector<QueueView>& queues, std::int64_t now_ms);

    /// What the log should say of it; mostly nothing: a trouble is told once.
    std::string answered(
        const k8s::QueueStatusWrite& write,
        const k8s::ObjectStatusResult& result,
        std::int64_t now_ms);

    static constexpr std::size_t writes_max = 100;
    static constexpr std::int64_t state_after_ms = 60'000;
    static constexpr std::int64_t rest_ms = 60'000;  ///< after an answer that time may mend

private:
    struct Entry {
        std::string uid;
        std::int64_t seen_ms = 0;  ///< the first time
        std::int64_t rests_until_ms = 0;
        int under_way = 0;
        core::QueueObjectStatus written;  ///< the usage that we wrote last
        bool is_withdrawn = false;
        bool is_told = false;
    };

    static bool is_shown(
        const core::QueueObjectStatus& wanted,
        const core::QueueObjectStatus& seen,
        const core::QueueObjectStatus& written);
    Entry& entry_of(const k8s::SeenQueueObject& object, std::int64_t now_ms);
    void forget_gone(const Objects& objects);

    std::map<std::string, Entry> entries_;
    std::string last_;  ///< the object at which choose() ended
};

}  // namespace gang::app

#pragma once
// Server-sent events for whoever looks at the page: the summary, each time something has changed.
// What changed, the page asks for itself, if it shows that. A bounded number may watch.

#include "gang/app/api/snapshot.hpp"
#include "gang/app/serve/http_server.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace gang::app {

class Viewers {
public:
    static constexpr std::size_t viewers_max = 20;

    explicit Viewers(std::shared_ptr<Snapshots> snapshots);

    std::size_t count() const { return *count_; }

    /// nullptr: as many as may watch do. `last_id` is what the viewer has seen, as Last-Event-ID
    /// says it after a broken connection; empty: nothing yet.
    std::shared_ptr<HttpStream> open(std::string last_id);

private:
    std::shared_ptr<Snapshots> snapshots_;
    std::shared_ptr<std::size_t> count_;  ///< streams may outlive us
};

}  // namespace gang::app

#pragma once
// Lists all pods once when the scheduler asks for their labels (ListPods), beside the watch.

#include "gang/app/base/log.hpp"
#include "gang/event.hpp"
#include "k8s/watch/lister.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>

namespace gang::app {

class PodLister {
public:
    /// `log` outlives it. `answer` gets a PodListed for each pod with a node, then a PodsListed.
    PodLister(
        boost::asio::io_context& io,
        std::shared_ptr<k8s::Endpoint> endpoint,
        const Log* log,
        std::function<void(Event)> answer);

    /// One at a time.
    void list();
    void stop() { lister_.stop(); }

private:
    k8s::Lister lister_;
    const Log* log_;
    std::function<void(Event)> answer_;
};

}  // namespace gang::app

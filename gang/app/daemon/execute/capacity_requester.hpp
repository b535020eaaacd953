#pragma once
// Asks the autoscaler for nodes, and no more: objects of its own say what is wanted. What came of
// that becomes an event.

#include "gang/app/base/log.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "k8s/demand/demand_client.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>

namespace gang::app {

class CapacityRequester {
public:
    struct Wiring {
        k8s::DemandClientOptions options;
        const Log* log = nullptr;           ///< outlives it
        std::function<void(Event)> answer;  ///< never called from inside the calls below
    };

    CapacityRequester(
        boost::asio::io_context& io,
        const std::shared_ptr<k8s::Endpoint>& endpoint,
        const Wiring& wiring)
        : log_(wiring.log), answer_(wiring.answer), client_(io, endpoint, wiring.options) {}
    CapacityRequester(const CapacityRequester&) = delete;
    CapacityRequester& operator=(const CapacityRequester&) = delete;

    void want(const WantCapacity& decision);
    void drop(const DropCapacity& decision);
    void list();
    void stop() { client_.stop(); }

private:
    void answered(const PodRef& driver, CapacityAnswered event);

    const Log* log_;
    std::function<void(Event)> answer_;
    k8s::DemandClient client_;
    std::string problem_;  ///< the last one: each is a warning once
};

}  // namespace gang::app

#include "gang/app/daemon/execute/capacity_requester.hpp"

#include "gang/app/daemon/execute/log_names.hpp"
#include "gang/host/requests.hpp"

#include <cstdint>
#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;
using gang::to_event;

}  // namespace

void CapacityRequester::want(const WantCapacity& decision) {
    std::int64_t executors = 0;
    for (const core::CapacityShape& shape : decision.shapes) {
        executors += shape.count;
    }
    log_->write(
        LogLevel::info,
        "ask the autoscaler",
        {{"driver", full_name(decision.driver)}, {"executors", std::to_string(executors)}});
    client_.want(to_request(decision), [this, decision](const k8s::DemandResult& result) {
        answered(decision.driver, to_event(decision, result));
    });
}

void CapacityRequester::drop(const DropCapacity& decision) {
    log_->write(
        LogLevel::info, "ask the autoscaler no more", {{"driver", full_name(decision.driver)}});
    client_.drop(to_request(decision), [this, decision](const k8s::DemandResult& result) {
        answered(decision.driver, to_event(decision, result));
    });
}

void CapacityRequester::answered(const PodRef& driver, CapacityAnswered event) {
    if (!event.message.empty()) {
        const bool is_new = std::exchange(problem_, event.message) != event.message;
        log_->write(
            is_new ? LogLevel::warning : LogLevel::debug,
            "the autoscaler cannot be asked",
            {{"driver", full_name(driver)}, {"why", event.message}});
    }
    answer_(std::move(event));
}

void CapacityRequester::list() {
    client_.list([this](const k8s::DemandList& list) {
        log_->write(
            list.is_complete ? LogLevel::debug : LogLevel::warning,
            "what the autoscaler is asked for",
            {{"drivers", std::to_string(list.found.size())}, {"why", list.message}});
        answer_(to_event(list));
    });
}

}  // namespace gang::app

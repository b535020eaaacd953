#include "gang/app/daemon/execute/pod_lister.hpp"

#include "core/value/pod.hpp"

#include <utility>
#include <variant>

namespace gang::app {

PodLister::PodLister(
    boost::asio::io_context& io,
    std::shared_ptr<k8s::Endpoint> endpoint,
    const Log* log,
    std::function<void(Event)> answer)
    : lister_(io, std::move(endpoint)), log_(log), answer_(std::move(answer)) {}

void PodLister::list() {
    lister_.list(
        k8s::WatchKind::pods,
        [this](k8s::Lister::Object object) {
            core::Pod& pod = std::get<core::Pod>(object);
            if (!pod.node_name.empty() && !core::is_terminal(pod)) {
                answer_(PodListed{
                    std::move(pod.uid),
                    std::move(pod.namespace_name),
                    std::move(pod.labels),
                    pod.deleting});
            }
        },
        [this](const core::Result<std::string>& listed) {
            if (!listed) {
                log_->write(
                    config::LogLevel::warning,
                    "labels of pods not listed, tried again",
                    {{"why", listed.error().message}});
            }
            answer_(PodsListed{listed.has_value()});
        });
}

}  // namespace gang::app

#include "gang/app/daemon/watches/pod_node_watches.hpp"

#include "gang/app/daemon/translate.hpp"
#include "gang/declare/declaration_reader.hpp"

#include <utility>
#include <variant>

namespace gang::app {

PodNodeWatches::PodNodeWatches(
    boost::asio::io_context& io,
    const std::shared_ptr<k8s::Endpoint>& endpoint,
    const config::Schema& config,
    Wiring wiring)
    : wiring_(std::move(wiring)),
      pods_(io, endpoint, options(k8s::WatchKind::pods, config)),
      nodes_(io, endpoint, options(k8s::WatchKind::nodes, config)) {}

k8s::WatcherOptions PodNodeWatches::options(k8s::WatchKind kind, const config::Schema& config) {
    k8s::WatcherOptions out;
    out.kind = kind;
    out.keeps_images = config.asks_images();
    out.version_use = [reader = DeclarationReader(config)](const auto& object) {
        return version_use(reader, object);
    };
    out.sink = [this, kind](k8s::WatchEvent event) { take(kind, std::move(event)); };
    out.notice = notice_sink(wiring_.log, kind == k8s::WatchKind::pods ? "pods" : "nodes");
    return out;
}

void PodNodeWatches::take(k8s::WatchKind kind, k8s::WatchEvent&& event) {
    const bool is_listed = std::holds_alternative<k8s::RelistEnded>(event);
    if (auto* upserted = std::get_if<k8s::PodUpserted>(&event)) {
        unsealed_ += wiring_.seal->open(upserted->pod) ? 0 : 1;
    }
    wiring_.loop->push(to_event(kind, std::move(event)));
    if (!is_listed) {
        return;
    }
    wiring_.listed();
    if (kind == k8s::WatchKind::nodes) {
        wiring_.loop->nodes_listed();
    }
}

void PodNodeWatches::start() {
    pods_.start();
    nodes_.start();
}

void PodNodeWatches::stop() {
    pods_.stop();
    nodes_.stop();
}

void PodNodeWatches::hold(bool are_held) {
    if (are_held) {
        pods_.pause();
        nodes_.pause();
    } else {
        pods_.resume();
        nodes_.resume();
    }
}

void PodNodeWatches::list_again(k8s::WatchKind kind) {
    (kind == k8s::WatchKind::pods ? pods_ : nodes_).list_again();
}

}  // namespace gang::app

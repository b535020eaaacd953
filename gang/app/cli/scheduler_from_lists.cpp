#include "gang/app/cli/scheduler_from_lists.hpp"

#include "gang/app/cli/sources.hpp"
#include "k8s/base/time.hpp"
#include "k8s/watch/lister.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace gang::app {

core::Result<Scheduler> scheduler_from_lists(
    const config::Schema& config, const k8s::Access& access) {
    auto endpoint = make_endpoint(access);
    if (!endpoint) {
        return endpoint.error();
    }
    Scheduler scheduler(config);
    std::uint64_t sequence = 0;
    const std::int64_t now_ms = k8s::unix_ms();
    const auto step = [&](Event event) {
        scheduler.step(StampedEvent{++sequence, now_ms, std::move(event)});
    };
    for (const Kind kind : {Kind::nodes, Kind::pods}) {
        boost::asio::io_context io;
        k8s::Lister lister(io, *endpoint);
        core::Result<std::string> result = core::Error{"no answer"};
        step(RelistBegun{kind});
        lister.list(
            kind == Kind::pods ? k8s::WatchKind::pods : k8s::WatchKind::nodes,
            [&step](k8s::Lister::Object object) {
                if (auto* pod = std::get_if<core::Pod>(&object)) {
                    step(PodUpserted{std::move(*pod)});
                } else {
                    step(NodeUpserted{std::get<core::Node>(std::move(object))});
                }
            },
            [&result](core::Result<std::string> version_of_list) {
                result = std::move(version_of_list);
            });
        io.run();
        if (!result) {
            return result.error();
        }
        step(RelistEnded{kind});
    }
    step(Tick{});
    return scheduler;
}

}  // namespace gang::app

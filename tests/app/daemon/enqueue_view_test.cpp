// What a turn of the enqueuer is decided from.
#include "gang/app/daemon/volcano/enqueue_view.hpp"

#include <doctest/doctest.h>

using gang::app::enqueue_view;

TEST_CASE("enqueue view: without queues all wait in one line, whatever they name") {
    config::Schema config;
    config.queue_objects.are_there = true;
    config.volcano.pods_within_ms = 90'500;
    const gang::Scheduler scheduler(config);
    const gang::app::EnqueueView view = enqueue_view(scheduler, config, 7'999);
    CHECK(view.queues.empty());
    CHECK_FALSE(view.is_queue_required);
    CHECK(view.pods_within_s == 90);
    CHECK(view.now_s == 7);
    CHECK(view.max_wait_ms.empty());
}

TEST_CASE("enqueue view: queues bring their longest wait, and objects make them required") {
    config::Schema config;
    config.queues.resize(1);
    config.queues[0].name.append("root.etl");
    config.queues[0].max_wait_ms = 60'000;
    config.queue_objects.are_there = true;
    const gang::Scheduler scheduler(config);
    const gang::app::EnqueueView view = enqueue_view(scheduler, config, 0);
    CHECK(view.is_queue_required);
    CHECK_FALSE(view.queues.empty());
    REQUIRE(view.max_wait_ms.contains("root.etl"));
    CHECK(view.max_wait_ms.at("root.etl") == 60'000);
}

TEST_CASE("enqueue view: of a group that nobody names there are no pods") {
    const config::Schema config;
    const gang::Scheduler scheduler(config);
    k8s::SeenPodGroup seen;
    seen.namespace_name.append("etl");
    seen.name.append("train");
    CHECK_FALSE(enqueue_view(scheduler, config, 0).has_pods(seen));
}

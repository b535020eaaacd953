#pragma once
// The metrics that are read at the moment of a question, as families of the Prometheus library.

#include "gang/app/serve/metrics.hpp"

#include <prometheus/metric_family.h>
#include <vector>

namespace gang::app {

void add_families(
    const MetricsView& view,
    const Metrics::Identity& identity,
    std::vector<prometheus::MetricFamily>& out);

}  // namespace gang::app

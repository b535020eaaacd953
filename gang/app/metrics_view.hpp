#pragma once
// The metrics that are read at the moment of a question, added to those that are kept.

#include "gang/app/exposition.hpp"
#include "gang/app/metrics.hpp"

namespace gang::app {

void add_families(const MetricsView& view, const Metrics::Identity& identity, Exposition& to);

}  // namespace gang::app

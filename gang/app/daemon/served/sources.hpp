#pragma once
// Where the endpoints have their answers from: functions of the daemon's parts, called on the loop
// when somebody asks.

#include "gang/app/api/snapshot.hpp"
#include "gang/app/daemon/served/daemon_view.hpp"
#include "gang/app/extender/extender_endpoint.hpp"
#include "gang/app/serve/control_http.hpp"
#include "gang/app/serve/metrics.hpp"
#include "gang/app/serve/served_http.hpp"

namespace gang::app {

ControlSource control_source(const DaemonView& daemon);
/// Everybody sees all: its `review` is empty.
ApiSource api_source(const DaemonView& daemon);
ExtenderSource extender_source(const DaemonView& daemon);

Health health(const DaemonView& daemon);
MetricsView metrics_view(const DaemonView& daemon);

}  // namespace gang::app

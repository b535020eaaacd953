#pragma once
// `gang-scheduler demo --gpus`: GPUs on an embedded cluster, whole ones, shared ones, and ones that
// are known by their metrics. Ends by itself in under a minute.

namespace gang::app {

/// Exit code: 0 when all that was to be shown was seen.
int run_gpu_demo();

}  // namespace gang::app

#pragma once
// `gang-scheduler demo`: a burst of Spark applications on an embedded cluster that holds a quarter
// of them, scheduled pod by pod (the deadlock), then as gangs (all finish), and both in one table.
// Ends by itself in under a minute and needs no terminal; with the page it stays for as long as
// somebody looks.

#include <cstdint>
#include <string>

namespace gang::app {

struct DemoOptions {
    int nodes = 3;
    std::string node_cpu = "4";
    std::string node_memory = "8Gi";
    int applications = 12;
    int executors = 3;                       ///< of each application
    std::int64_t deadlock_after_ms = 5'000;  ///< no progress for so long is called a deadlock
    std::int64_t phase_limit_ms = 40'000;
    bool has_page = false;        ///< serves the page, and stays when all is over until it is ended
    std::uint16_t page_port = 0;  ///< on loopback; 0: any free one
    std::int64_t look_ms = 5'000;  ///< time to open the page before it begins
};

/// Exit code: 0 when all gangs finished and no pod was refused.
int run_demo(const DemoOptions& options);

}  // namespace gang::app

#pragma once
// Metrics of GPUs for `demo --gpus`: an exporter inside the process with ObserverWard's names, and
// a real Prometheus beside it that scrapes it, if one is installed.

#include "core/base/result.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio {
class io_context;
}

namespace gang::app {

struct DemoGpu {
    std::string model;
    std::int64_t size_mib = 0;
    std::int64_t free_mib = 0;
};

/// The page of an ObserverWard exporter with these GPUs.
std::string exporter_page(const std::vector<DemoGpu>& gpus);

class DemoExporter {
public:
    /// Listens on loopback. `io` outlives this.
    DemoExporter(boost::asio::io_context& io, const std::vector<DemoGpu>& gpus);
    ~DemoExporter();
    DemoExporter(const DemoExporter&) = delete;
    DemoExporter& operator=(const DemoExporter&) = delete;

    std::uint16_t port() const;

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

/// A process of the program `prometheus`, which ends with this. Its data and its log are in a
/// folder of its own under the system's folder for such things, which goes with it.
class DemoPrometheus {
public:
    /// Starts it: it scrapes the exporter each second, as the GPUs of this node. The error says why
    /// it cannot be.
    static core::Result<std::unique_ptr<DemoPrometheus>> start(
        std::uint16_t exporter_port, std::string_view node);
    ~DemoPrometheus();
    DemoPrometheus(const DemoPrometheus&) = delete;
    DemoPrometheus& operator=(const DemoPrometheus&) = delete;

    std::string url() const;

private:
    DemoPrometheus(std::string folder, std::uint16_t port, int process)
        : folder_(std::move(folder)), port_(port), process_(process) {}

    std::string folder_;
    std::uint16_t port_;
    int process_;
};

}  // namespace gang::app

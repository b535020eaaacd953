#include "k8s/credentials/exec/plugin_run.hpp"

#include "k8s/credentials/exec/run_plugin.hpp"

#include <array>
#include <fcntl.h>
#include <poll.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace k8s {
namespace {

void close_end(int& end) {
    if (end >= 0) ::close(std::exchange(end, -1));
}

/// Its reading end can be read when its writing end is closed.
struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
        read_end = ends[0];
        write_end = ends[1];
    }
    ~Pipe() {
        close_end(read_end);
        close_end(write_end);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int read_end = -1;
    int write_end = -1;
};

}  // namespace

struct PluginRun::Shared {
    ExecPlugin plugin;
    Pipe done;  // its writing end is the thread's
    Pipe stop;  // its reading end is the thread's
    core::Result<ExecCredential> answer = core::Error{};
    std::thread thread;
};

PluginRun::PluginRun(std::unique_ptr<Shared> shared) : shared_(std::move(shared)) {}

std::unique_ptr<PluginRun> PluginRun::start(ExecPlugin plugin) {
    auto shared = std::make_unique<Shared>();
    if (shared->done.read_end < 0 || shared->stop.read_end < 0) return nullptr;
    shared->plugin = std::move(plugin);
    try {
        shared->thread = std::thread([of = shared.get()] {
            of->answer = run_plugin(of->plugin, of->stop.read_end);
            close_end(of->done.write_end);
        });
    } catch (const std::system_error&) {
        return nullptr;
    }
    return std::unique_ptr<PluginRun>(new PluginRun(std::move(shared)));
}

PluginRun::~PluginRun() {
    close_end(shared_->stop.write_end);
    if (shared_->thread.joinable()) shared_->thread.join();
}

bool PluginRun::is_done() const {
    pollfd end{shared_->done.read_end, POLLIN, 0};
    return ::poll(&end, 1, 0) > 0;
}

int PluginRun::done() const {
    return shared_->done.read_end;
}

core::Result<ExecCredential> PluginRun::take() {
    if (shared_->thread.joinable()) shared_->thread.join();
    return std::move(shared_->answer);
}

}  // namespace k8s

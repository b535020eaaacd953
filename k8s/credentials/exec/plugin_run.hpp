#pragma once
// One run of a credential plugin on a thread of its own, so that the loop goes on meanwhile. The
// thread shares with us what it was given, its answer and two pipes; the answer is read after its
// end was seen.

#include "core/base/result.hpp"
#include "k8s/credentials/exec/plugin.hpp"

#include <memory>

namespace k8s {

class PluginRun {
public:
    /// nullptr: the system has no more threads or descriptors.
    static std::unique_ptr<PluginRun> start(ExecPlugin plugin);
    /// Ends the command, if it still runs.
    ~PluginRun();
    PluginRun(const PluginRun&) = delete;
    PluginRun& operator=(const PluginRun&) = delete;

    bool is_done() const;
    /// A descriptor that can be read once it is done; of this object.
    int done() const;
    /// The answer; waits for it. Once.
    core::Result<ExecCredential> take();

private:
    struct Shared;
    explicit PluginRun(std::unique_ptr<Shared> shared);

    std::unique_ptr<Shared> shared_;
};

}  // namespace k8s

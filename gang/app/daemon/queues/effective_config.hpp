#pragma once
// The configuration that the scheduler goes by: the file's, with the Queue objects of the cluster
// beside its queues. Each change of either is told.

#include "config/schema.hpp"

#include <functional>
#include <utility>

namespace gang::app {

class EffectiveConfig {
public:
    using AddQueueObjects = std::function<config::Schema(const config::Schema& file)>;
    using Told = std::function<void(config::Schema)>;

    /// The scheduler was made with `file`.
    EffectiveConfig(const config::Schema& file, AddQueueObjects add, Told tell)
        : told_(without_kubeconfig(file)), add_(std::move(add)), tell_(std::move(tell)) {}

    const config::Schema& get() const { return told_; }

    /// The file, or an object, may be another one: tells the scheduler what is to hold, unless it
    /// goes by that already.
    void refresh(const config::Schema& file);

private:
    /// No decision reads it, and no recording has it.
    static config::Schema without_kubeconfig(config::Schema config);

    config::Schema told_;
    AddQueueObjects add_;
    Told tell_;
};

}  // namespace gang::app

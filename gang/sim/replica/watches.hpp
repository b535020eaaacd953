#pragma once
// Both watches of one process: of pods and of nodes.

#include "gang/sim/replica/watcher.hpp"

namespace gang::sim {

class Watches {
public:
    Watches(World& world, Process& process)
        : pods_(world, process, false), nodes_(world, process, true) {}

    void start() {
        pods_.go_on();
        nodes_.go_on();
    }
    /// They ask for nothing more, and hear nothing.
    void stop() {
        pods_.stop();
        nodes_.stop();
    }
    bool are_synced() const { return pods_.is_synced() && nodes_.is_synced(); }
    Watcher& of(bool is_of_nodes) { return is_of_nodes ? nodes_ : pods_; }
    Watcher& nodes() { return nodes_; }

private:
    Watcher pods_;
    Watcher nodes_;
};

}  // namespace gang::sim

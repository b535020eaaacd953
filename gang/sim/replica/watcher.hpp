#pragma once
// The list and watch of one kind in one process: drives the real Reflector against the model's API
// servers, as k8s/watch/watcher.cpp does it over sockets.

#include "gang/sim/base/call.hpp"
#include "gang/sim/base/store.hpp"
#include "k8s/protocol/reflector.hpp"

#include <cstdint>
#include <string>

namespace gang::sim {

class Process;
struct World;

class Watcher {
public:
    Watcher(World& world, Process& process, bool is_of_nodes);

    /// Asks for whatever comes next.
    void go_on();
    void answered(const Call& call);
    void event(const Entry<core::Pod>& entry);
    void event(const Entry<core::Node>& entry);
    void bookmark(const std::string& version);
    void failed(const k8s::protocol::Trouble& trouble);
    void closed(bool is_clean);
    void pause_over(std::uint32_t serial);
    void list_again();
    /// Asks for nothing more, and hears nothing.
    void stop();
    bool is_synced() const { return reflector_.is_synced() && !denied_; }
    std::size_t size() const { return reflector_.size(); }

private:
    template <typename Object>
    void take(const k8s::protocol::Verdict& verdict, const Object& object, std::uint64_t revision);
    template <typename Object>
    void take_page(const Answer& answer, const std::vector<Object>& objects);
    void take_event(const Entry<core::Pod>& entry);
    void forget(const k8s::protocol::ObjectKey& key, std::uint64_t revision);
    void end_stream();
    void list_failed(const Answer& answer);
    void watch_failed(const Answer& answer);

    World& world_;
    Process& process_;
    bool is_of_nodes_;
    k8s::protocol::Reflector reflector_;
    std::uint32_t call_ = nobody;
    std::uint32_t stream_ = nobody;
    std::uint32_t pause_ = 0;  ///< grows: an older pause that ends means nothing
    bool denied_ = false;
};

}  // namespace gang::sim

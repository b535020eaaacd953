#pragma once
// The objects by which schedulers ask for room, and an autoscaler that reads them: it places what
// they ask for on what nodes have beside the pods that are there, and buys nodes for the rest; some
// come late, some never, some are too few. Nodes that it has bought and on which nothing is, or
// would be, it removes.
//
// Nobody collects objects of drivers that are gone: what a scheduler leaves behind is seen.

#include "core/value/constraints.hpp"
#include "core/value/resources.hpp"
#include "gang/decision.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gang::sim {

struct World;
struct Call;
struct Application;

/// Which of a driver's objects.
enum class DemandPart : std::uint8_t { pod_template, buffer, request };

class Autoscaler {
public:
    /// Pods that are alike.
    struct Shape {
        core::Resources each;
        std::string pool;
        bool has_template = false;
        std::int64_t count = 0;  ///< of its buffer, or in the request; 0: none
        bool is_asked() const { return has_template && count > 0; }
    };
    /// What stands for one driver, or the anchor of a pod group.
    struct Demand {
        PodRef driver;
        std::vector<Shape> shapes;
        bool has_request = false;
        std::int64_t created_ms = 0;   ///< of the first template
        bool is_decided = false;       ///< how it will be answered:
        int answered_percent = 100;    ///< with so many of the nodes that it lacks,
        std::int64_t late_ms = 0;      ///< so much later
        bool is_answered = false;      ///< of a request: it is answered once
        std::size_t on_their_way = 0;  ///< nodes that are bought for it

        std::int64_t count() const;
        bool is_nothing() const;
    };

    explicit Autoscaler(World& world) : world_(world) {}

    void begin();
    void scan();
    void node_comes(std::uint32_t number);
    void node_is_ready(NodeId node);
    /// What did not come is bought after all.
    void calm_down();

    // --- the API server's part ---
    void write(Call& call);
    void remove(Call& call);
    void list(Call& call) const;

    const std::map<std::string, Demand>& all() const { return demands_; }
    const Demand* find(const std::string& driver_uid) const;
    bool is_bought(NodeId node) const;
    /// As many of these can be there at a time.
    int nodes_max() const { return has_kind_ ? nodes_max_ : 0; }
    core::Node node_for(const std::string& pool) const;

private:
    struct Room {
        NodeId node = nobody;
        std::string pool;
        std::int64_t cpu_milli = 0;
        std::int64_t memory_bytes = 0;
        std::int64_t pods = 0;
        bool is_used = false;
    };
    struct Order {
        std::string driver_uid;
        std::string pool;
    };

    std::vector<Room> rooms() const;
    static bool place(
        std::vector<Room>& rooms, const core::Resources& each, const std::string& pool);
    std::vector<std::string> lacking(std::vector<Room>& rooms, const Demand& demand) const;
    void buy(Demand& demand, std::vector<std::string> pools);
    void decide(Demand& demand);
    void remove_empty(const std::vector<Room>& rooms);
    std::int64_t there() const;

    World& world_;
    bool has_kind_ = true;  ///< the custom resources are installed
    int nodes_max_ = 0;
    std::map<std::string, Demand> demands_;  ///< by the driver's uid
    std::vector<Order> orders_;              ///< by number
    std::int64_t ordered_ = 0;               ///< of these, not there yet
    std::map<NodeId, std::int64_t> empty_since_ms_;
};

}  // namespace gang::sim

#pragma once
// What nodes and lists say. Nothing is decided here, but that a node is told what of its words
// about cards cannot be read.

#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "gang/model/model.hpp"

#include <map>
#include <string>
#include <vector>

namespace gang {

class ClusterEvents {
public:
    explicit ClusterEvents(Model& model) : model_(model) {}

    void on(const NodeUpserted& event);
    void on(const NodeDeleted& event);
    void on(const RelistBegun& event);
    void on(const RelistEnded& event);

    /// The configuration says something else of nodes: headroom, costs, what is scarce.
    void read_nodes_again();

    /// One Warning for each node whose cards cannot be read, and again when they cannot be read
    /// otherwise.
    void report_unreadable(std::vector<Decision>& decisions);

private:
    struct Unreadable {
        std::string uid;
        std::string problem;
        bool is_reported = false;
    };
    void note_costs(core::Node& node) const;
    void note_cards(const core::Node& node);

    std::map<std::string, Unreadable> unreadable_;  ///< by node
    bool has_unreported_ = false;
    Model& model_;
};

}  // namespace gang

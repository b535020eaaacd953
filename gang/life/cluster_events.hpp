#pragma once
// What nodes and lists say. Nothing is decided here.

#include "gang/event.hpp"
#include "gang/model/model.hpp"

namespace gang {

class ClusterEvents {
public:
    explicit ClusterEvents(Model& model) : model_(model) {}

    void on(const NodeUpserted& event);
    void on(const NodeDeleted& event);
    void on(const RelistBegun& event);
    void on(const RelistEnded& event);

private:
    Model& model_;
};

}  // namespace gang

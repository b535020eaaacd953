#pragma once
// The room that later gangs must leave alone, or a promise could not be kept: on each node of a
// promised gang what it needs there and nothing that ends until then would give it.
//
//   kept now = free now - left at the promised instant, when all who were promised are placed
//
// Who is done by that instant may use it, for it is back in time.

#include "core/cluster/allocation/trial.hpp"
#include "gang/backfill/waiters.hpp"
#include "gang/model/model.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gang {

class KeptRoom {
public:
    explicit KeptRoom(Model& model) : model_(model) {}
    ~KeptRoom() { give_back(); }
    KeptRoom(const KeptRoom&) = delete;
    KeptRoom& operator=(const KeptRoom&) = delete;

    /// Anew: for the promises among these, as the cluster is now.
    void set(const std::vector<Waiter>& waiters);
    /// Its promise need not be kept any more.
    void drop(const Application& app);
    /// Takes the room that one who runs until then must leave alone; his own promise does not keep
    /// him out. Nothing else may change the cluster until give_back(). Asking the same twice in a
    /// row costs nothing.
    void take(const Application& app, std::int64_t until_ms);
    void give_back();

private:
    struct Kept {
        std::int64_t pods = 0;
        core::Resources amounts;
    };
    struct Promise {
        const Application* app;
        std::int64_t at_ms;
        std::map<core::NodeIndex, Kept> nodes;
    };
    Kept kept_on(const NodeRest& rest) const;
    void allocate(core::NodeIndex node, const Kept& kept);
    std::uint32_t promises_of(const Application& app, std::int64_t until_ms) const;

    Model& model_;
    std::vector<Promise> promises_;
    std::optional<core::Trial> trial_;
    std::vector<core::ShapeId> shapes_;  ///< held while it is open
    std::uint32_t taken_ = 0;            ///< the promises for which it is, as bits
};

static_assert(promises_max <= 32);

}  // namespace gang

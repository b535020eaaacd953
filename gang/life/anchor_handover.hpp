#pragma once
// A pod group's gang outlives its anchor: when that ends, another member bears the reservation.
//
//   anchor ends --a member sits in a slot--> that member is the anchor; its own slot ceases to be,
//        |                                   and one is there for the ended one's successor, if it
//        |                                   has not done its work
//        '------------- none does ---------> the gang ends (GangLife::end)
//
// No slot that nobody is in is given to a pod before the new anchor bears the text.

#include "gang/classify/pod_compaction.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/stuck_drivers.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gang {

class AnchorHandover {
public:
    AnchorHandover(
        Model& model, Publisher& publisher, PodCompaction& compaction, StuckDrivers& stuck)
        : model_(model), publisher_(publisher), compaction_(compaction), stuck_(stuck) {}

    /// The gang's anchor has ended, or is being deleted. All that the gang holds goes to that of
    /// another member, if there is one, unless the gang was asked to go; what is left of `gang`
    /// holds nothing then.
    void hand_over(Application& gang);

private:
    std::optional<std::size_t> find_heir(const Application& gang) const;
    void take_over(Application& gang, Application& heir);
    void keep_place(const Application& gang, Application& heir);
    std::optional<std::size_t> find_shape(const Application& gang, Application& heir);
    void move_members(const Application& gang, const Application& heir);
    void follow_nominations(const Application& gang, const Application& heir);
    void follow_done_slots(const Application& gang, const Application& heir, std::size_t left);

    Model& model_;
    Publisher& publisher_;
    PodCompaction& compaction_;
    StuckDrivers& stuck_;
};

}  // namespace gang

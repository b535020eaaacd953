#pragma once
// Gangs whose slots no valid text vouches for: what they declare is asked for, and waits here until
// their slots are settled (gang/recovery/slot_rebuilder.hpp). Two cases:
//
//   The text of a bound driver is missing, void or not sealed by us.
//   There is no key, so every text may be a tenant's.
//
//   adopted --want_declaration()--> asked --found, or lost--> found --settled--> done
//                                     ^-------- lost: it may still come -------'

#include "core/value/pod.hpp"
#include "gang/declare/gang_size.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

namespace gang {

class Declarations {
public:
    Declarations(Model& model, StepContext& step) : model_(model), step_(step) {}

    /// A compacted driver has forgotten what it declares: it is asked when the API server shows it
    /// again.
    void want_declaration(Application& app);
    /// The gang has ended, or a valid text vouches for it now.
    void forget_declaration(Application& app);
    /// Whether the driver's pod has to stay whole, because of what it declares.
    bool awaits_declaration(const Application& app, const core::Pod& driver) const;
    /// A gang whose slots were lost would lose their room, too, to whoever is admitted meanwhile.
    bool awaits_lost_declaration() const;
    /// An answer has come. With a problem in it the declaration is lost, unless it is found later.
    void declaration_found(Application& app, GangSize size);
    /// A conf that cannot be asked for, whatever the reason, does not hold up a new leader for
    /// ever.
    void give_up_unverified();

private:
    Model& model_;
    StepContext& step_;
};

}  // namespace gang

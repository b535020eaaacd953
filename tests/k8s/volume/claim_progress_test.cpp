// What is done about one claim, state after state.
#include "k8s/volume/claim_progress.hpp"

#include <doctest/doctest.h>

using core::Claim;
using core::ClaimState;
using k8s::ClaimProgress;
using Step = ClaimProgress::Step;

namespace {

Claim waiting(const char* selected = "") {
    Claim claim;
    claim.selected_node = selected;
    return claim;
}

Claim bound(const char* selected = "") {
    Claim claim = waiting(selected);
    claim.state = ClaimState::bound;
    return claim;
}

}  // namespace

TEST_CASE("claim progress: annotated, waited for, bound") {
    ClaimProgress progress("n1");
    CHECK(progress.next(waiting()) == Step::annotate);
    progress.written();
    CHECK(progress.next(waiting("n1")) == Step::wait);
    CHECK(progress.next(bound("n1")) == Step::done);
}

TEST_CASE("claim progress: a write without an answer is found out by reading") {
    ClaimProgress progress("n1");
    CHECK(progress.next(waiting()) == Step::annotate);
    CHECK(progress.next(waiting("n1")) == Step::wait);
    CHECK(progress.next(bound("n1")) == Step::done);
    ClaimProgress lost("n1");
    CHECK(lost.next(waiting()) == Step::annotate);
    CHECK(lost.next(waiting()) == Step::annotate);
}

TEST_CASE("claim progress: no volume can be made for the node") {
    ClaimProgress progress("n1");
    CHECK(progress.next(waiting()) == Step::annotate);
    progress.written();
    CHECK(progress.next(waiting("n1")) == Step::wait);
    CHECK(progress.next(waiting()) == Step::give_up);
    CHECK(progress.why() == "no volume could be made for node n1");
}

TEST_CASE("claim progress: somebody else was there before") {
    ClaimProgress progress("n1");
    CHECK(progress.next(waiting("n2")) == Step::give_up);
    CHECK(progress.why() == "its volume is to be made for node n2");
    ClaimProgress other("n1");
    CHECK(other.next(bound()) == Step::give_up);
    CHECK(other.why() == "it was bound meanwhile");
    ClaimProgress same("n1");
    CHECK(same.next(bound("n1")) == Step::done);
}

TEST_CASE("claim progress: a claim that goes, or has lost its volume") {
    Claim going = waiting();
    going.is_deleting = true;
    CHECK(ClaimProgress("n1").next(going) == Step::give_up);
    Claim lost = waiting();
    lost.state = ClaimState::lost;
    CHECK(ClaimProgress("n1").next(lost) == Step::give_up);
}

TEST_CASE("claim progress: PRED-12: a volume that is there becomes the claim's, and both are bound") {
    ClaimProgress progress("n1", "v");
    CHECK(progress.next(waiting()) == Step::claim_volume);
    CHECK(progress.next(waiting()) == Step::claim_volume);  // the write had no answer
    progress.written();
    CHECK(progress.next(waiting()) == Step::wait);
    Claim claim = bound();
    claim.volume = "v";
    CHECK(progress.next(claim) == Step::done);
    claim.volume = "other";
    CHECK(progress.next(claim) == Step::give_up);
    CHECK(progress.next(waiting("n2")) == Step::give_up);
    ClaimProgress none("n1", "");
    CHECK(none.next(waiting()) == Step::give_up);
    CHECK(none.why() == "no volume is left for it on node n1");
}

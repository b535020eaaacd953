// Those whom a nomination names, one tick after the other: who is asked when, who leaves his slot first, who has it again, and
// what every answer of the API server comes to.
#include "gang/preempt/victim_sender.hpp"

#include "gang/preempt/soft_executors.hpp"
#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using gang::Application;
using gang::EvictOutcome;
using gang::EvictReason;
using gang::Nomination;
using gang::Victim;
using tests::Known;

namespace {

constexpr std::int64_t begin_ms = 1'000'000;

config::Schema a_minute(std::int64_t victims) {
    config::Schema schema;
    schema.preemption.max_victims_per_minute = victims;
    return schema;
}

/// A gang of four slots on n1, of which it needs none; those of e2 and e3 are filled, the others stand open.
struct Sending {
    explicit Sending(std::int64_t victims = 10) : known(a_minute(victims)) {
        known.step.now_ms = begin_ms;
        known.add_node("n1");
        known.add_node("n2");
        low = &known.add_gang("low", "n1", 4);
        low->declared.shapes[0].min = 0;
        fill("e2", 2);
        fill("e3", 3);
    }

    void fill(const std::string& name, std::size_t slot) {
        known.model.ledger.assign(*low, slot, known.add_executor(name, *low, "n1"));
    }
    gang::PodEntry& entry(const std::string& name) { return known.model.pods.at(name); }
    bool is_in_slot(const std::string& name) { return entry(name).slot >= 0; }

    Nomination& nominate(std::vector<Victim> victims) {
        Nomination made;
        made.victims = std::move(victims);
        made.nodes_version = 7;
        known.model.nominations.add("high", std::move(made));
        return known.model.nominations.all().at("high");
    }
    void forget_nomination() { known.model.nominations.all().clear(); }
    /// Who is asked by this.
    std::vector<std::string> send() {
        sender.send("high", known.model.nominations.all().at("high"));
        return take_asked();
    }
    std::vector<std::string> follow() {
        sender.follow();
        return take_asked();
    }
    std::vector<std::string> take_asked() {
        std::vector<std::string> asked;
        for (const gang::Decision& one : std::exchange(known.step.decisions, {})) {
            if (const auto* evict = std::get_if<gang::EvictPod>(&one)) asked.push_back(evict->pod.uid);
        }
        return asked;
    }
    void answer(const std::string& pod, EvictOutcome outcome) { sender.on(gang::EvictFinished{pod, outcome, {}}); }
    std::vector<std::string> told() {
        std::vector<gang::Decision> decisions;
        known.reporter.flush(decisions, known.step.now_ms, [this](const std::string& uid) {
            return gang::ref_of(known.model.pods.at(uid).pod);
        });
        std::vector<std::string> messages;
        for (const gang::Decision& one : decisions) {
            if (const auto* event = std::get_if<gang::RecordEvent>(&one); event != nullptr && event->warning) {
                messages.push_back(event->pod.uid + ": " + event->message);
            }
        }
        return messages;
    }
    std::optional<std::int64_t> woken() {
        const auto next = known.step.timers.next_ms();
        known.step.timers = {};
        return next;
    }
    void is_stored() { low->published.stored = low->published.generation; }
    std::uint64_t given_up() const { return known.step.counters.soft_slots_given_up[0]; }

    Known known;
    gang::Publisher publisher{known.model, known.step, known.reporter};
    gang::VictimSender sender{known.model, known.step, known.reporter, publisher};
    Application* low = nullptr;
};

Victim soft(const std::string& uid) { return {uid, Victim::Kind::soft_executor}; }
Victim beyond(const std::string& uid) { return {uid, Victim::Kind::executor}; }
Victim whole(const std::string& uid) { return {uid, Victim::Kind::gang}; }

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("victim sender: what the answer to an eviction makes of the victim, and of nobody else") {
    Sending sending;
    sending.known.add_executor("x", *sending.low, "n1");
    Nomination& nomination = sending.nominate({beyond("x"), {"x", Victim::Kind::open_slot}, beyond("e9")});
    gang::PodEntry& on_its_way = sending.known.add_executor("e9", *sending.low);  // and not seen on its node
    on_its_way.assumed_node = sending.known.model.texts.keep("n1");
    nomination.victims[1].stage = Victim::Stage::asked;
    CHECK(sending.send() == Names{"x"});
    CHECK(nomination.victims[0].stage == Victim::Stage::asked);
    CHECK(sending.send().empty());
    sending.woken();
    const Victim& victim = nomination.victims[0];
    SUBCASE("it goes") {
        sending.answer("x", EvictOutcome::evicted);
        CHECK(victim.stage == Victim::Stage::ending);
        CHECK(sending.told() == Names{"x: evicted for a gang that waited: its queue holds less than it is guaranteed"});
        CHECK(sending.sender.spared().empty());
        CHECK(nomination.replan_ms == 0);
    }
    SUBCASE("it has gone") {
        sending.answer("x", EvictOutcome::gone);
        CHECK(victim.stage == Victim::Stage::ending);
        CHECK(sending.told().empty());
        CHECK(sending.sender.spared().empty());
        CHECK(nomination.replan_ms == 0);
    }
    SUBCASE("a budget keeps it") {
        sending.answer("x", EvictOutcome::budget);
        CHECK(victim.stage == Victim::Stage::planned);
        CHECK(victim.not_before_ms == 0);
        CHECK(sending.sender.spared() == std::map<std::string, std::int64_t>{{"x", begin_ms + 120'000}});
        CHECK(nomination.replan_ms == begin_ms + 60'000);
        CHECK(sending.woken() == begin_ms + 60'000);
        CHECK(sending.send().empty());
        sending.known.step.now_ms = begin_ms + 119'999;
        sending.sender.forget_old();
        CHECK(sending.sender.remembered() == 1);
        sending.known.step.now_ms = begin_ms + 120'000;
        sending.sender.forget_old();
        CHECK(sending.sender.spared().empty());
    }
    SUBCASE("it is refused") {
        sending.answer("x", EvictOutcome::refused);
        CHECK(victim.stage == Victim::Stage::planned);
        CHECK(victim.not_before_ms == 0);
        CHECK(sending.sender.spared() == std::map<std::string, std::int64_t>{{"x", begin_ms + 600'000}});
        CHECK(nomination.replan_ms == begin_ms + 60'000);
        sending.sender.forget_spared();
        CHECK(sending.sender.spared().empty());
    }
    SUBCASE("it was not sent") {
        sending.answer("x", EvictOutcome::not_sent);
        CHECK(victim.stage == Victim::Stage::planned);
        CHECK(victim.not_before_ms == begin_ms + 5'000);
        CHECK(sending.woken() == begin_ms + 5'000);
        CHECK(nomination.replan_ms == 0);
        sending.known.step.now_ms = begin_ms + 4'999;
        CHECK(sending.send().empty());
        sending.known.step.now_ms = begin_ms + 5'000;
        CHECK(sending.send() == Names{"x"});
    }
    SUBCASE("nobody has asked for that") {
        sending.answer("e9", EvictOutcome::evicted);
        CHECK(victim.stage == Victim::Stage::asked);
    }
    SUBCASE("nobody waits for it any more") {
        sending.forget_nomination();
        sending.answer("x", EvictOutcome::budget);
        CHECK(sending.sender.spared().empty());
        CHECK(sending.sender.remembered() == 0);
        return;
    }
    CHECK(nomination.victims[1].stage == Victim::Stage::asked);
    CHECK(nomination.victims[2].stage == Victim::Stage::planned);
}

TEST_CASE("victim sender: who is in a slot leaves it first, and is asked when that is stored") {
    Sending sending;
    Nomination& nomination = sending.nominate({soft("e3")});
    CHECK(sending.send().empty());
    CHECK(sending.low->slots.size() == 3);
    CHECK_FALSE(sending.is_in_slot("e3"));
    CHECK(sending.low->published.generation == 2);
    CHECK(sending.known.model.worklist.dirty_gangs.contains("low"));
    CHECK(sending.woken() == begin_ms);
    CHECK(sending.send().empty());
    CHECK(sending.low->slots.size() == 3);
    CHECK_FALSE(sending.woken());
    sending.is_stored();
    CHECK(sending.send() == Names{"e3"});
    CHECK(nomination.victims[0].stage == Victim::Stage::asked);
    CHECK(sending.send().empty());
    CHECK(sending.sender.remembered() == 2);  // taken, and asked
    sending.known.model.worklist.dirty_gangs.clear();
    SUBCASE("it goes") {
        sending.answer("e3", EvictOutcome::evicted);
        CHECK(nomination.victims[0].stage == Victim::Stage::ending);
        CHECK(sending.given_up() == 1);
        const Names told = sending.told();
        REQUIRE(told.size() == 2);
        const std::string why = " evicted for a gang that waited: its queue holds less than it is guaranteed";
        CHECK(std::find(told.begin(), told.end(), "low: executor e3, beyond the minimum, was" + why) != told.end());
        CHECK(sending.sender.remembered() == 1);
        sending.forget_nomination();
        sending.sender.put_back_unwanted();
        CHECK(sending.low->slots.size() == 3);
        CHECK(sending.sender.remembered() == 0);
        CHECK(sending.woken() == begin_ms);
    }
    SUBCASE("it has gone by itself") {
        sending.answer("e3", EvictOutcome::gone);
        CHECK(nomination.victims[0].stage == Victim::Stage::ending);
        CHECK(sending.given_up() == 0);
        CHECK(sending.sender.remembered() == 1);
        sending.forget_nomination();
        sending.sender.put_back_unwanted();
        CHECK(sending.low->slots.size() == 3);
    }
    SUBCASE("it is kept") {
        EvictOutcome outcome = EvictOutcome::refused;
        SUBCASE("by a budget") { outcome = EvictOutcome::budget; }
        SUBCASE("by anything else") {}
        sending.answer("e3", outcome);
        CHECK(sending.low->slots.size() == 4);
        CHECK(sending.is_in_slot("e3"));
        CHECK(sending.low->slots.back().since == 2);
        CHECK(sending.low->published.generation == 3);
        CHECK(sending.known.model.worklist.dirty_gangs.contains("low"));
        CHECK(sending.given_up() == 0);
    }
    SUBCASE("it was not sent, and its room is wanted") {
        sending.answer("e3", EvictOutcome::not_sent);
        sending.sender.put_back_unwanted();
        CHECK(sending.low->slots.size() == 3);
        CHECK_FALSE(sending.is_in_slot("e3"));
        sending.known.step.now_ms += 5'000;
        CHECK(sending.send() == Names{"e3"});
    }
    SUBCASE("it was not sent, and nobody wants its room") {
        sending.answer("e3", EvictOutcome::not_sent);
        sending.forget_nomination();
        sending.woken();
        sending.sender.put_back_unwanted();
        CHECK(sending.is_in_slot("e3"));
        CHECK(sending.woken() == begin_ms);
        CHECK(sending.sender.remembered() == 0);
        sending.sender.put_back_unwanted();
        CHECK_FALSE(sending.woken());
    }
    SUBCASE("nobody wants its room before the answer") {
        sending.forget_nomination();
        sending.sender.put_back_unwanted();
        CHECK_FALSE(sending.is_in_slot("e3"));
        CHECK_FALSE(sending.woken());
        sending.entry("e3").pod.deleting = true;
        sending.answer("e3", EvictOutcome::not_sent);
        sending.sender.put_back_unwanted();  // on its way out by itself
        CHECK_FALSE(sending.is_in_slot("e3"));
        CHECK(sending.sender.remembered() == 1);
    }
    SUBCASE("the leadership ends") {
        sending.sender.forget_all();
        CHECK(sending.sender.remembered() == 0);
        sending.answer("e3", EvictOutcome::budget);
        CHECK_FALSE(sending.is_in_slot("e3"));
    }
}

TEST_CASE("victim sender: who was refused under another leader is not spared by the next") {
    Sending sending;
    sending.known.add_executor("x", *sending.low, "n1");
    sending.nominate({beyond("x")});
    CHECK(sending.send() == Names{"x"});
    sending.answer("x", EvictOutcome::refused);
    REQUIRE(sending.sender.spared().size() == 1);
    sending.sender.forget_all();
    CHECK(sending.sender.spared().empty());
}

TEST_CASE("victim sender: who was asked has no second place in the minute") {
    Sending sending(2);
    Nomination& nomination = sending.nominate({soft("e3")});
    sending.send();
    sending.is_stored();
    CHECK(sending.send() == Names{"e3"});
    nomination.victims.push_back(soft("e2"));
    CHECK(sending.send().empty());
    CHECK_FALSE(sending.is_in_slot("e2"));
    CHECK(nomination.victims[1].stage == Victim::Stage::planned);
}

TEST_CASE("victim sender: of who is in no slot that may be given up, others are looked for") {
    Sending sending;
    Nomination& nomination = sending.nominate({soft("e3")});
    SUBCASE("it is beside its gang") { sending.known.model.ledger.release(*sending.low, sending.entry("e3")); }
    SUBCASE("it is not there any more") { nomination.victims[0].uid = "nobody"; }
    SUBCASE("its gang runs no more") { sending.low->phase = gang::Phase::ended; }
    SUBCASE("the slot is the gang's own by now") { sending.low->declared.shapes[0].min = 4; }
    SUBCASE("older ones are enough") {
        sending.low->declared.shapes[0].min = 2;
        sending.entry("e2").pod.created += 100;
        sending.known.model.ledger.give_up(*sending.low, {0}, 1);
    }
    const std::size_t slots = sending.low->slots.size();
    CHECK(sending.send().empty());
    CHECK(nomination.nodes_version == gang::void_plan);
    CHECK(nomination.victims[0].stage == Victim::Stage::planned);
    CHECK(sending.low->slots.size() == slots);
    CHECK(sending.woken() == begin_ms);
    CHECK(sending.sender.remembered() == 0);
}

TEST_CASE("victim sender: who has found another slot of its gang meanwhile keeps it") {
    Sending sending;
    Nomination& nomination = sending.nominate({soft("e3")});
    sending.send();
    sending.known.model.ledger.assign(*sending.low, 0, sending.entry("e3"));
    sending.is_stored();
    sending.woken();
    CHECK(sending.send().empty());
    CHECK(nomination.nodes_version == gang::void_plan);
    CHECK(sending.woken() == begin_ms);
    CHECK(sending.low->slots.size() == 3);
    CHECK(sending.entry("e3").slot == 0);
    CHECK(sending.sender.remembered() == 0);
}

TEST_CASE("victim sender: who is on his way out leaves his slot, is not asked, and is none of those a minute") {
    Sending sending(1);
    sending.known.add_executor("x", *sending.low, "n1");
    sending.entry("e3").pod.deleting = true;
    Nomination& nomination = sending.nominate({beyond("x"), soft("e3"), soft("e2")});
    CHECK(sending.send() == Names{"x"});
    CHECK(nomination.victims[1].stage == Victim::Stage::ending);
    CHECK_FALSE(sending.is_in_slot("e3"));
    CHECK(sending.is_in_slot("e2"));  // its turn is in a minute
    CHECK(nomination.victims[2].stage == Victim::Stage::planned);
    sending.woken();
    sending.known.step.now_ms = begin_ms + 59'999;
    sending.sender.forget_old();
    CHECK(sending.send().empty());
    CHECK(sending.is_in_slot("e2"));
    CHECK(sending.woken() == begin_ms + 60'000);
    sending.known.step.now_ms = begin_ms + 60'000;
    sending.sender.forget_old();
    CHECK(sending.send().empty());
    CHECK_FALSE(sending.is_in_slot("e2"));
    sending.is_stored();
    CHECK(sending.send() == Names{"e2"});
}

TEST_CASE("victim sender: those who have left their slots and wait to be asked have their place in the minute") {
    Sending sending(2);
    Nomination& nomination = sending.nominate({soft("e3"), soft("e2")});
    sending.fill("e1", 1);
    nomination.victims.push_back(soft("e1"));
    CHECK(sending.send().empty());
    CHECK_FALSE(sending.is_in_slot("e3"));
    CHECK_FALSE(sending.is_in_slot("e2"));
    CHECK(sending.is_in_slot("e1"));
    sending.is_stored();
    CHECK(sending.send() == Names{"e3", "e2"});
    CHECK(sending.is_in_slot("e1"));
    sending.answer("e3", EvictOutcome::evicted);
    sending.answer("e2", EvictOutcome::not_sent);
    sending.known.step.now_ms = begin_ms + 60'000;
    sending.sender.forget_old();
    sending.known.model.nominations.all().at("high").victims = {soft("e1")};
    CHECK(sending.send().empty());
    CHECK_FALSE(sending.is_in_slot("e1"));  // one place is the other's who was not reached, and one his
    sending.fill("e0", 0);
    sending.known.model.nominations.all().at("high").victims = {soft("e0")};
    CHECK(sending.send().empty());
    CHECK(sending.is_in_slot("e0"));
}

TEST_CASE("victim sender: who has lost his slot for a plan of before is asked when that is stored") {
    Sending sending(2);
    sending.nominate({soft("e3")});
    sending.send();
    Nomination& nomination = sending.nominate({beyond("e3")});
    CHECK(sending.send().empty());
    CHECK(nomination.victims[0].stage == Victim::Stage::planned);
    sending.is_stored();
    CHECK(sending.send() == Names{"e3"});
    nomination.victims.push_back(soft("e2"));  // there is one place left in the minute
    CHECK(sending.send().empty());
    CHECK_FALSE(sending.is_in_slot("e2"));
    sending.answer("e3", EvictOutcome::budget);
    CHECK(sending.is_in_slot("e3"));
}

TEST_CASE("victim sender: nobody is asked before his time, nor while others are looked for") {
    Sending sending;
    sending.known.add_executor("x", *sending.low, "n1");
    Nomination& nomination = sending.nominate({beyond("x"), soft("e3"), {"low", Victim::Kind::open_slot}});
    nomination.victims[2].node = *sending.known.model.cluster.nodes().find("n1");
    SUBCASE("others are looked for") { nomination.replan_ms = begin_ms + 1; }
    SUBCASE("before the time") {
        for (Victim& victim : nomination.victims) victim.not_before_ms = begin_ms + 1;
    }
    CHECK(sending.send().empty());
    CHECK(sending.low->slots.size() == 4);
    nomination.replan_ms = 0;
    for (Victim& victim : nomination.victims) victim.not_before_ms = begin_ms;
    CHECK(sending.send() == Names{"x"});
    CHECK(sending.low->slots.size() == 2);
}

TEST_CASE("victim sender: one that has gone by itself ends, and counts if pods of it stay") {
    Sending sending(1);
    Nomination& nomination = sending.nominate({whole("low")});
    SUBCASE("its members go with it, as one of those a minute") {
        sending.entry("low").pod.deleting = true;
        SUBCASE("at once") {}
        SUBCASE("when it may") {
            nomination.replan_ms = begin_ms + 1;
            CHECK(sending.send().empty());
            CHECK(nomination.victims[0].stage == Victim::Stage::planned);
            CHECK_FALSE(sending.sender.evictions().is_broken("low"));
            nomination.replan_ms = 0;
        }
        SUBCASE("when it has its place") {
            sending.known.add_executor("x", *sending.low, "n1");
            nomination.victims = {beyond("x"), whole("low")};
            CHECK(sending.send() == Names{"x"});
            CHECK(nomination.victims[1].stage == Victim::Stage::planned);
            sending.known.step.now_ms += 60'000;
            sending.sender.forget_old();
        }
        CHECK(sending.send().empty());
        CHECK(nomination.victims.back().stage == Victim::Stage::ending);
        CHECK(sending.sender.evictions().is_broken("low"));
        const Names asked = sending.follow();
        CHECK(std::find(asked.begin(), asked.end(), "e2") != asked.end());
        CHECK(std::find(asked.begin(), asked.end(), "e3") != asked.end());
        CHECK(std::find(asked.begin(), asked.end(), "low") == asked.end());
    }
    SUBCASE("nothing of it is left: it is over, and nobody's place") {
        for (const char* pod : {"low", "e2", "e3"}) sending.entry(pod).pod.phase = core::PodPhase::succeeded;
        nomination.replan_ms = begin_ms + 1;
        CHECK(sending.sender.pods_of(nomination.victims[0]) == 0);
        CHECK(sending.send().empty());
        CHECK(nomination.victims[0].stage == Victim::Stage::ending);
        sending.known.add_executor("x", *sending.low, "n1");
        sending.nominate({beyond("x")});
        CHECK(sending.send() == Names{"x"});
    }
    SUBCASE("its open slots are nobody's to give") {
        sending.entry("low").pod.deleting = true;
        nomination.victims = {{"low", Victim::Kind::open_slot}};
        nomination.victims[0].node = *sending.known.model.cluster.nodes().find("n1");
        nomination.replan_ms = begin_ms + 1;
        CHECK(sending.send().empty());
        CHECK(nomination.victims[0].stage == Victim::Stage::ending);
        CHECK(sending.low->slots.size() == 4);
        CHECK_FALSE(sending.sender.evictions().is_broken("low"));
    }
}

TEST_CASE("victim sender: pods of a victim are those that are there and hold room") {
    Sending sending;
    sending.known.add_executor("waits", *sending.low);
    CHECK(sending.sender.pods_of(whole("low")) == 3);
    CHECK(sending.sender.pods_of(beyond("low")) == 1);
    CHECK(sending.sender.pods_of({"low", Victim::Kind::pod}) == 1);
    CHECK(sending.sender.pods_of({"low", Victim::Kind::open_slot}) == 0);
    CHECK(sending.sender.pods_of(soft("e3")) == 1);
    CHECK(sending.sender.pods_of(beyond("waits")) == 0);
    CHECK(sending.sender.pods_of(beyond("nobody")) == 0);
    sending.entry("e3").pod.phase = core::PodPhase::failed;
    CHECK(sending.sender.pods_of(whole("low")) == 2);
}

TEST_CASE("victim sender: open slots go where the plan has them, all of one gang together") {
    Sending sending;
    gang::Model& model = sending.known.model;
    const core::NodeIndex n1 = *model.cluster.nodes().find("n1");
    const core::NodeIndex n2 = *model.cluster.nodes().find("n2");
    model.ledger.add_open(*sending.low, 0, n2, 1);
    Victim on_n1{"low", Victim::Kind::open_slot, EvictReason::preempt};
    on_n1.node = n1;
    Victim on_n2 = on_n1;
    on_n2.node = n2;
    std::size_t left = 5;
    bool is_void = false;
    Nomination& nomination = sending.nominate({});
    SUBCASE("one here") {
        nomination.victims = {on_n1};
        left = 4;
    }
    SUBCASE("one there") {
        nomination.victims = {on_n2};
        left = 4;
    }
    SUBCASE("all three") {
        nomination.victims = {on_n2, on_n1, on_n1};
        left = 2;
    }
    SUBCASE("one more than there are") {
        nomination.victims = {on_n2, on_n2, on_n1};
        left = 3;
        is_void = true;
    }
    SUBCASE("none of that shape") {
        nomination.victims = {on_n2};
        nomination.victims[0].shape = 1;
        is_void = true;
    }
    const std::size_t there = nomination.victims.size();
    CHECK(sending.send().empty());
    CHECK(sending.low->slots.size() == left);
    CHECK((nomination.nodes_version == gang::void_plan) == is_void);
    CHECK(sending.woken() == begin_ms);
    for (const Victim& victim : nomination.victims) CHECK(victim.stage == Victim::Stage::ending);
    const std::size_t gone = 5 - left;
    CHECK(sending.known.step.counters.soft_slots_given_up[1] == gone);
    CHECK(sending.low->pending_releases->size() == gone);
    CHECK(sending.low->published.generation == (gone == 0 ? 1 : 2));
    CHECK(model.worklist.dirty_gangs.contains("low") == (gone > 0));
    const Names told = sending.told();
    CHECK(told.size() == (gone == 0 ? 0 : 1));
    if (gone > 0) {
        CHECK(
            told[0] == "low: " + std::to_string(gone) +
                           " open slots beyond the minimum were given to a gang that waited: its priority is higher");
        const bool has_n2 = std::any_of(sending.low->slots.begin(), sending.low->slots.end(), [](const gang::Slot& slot) {
            return slot.node.str() == "n2";
        });
        CHECK(has_n2 == (nomination.victims[0].node == n1));
    }
    CHECK(nomination.victims.size() == there);
    CHECK(sending.send().empty());  // that was all
    CHECK(sending.low->slots.size() == left);
}

TEST_CASE("victim sender: open slots of two gangs are taken from each by itself") {
    Sending sending;
    gang::Model& model = sending.known.model;
    Application& other = sending.known.add_gang("other", "n1", 2);
    other.declared.shapes[0].min = 0;
    Victim of_low{"low", Victim::Kind::open_slot};
    of_low.node = *model.cluster.nodes().find("n1");
    Victim of_other = of_low;
    of_other.uid = "other";
    Nomination& nomination = sending.nominate({of_low, of_other});
    CHECK(sending.send().empty());
    CHECK(sending.low->slots.size() == 3);
    CHECK(other.slots.size() == 1);
    CHECK(nomination.nodes_version == 7);
    CHECK(sending.told().size() == 2);
}

TEST_CASE("soft executors: one that ends before the reservation is stored leaves room that is held once, until it is") {
    Sending sending;
    gang::SoftExecutors soft_executors(sending.known.model, sending.publisher);
    CHECK(soft_executors.waiting() == 0);
    REQUIRE(soft_executors.take_out("e3"));
    CHECK(soft_executors.is_taken("e3"));
    CHECK_FALSE(soft_executors.is_taken("e2"));
    CHECK_FALSE(soft_executors.is_out("e3"));
    CHECK_FALSE(soft_executors.is_out("e2"));
    CHECK(soft_executors.driver_of("e3") == "low");
    CHECK(soft_executors.waiting() == 1);
    soft_executors.hold_unwritten();
    CHECK(sending.low->pending_releases->empty());
    CHECK(soft_executors.remembered() == 1);
    sending.entry("e3").pod.phase = core::PodPhase::failed;
    SUBCASE("the gang runs on") {
        soft_executors.hold_unwritten();
        soft_executors.hold_unwritten();
        REQUIRE(sending.low->pending_releases->size() == 1);
        CHECK(sending.low->pending_releases->front().generation == 2);
        CHECK(soft_executors.remembered() == 1);
        sending.is_stored();
        CHECK(soft_executors.is_out("e3"));
    }
    SUBCASE("the reservation is stored by then") { sending.is_stored(); }
    SUBCASE("the gang runs no more") { sending.low->phase = gang::Phase::ended; }
    const std::size_t held = sending.low->pending_releases->size();
    soft_executors.hold_unwritten();
    CHECK(sending.low->pending_releases->size() == held);
    CHECK(soft_executors.remembered() == 0);
}

TEST_CASE("soft executors: who waits to be asked, and who has his slot again") {
    Sending sending;
    gang::SoftExecutors soft_executors(sending.known.model, sending.publisher);
    REQUIRE(soft_executors.take_out("e3"));
    CHECK_FALSE(soft_executors.take_out("e3"));
    CHECK_FALSE(soft_executors.take_out("nobody"));
    CHECK_FALSE(soft_executors.take_out("low"));
    soft_executors.put_back("nobody");
    soft_executors.went("nobody");
    CHECK(soft_executors.remembered() == 1);
    soft_executors.set_asked("e3", true);
    CHECK(soft_executors.waiting() == 0);
    soft_executors.set_asked("e3", false);
    CHECK(soft_executors.waiting() == 1);
    std::size_t slots = 3;
    SUBCASE("nobody wants his room") { slots = 4; }
    SUBCASE("he is going") {
        soft_executors.went("e3");
        CHECK(soft_executors.waiting() == 0);
    }
    SUBCASE("he has ended") { sending.entry("e3").pod.phase = core::PodPhase::succeeded; }
    SUBCASE("he is elsewhere") { sending.entry("e3").pod.node_name = "n2"; }
    SUBCASE("he is in a slot") {
        sending.known.model.ledger.assign(*sending.low, 1, sending.entry("e3"));
    }
    SUBCASE("his gang runs no more") { sending.low->phase = gang::Phase::ended; }
    SUBCASE("his gang has lost its reservation") { sending.low->published.reserved = false; }
    SUBCASE("his gang has no such executors any more") {
        sending.low->slots.clear();
        sending.low->declared.shapes.clear();
        slots = 0;
    }
    const std::int64_t generation = sending.low->published.generation;
    soft_executors.put_back("e3");
    CHECK(sending.low->slots.size() == slots);
    CHECK(sending.low->published.generation == generation + (slots == 4 ? 1 : 0));
    CHECK(soft_executors.remembered() == 0);
}

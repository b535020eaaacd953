// What is remembered of volumes, by many random stories of which everything that can be seen is told.
#include "gang/model/volume/claim_queries.hpp"
#include "gang/model/volume/volume_counts.hpp"

#include "tests/gang/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {
namespace volume_walks {

using Words = std::vector<std::string>;
using tests::Walk;

template <typename List>
std::string joined(const List& list) {
    std::string text;
    for (const std::string& one : list) text += (text.empty() ? "" : ",") + one;
    return "{" + text + "}";
}

std::string number(const std::optional<std::int64_t>& one) {
    return one ? std::to_string(*one) : "-";
}

std::string text_of(const std::vector<core::DriverVolume>& volumes) {
    Words words;
    for (const core::DriverVolume& one : volumes) words.push_back(one.driver + ":" + one.handle);
    return joined(words);
}

std::string text_of(const std::vector<core::VolumeNodes>& nodes) {
    Words words;
    for (const core::VolumeNodes& one : nodes) {
        std::string text = one.rule == core::VolumeRule::storage ? "storage" : "affinity";
        for (const core::NodeSelectorTerm& term : one.terms) {
            for (const auto& part : term.match_expressions) {
                text += " " + part.key + (part.op == core::SelectorOperator::in ? "=" : "!");
                for (const std::string& value : part.values) text += value;
            }
        }
        for (const core::LabelValues& label : *one.labels) {
            text += " " + label.key + "~";
            for (const std::string& value : label.values) text += value;
        }
        words.push_back(text);
    }
    return joined(words);
}

// --- volume counts ---

core::NodeVolumeLimits limits_of(Walk& walk, const std::string& node) {
    core::NodeVolumeLimits said{node, {}};
    for (const char* driver : {"d1", "d2"}) {
        if (walk.pick(3) == 0) said.limits.push_back({driver, static_cast<std::int64_t>(1 + walk.pick(2))});
    }
    return said;
}

std::string move(Walk& walk, gang::VolumeCounts& counts, std::int64_t now_ms) {
    const Words names = {"a", "b", "c"};
    const Words nodes = {"n1", "n2", "n3"};
    const std::string& name = walk.of(names);
    switch (walk.pick(12)) {
        case 0:
            return std::string("asks ") + (counts.ask() ? "now" : "no more");
        case 1: {
            gang::VolumeLimitsListed event;
            for (const std::string& node : nodes) {
                if (walk.pick(2) == 0) event.nodes.push_back(limits_of(walk, node));
            }
            return "listed " + joined(counts.listed(event));
        }
        case 2:
            return "changed " + joined(counts.changed({limits_of(walk, walk.of(nodes))}));
        case 3:
            if (walk.pick(3) == 0) counts.missing();
            return "missing limits";
        case 4:
            counts.want({{walk.pick(2) == 0 ? "d1" : "d3", ""}});
            return "wanted";
        case 5:
        case 6: {
            std::set<std::string> claims;
            for (const std::string& one : names) {
                if (walk.pick(3) != 0) claims.insert("ns/" + one);
            }
            counts.hold(claims, now_ms);
            return "held " + joined(claims);
        }
        case 7:
        case 8: {
            core::Claim claim;
            claim.state = walk.pick(3) == 0 ? core::ClaimState::consumer : core::ClaimState::bound;
            claim.driver = walk.of(Words{"d1", "d2", "d3", ""});
            claim.handle = walk.of(Words{"h1", "h2"});
            counts.found({"ns", name, claim}, now_ms);
            const std::string state = claim.state == core::ClaimState::bound ? " bound " : " unbound ";
            return "found " + name + state + claim.driver + ":" + claim.handle;
        }
        case 9: {
            const std::size_t which = walk.pick(3);
            const auto problem = which == 0   ? gang::ClaimProblem::not_found
                                 : which == 1 ? gang::ClaimProblem::forbidden
                                              : gang::ClaimProblem::failed;
            counts.missing({"ns", name, problem, ""}, now_ms);
            return "missing " + name + (which == 0 ? " gone" : which == 1 ? " forbidden" : " failed");
        }
        case 10:
            return "due " + joined(counts.due(now_ms));
        default:
            return std::string("news ") + (counts.take_news() ? "yes" : "no");
    }
}

std::string state_of(const gang::VolumeCounts& counts, std::int64_t now_ms) {
    std::string text = counts.is_counting() ? " counting" : "";
    text += counts.awaits_first() ? " awaits" : "";
    text += counts.is_awaited_for({}) ? " awaited for none" : "";
    text += counts.is_awaited_for({{"d1", ""}}) ? " awaited" : "";
    text += counts.is_awaited_for({{"d3", ""}}) ? " awaited for d3" : "";
    text += " limited" + text_of(counts.limited({{"d1", "x"}, {"d2", ""}, {"d3", "y"}}));
    for (const char* name : {"n1", "n2", "n3"}) {
        core::Node node = tests::node(name, 1, 1);
        node.allocatable.extended = {{"other", 1}, {core::volume_limit_name("d9"), 7}};
        counts.offer(node);
        text += std::string(" ") + name;
        for (const auto& one : node.allocatable.extended) {
            text += " " + (one.name == core::volume_limit_name("d1")   ? std::string("d1")
                           : one.name == core::volume_limit_name("d2") ? std::string("d2")
                           : one.name == core::volume_limit_name("d9") ? std::string("d9")
                                                                       : one.name.substr(0, 5)) +
                    "=" + std::to_string(one.amount);
        }
    }
    for (const Words& claims : {Words{"ns/a"}, Words{"ns/b"}, Words{"ns/a", "ns/c"}}) {
        const auto volumes = counts.volumes_of(claims);
        text += " " + (volumes ? text_of(*volumes) : std::string("?"));
    }
    return text + " " + std::to_string(counts.remembered()) + " next " + number(counts.next_due_ms(now_ms)) + "\n";
}

// --- storage ---

core::StorageSegment segment(Walk& walk) {
    core::StorageSegment made;
    made.name = walk.of(Words{"s1", "s2", "s3"});
    made.storage_class = walk.of(Words{"fast", "slow"});
    made.name = made.storage_class + made.name;
    made.bytes = walk.of(std::vector<std::int64_t>{-1, 5, 10, 10});
    if (walk.pick(4) != 0) {
        made.nodes.is_set = true;
        if (walk.pick(5) != 0) {
            made.nodes.require({"zone", core::LabelOperator::in, {walk.of(Words{"a", "b"})}});
        }
        if (walk.pick(5) == 0) made.nodes.require({"disk", core::LabelOperator::exists, {}});
    }
    return made;
}

std::string text_of(const core::StorageSegment& one) {
    std::string text = one.name + ":" + std::to_string(one.bytes) + (one.nodes.is_set ? "@" : "");
    for (const auto& part : one.nodes.requirements) text += part.key + joined(part.values);
    return text;
}

std::string state_of(const gang::StorageRoom& room) {
    std::string text = room.is_known() ? " known" : "";
    core::Claim claim;
    claim.state = core::ClaimState::consumer;
    claim.is_storage_counted = true;
    for (const char* name : {"fast", "slow"}) {
        claim.storage_class = name;
        for (const std::int64_t bytes : {5, 6, 11}) {
            claim.bytes = bytes;
            std::vector<core::VolumeNodes> nodes;
            room.add_nodes(claim, nodes);
            text += " " + text_of(nodes);
        }
    }
    claim.is_storage_counted = false;
    std::vector<core::VolumeNodes> nodes;
    room.add_nodes(claim, nodes);
    return text + (nodes.empty() ? "" : " uncounted " + text_of(nodes)) + "\n";
}

// --- claims ---

core::Claim some_claim(Walk& walk) {
    core::Claim claim;
    claim.state = walk.of(std::vector<core::ClaimState>{
        core::ClaimState::bound, core::ClaimState::consumer, core::ClaimState::consumer,
        core::ClaimState::consumer, core::ClaimState::immediate, core::ClaimState::lost});
    claim.volume = "v";
    claim.storage_class = walk.of(Words{"fast", "slow"});
    claim.is_deleting = walk.pick(8) == 0;
    claim.one_pod = walk.pick(3) == 0;
    claim.selected_node = walk.pick(6) == 0 ? "n1" : "";
    claim.owner_uid = walk.pick(2) == 0 ? "u1" : "u2";
    claim.driver = walk.pick(2) == 0 ? "d1" : "";
    claim.handle = walk.pick(2) == 0 ? "h" : "";
    claim.bytes = static_cast<std::int64_t>(walk.pick(3));
    claim.is_never_made = walk.pick(5) == 0;
    claim.is_storage_counted = walk.pick(3) == 0;
    if (walk.pick(8) == 0) claim.problem = "no provisioner";
    const core::NodeSelectorTerm in_a = {{{"zone", core::SelectorOperator::in, {"a"}}}, {}};
    const core::NodeSelectorTerm in_b = {{{"zone", core::SelectorOperator::in, {"b"}}}, {}};
    if (walk.pick(2) == 0) claim.nodes = {{core::VolumeRule::affinity, {walk.pick(2) == 0 ? in_a : in_b}}};
    for (const char* name : {"v1", "v2", "v3"}) {
        if (walk.pick(3) != 0) continue;
        claim.available.push_back({name, {}});
        if (walk.pick(2) == 0) claim.available.back().terms = {in_b, in_a};
        if (walk.pick(2) == 0) claim.available.back().terms = {in_b};
    }
    return claim;
}

std::string text_of(const core::Claim& claim) {
    std::string text = claim.state == core::ClaimState::bound       ? "bound"
                       : claim.state == core::ClaimState::consumer  ? "consumer"
                       : claim.state == core::ClaimState::immediate ? "immediate"
                                                                    : "lost";
    text += " " + claim.storage_class + " " + std::to_string(claim.bytes) + " of " + claim.owner_uid;
    if (claim.is_deleting) text += " deleting";
    if (claim.one_pod) text += " one-pod";
    if (!claim.selected_node.empty()) text += " selected";
    if (!claim.driver.empty()) text += " " + claim.driver + ":" + claim.handle;
    if (claim.is_never_made) text += " never-made";
    if (claim.is_storage_counted) text += " counted";
    if (!claim.problem.empty()) text += " problem";
    for (const auto& one : claim.available) text += " " + one.name + "/" + std::to_string(one.terms.size());
    return text + " " + text_of(claim.nodes);
}

struct ClaimWalk {
    explicit ClaimWalk(std::uint64_t seed) : walk(seed) {
        for (const char* uid : {"u1", "u2", "u3"}) {
            core::Pod pod = tests::pod(std::string("p-") + uid, 1, 1);
            pod.namespace_name = "ns";
            pod.uid = uid;
            if (walk.pick(8) != 0) {
                pod.claims = std::vector<core::ClaimUse>{};
                for (const char* name : {"a", "b", "c"}) {
                    if (walk.pick(2) == 0) pod.claims->push_back({name, walk.pick(4) == 0});
                }
                if (pod.claims->empty()) pod.claims->push_back({"a", false});
            }
            if (walk.pick(4) == 0) {
                core::Constraints constraints;
                core::FilterSet& left_out = constraints.left_out;
                if (walk.pick(2) == 0) left_out = left_out.with(core::FilterId::node_volume_limits);
                if (walk.pick(2) == 0) left_out = left_out.with(core::FilterId::volume_binding);
                if (walk.pick(2) == 0) left_out = left_out.with(core::FilterId::volume_restrictions);
                pod.constraints = constraints;
            }
            pods.push_back(pod);
        }
    }

    std::string foreseen_text() const {
        Words words;
        for (const gang::ForeseenClaim& one : foreseen) {
            words.push_back((one.is_class ? "/" : "") + one.name + ":" + std::to_string(one.bytes));
        }
        return joined(words);
    }

    std::string move() {
        const core::Pod& pod = walk.of(pods);
        const std::string space = walk.pick(3) == 0 ? "" : "ns";
        const std::string name = space.empty() ? "fast" : walk.of(Words{"a", "b", "c"});
        switch (walk.pick(14)) {
            case 0:
            case 1:
            case 2: {
                const std::size_t what = walk.pick(5);
                const auto mount = what < 3    ? gang::Claims::Mount::waits
                                   : what == 3 ? gang::Claims::Mount::holds
                                               : gang::Claims::Mount::none;
                claims.note(pod, mount, now_ms);
                return pod.uid + (what < 3 ? " waits" : what == 3 ? " holds" : " does nothing");
            }
            case 3:
                if (walk.pick(3) == 0) claims.forget(pod.uid);
                return pod.uid + " perhaps forgotten";
            case 4:
            case 5: {
                foreseen.clear();
                if (walk.pick(2) == 0) foreseen.push_back({walk.of(Words{"a", "b", "c"}), false, 0});
                if (walk.pick(3) != 0) foreseen.push_back({"fast", true, static_cast<std::int64_t>(walk.pick(3))});
                claims.expect(pods[0], foreseen, now_ms);
                return "foreseen " + foreseen_text();
            }
            case 6:
                if (walk.pick(3) == 0) claims.forget_executors(pods[0].uid);
                return "executors perhaps forgotten";
            case 7:
                claims.read_again(pod, now_ms);
                return pod.uid + " read again";
            case 8:
            case 9: {
                if (walk.pick(4) != 0) last = some_claim(walk);
                if (space.empty()) last.state = core::ClaimState::consumer;
                const auto told = claims.found({space, name, last}, now_ms);
                return "found " + space + "/" + name + " " + text_of(last) + " for " + joined(told);
            }
            case 10:
            case 11: {
                const std::size_t which = walk.pick(4);
                const auto problem = which == 0   ? gang::ClaimProblem::forbidden
                                     : which == 1 ? gang::ClaimProblem::failed
                                                  : gang::ClaimProblem::not_found;
                const std::string said = walk.pick(4) == 0 ? "503" : "500";
                const auto told = claims.missing({space, name, problem, said}, now_ms);
                const std::string why = which == 0 ? " forbidden" : which == 1 ? " failed" : " gone";
                return "missing " + space + "/" + name + why + said + " for " + joined(told);
            }
            case 12: {
                Words words;
                for (const auto& key : claims.due(now_ms)) words.push_back(key.namespace_name + "/" + key.name);
                return "due " + joined(words);
            }
            default:
                if (walk.pick(2) == 0) return "freed " + joined(claims.take_freed());
                if (walk.pick(2) == 0) {
                    storage.missing();
                    return "no storage";
                }
                storage.listed({{segment(walk)}});
                return "storage";
        }
    }

    static std::string text_of_obstacle(const std::optional<gang::ClaimObstacle>& one) {
        if (!one) return "fine";
        if (one->code == gang::ReasonCode::none) return "wait" + one->text;
        return std::string(to_string(one->code)) + " " + one->text;
    }

    std::string state() const {
        std::string text = claims.is_storage_wanted() ? " storage wanted" : "";
        text += claims.is_waited_for() ? " waited for by " + joined(claims.waiting_pods()) : "";
        text += " on fast " + joined(claims.waiting_for_storage({"fast"}));
        text += " " + std::to_string(claims.remembered()) + " next " + number(claims.next_due_ms(now_ms)) + "\n";
        const gang::ClaimQueries queries(claims, storage);
        core::Node node = tests::node("n1", 1, 1);
        node.labels = {{"zone", "a"}};
        for (const core::Pod& pod : pods) {
            const auto choice = queries.choose_volumes(pod, node);
            Words there;
            for (const auto& one : choice.there) there.push_back(one.claim + "=" + one.volume);
            text += "  " + pod.uid + ": " + text_of_obstacle(queries.find_obstacle(pod)) +
                    (claims.holders().holds(pod.uid) ? " holds" : "") + " beside " +
                    joined(claims.waiting_beside(pod.uid)) + volume_walks::text_of(queries.nodes_of(pod)) +
                    volume_walks::text_of(queries.volumes_of(pod)) + " made" + joined(choice.made) +
                    joined(there) + "\n";
        }
        return text + "  executors: " + text_of_obstacle(queries.find_obstacle(pods[0], foreseen)) +
               volume_walks::text_of(queries.nodes_of(pods[0], foreseen)) +
               volume_walks::text_of(queries.volumes_of(pods[0], foreseen)) + "\n";
    }

    Walk walk;
    gang::Claims claims;
    gang::StorageRoom storage;
    std::vector<core::Pod> pods;
    std::vector<gang::ForeseenClaim> foreseen;
    core::Claim last;
    std::int64_t now_ms = 1'000'000;
};

}  // namespace volume_walks
}  // namespace

TEST_CASE("transcripts: what is known of volume limits, and of the volumes that pods have") {
    using namespace volume_walks;
    std::string told;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Walk walk(seed);
        gang::VolumeCounts counts;
        std::int64_t now_ms = 1'000'000;
        told += "story " + std::to_string(seed) + "\n";
        for (int i = 0; i < 32; ++i) {
            told += volume_walks::move(walk, counts, now_ms) + ":";
            if (walk.pick(2) == 0) told += counts.take_news() ? " news" : " no news";
            told += state_of(counts, now_ms);
            now_ms += static_cast<std::int64_t>(walk.pick(4) * 300);
        }
    }
    tests::check_transcript("gang/model/volume/transcripts/volume_counts", told);
}

TEST_CASE("transcripts: where there is storage") {
    using namespace volume_walks;
    std::string told;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Walk walk(seed);
        gang::StorageRoom room;
        told += "story " + std::to_string(seed) + (room.ask() ? " asked" : "") + (room.ask() ? " again" : "") + "\n";
        for (int i = 0; i < 24; ++i) {
            const std::size_t what = walk.pick(8);
            if (what < 3) {
                gang::StorageListed event;
                told += "listed";
                for (std::size_t left = walk.pick(5); left > 0; --left) {
                    event.segments.push_back(segment(walk));
                    told += " " + text_of(event.segments.back());
                }
                room.listed(event);
                if (walk.pick(2) == 0) {
                    told += " changed " + joined(room.take_changed());
                    room.listed(event);
                }
            } else if (what < 7) {
                const core::StorageSegment one = segment(walk);
                room.changed({one});
                told += "changed " + text_of(one);
            } else {
                room.missing();
                told += "missing";
            }
            if (walk.pick(3) != 0) told += " changed " + joined(room.take_changed());
            told += ":" + state_of(room);
        }
    }
    tests::check_transcript("gang/model/volume/transcripts/storage_room", told);
}

TEST_CASE("transcripts: what claims keep pods waiting for, and which nodes and volumes they come to") {
    using namespace volume_walks;
    std::string told;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        ClaimWalk story(seed);
        told += "story " + std::to_string(seed);
        for (const core::Pod& pod : story.pods) {
            told += " " + pod.uid;
            if (!pod.claims) continue;
            for (const auto& use : *pod.claims) told += " " + use.name + (use.is_ephemeral ? "*" : "");
        }
        told += "\n";
        for (int i = 0; i < 34; ++i) {
            told += story.move() + ":";
            told += story.state();
            story.now_ms += static_cast<std::int64_t>(story.walk.pick(4) * 300);
        }
    }
    tests::check_transcript("gang/model/volume/transcripts/claims", told);
}

// What is written is sealed, and what comes back without a valid seal is taken out.

#include "gang/reservation/format/seal.hpp"

#include "gang/reservation/format/reservation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>

using gang::Seal;

namespace {

const std::string reservation(gang::reservation_annotation);
const std::string slot_key(gang::slot_annotation);
const std::string seal_key(gang::seal_annotation);

/// As good as a real one here: says all that it was made of.
Seal::Code keyed(const std::string& key) {
    return [key](std::string_view message) {
        std::string code = key;
        for (const char c : message) {
            code += c == '\n' ? '|' : c;
        }
        return code;
    };
}

core::Pod pod_with(core::StringMap annotations, const std::string& uid = "u1") {
    core::Pod pod;
    pod.uid = uid;
    pod.annotations = std::move(annotations);
    return pod;
}

core::StringMap closed(
    const Seal& seal, core::StringMap annotations, const std::string& uid = "u1") {
    seal.close(uid, annotations);
    return annotations;
}

}  // namespace

TEST_CASE("seal: what was written comes back as it was, without the seal") {
    const Seal seal({keyed("k")});
    for (const std::string& key : {reservation, slot_key}) {
        core::Pod pod = pod_with(closed(seal, {{key, "text"}}));
        CHECK(core::find_value(pod.annotations, seal_key) != nullptr);
        CHECK(seal.open(pod));
        CHECK(pod.annotations == core::StringMap{{key, "text"}});
    }
}

TEST_CASE("seal: annotations that open no slot are not sealed") {
    const Seal seal({keyed("k")});
    CHECK(closed(seal, {}).empty());
    CHECK(closed(seal, {{"a", "b"}}) == core::StringMap{{"a", "b"}});
}

TEST_CASE("seal: a text that was edited, copied to another pod or renamed is taken out") {
    const Seal seal({keyed("k")});
    const core::StringMap written = closed(seal, {{reservation, "text"}});
    core::Pod edited = pod_with(written);
    SUBCASE("edited") {
        edited.annotations[0].second = "text2";
    }
    SUBCASE("of another pod") {
        edited.uid = "u2";
    }
    SUBCASE("under the other name") {
        edited.annotations[1].first = slot_key;
    }
    SUBCASE("without its seal") {
        edited.annotations.erase(edited.annotations.begin() + 1);
    }
    SUBCASE("with half a seal") {
        edited.annotations[1].second.pop_back();
    }
    SUBCASE("with a longer seal") {
        edited.annotations[1].second += "0";
    }
    SUBCASE("with a seal of another version") {
        edited.annotations[1].second[1] = '2';
    }
    SUBCASE("with an empty seal") {
        edited.annotations[1].second.clear();
    }
    std::sort(edited.annotations.begin(), edited.annotations.end());
    CHECK_FALSE(seal.open(edited));
    CHECK(edited.annotations.empty());
}

TEST_CASE("seal: a text that a tenant adds does not take ours with it") {
    const Seal seal({keyed("k")});
    core::Pod pod = pod_with(closed(seal, {{reservation, "text"}}));
    pod.annotations.emplace_back(slot_key, "forged/0");
    std::sort(pod.annotations.begin(), pod.annotations.end());
    CHECK_FALSE(seal.open(pod));
    CHECK(pod.annotations == core::StringMap{{reservation, "text"}});
}

TEST_CASE("seal: where one part ends is part of what is sealed") {
    const Seal seal({keyed("k")});
    const core::StringMap written = closed(seal, {{reservation, "a1"}}, "u");
    core::Pod moved = pod_with(written, "u\na");
    moved.annotations[0].second = "1";
    CHECK_FALSE(seal.open(moved));
}

TEST_CASE("seal: while keys rotate the first one seals and both open") {
    const Seal old_key({keyed("old")});
    const Seal both({keyed("new"), keyed("old")});
    const Seal new_key({keyed("new")});
    core::Pod before = pod_with(closed(old_key, {{slot_key, "d/0"}}));
    CHECK(both.open(before));
    core::Pod after = pod_with(closed(both, {{slot_key, "d/0"}}));
    core::Pod late = after;
    CHECK(new_key.open(after));
    CHECK_FALSE(old_key.open(late));
}

TEST_CASE("seal: without a key nothing is sealed and every text stays") {
    const Seal none;
    CHECK(closed(none, {{reservation, "text"}}) == core::StringMap{{reservation, "text"}});
    core::Pod pod = pod_with({{reservation, "text"}, {seal_key, "v1 0"}});
    CHECK(none.open(pod));
    CHECK(pod.annotations == core::StringMap{{reservation, "text"}});
}

#include "k8s/protocol/known_objects.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace k8s::protocol;

namespace {

std::string hex(std::uint64_t number, std::size_t digits) {
    std::string text;
    for (std::size_t i = 0; i < digits; ++i) {
        text.insert(text.begin(), "0123456789abcdef"[number >> (4 * i) & 15]);
    }
    return text;
}

}  // namespace

TEST_CASE("known objects: the same as an ordered map, through insertions and deletions") {
    std::mt19937_64 random(20261121);
    for (const bool keeps_names : {false, true}) {
        KnownObjects objects({random(), random()}, keeps_names);
        std::map<std::string, std::pair<std::string, std::string>> truth;
        for (int step = 0; step < 20'000; ++step) {
            const std::string name = "ns/pod-" + std::to_string(random() % 700);
            const std::string uid = random() % 8 == 0 ? std::to_string(random() % 100)
                                                      : hex(random(), 8) + "-" + hex(random(), 4) +
                                                            "-4000-8000-" + hex(random(), 12);
            const std::string version =
                random() % 8 == 0 ? "v" + std::to_string(step) : std::to_string(step + 1);
            const auto id = objects.find(name);
            const auto known = truth.find(name);
            REQUIRE(id.has_value() == (known != truth.end()));
            if (!id) {
                objects.insert(name, uid, version);
                truth[name] = {uid, version};
                continue;
            }
            CHECK(objects.uid(*id) == known->second.first);
            CHECK(objects.version(*id) == known->second.second);
            CHECK(objects.has_uid(*id, known->second.first));
            CHECK(objects.has_version(*id, known->second.second));
            CHECK(objects.has_uid(*id, uid) == (uid == known->second.first));
            CHECK(objects.name(*id) == (keeps_names ? name : ""));
            if (random() % 2 == 0) {
                objects.erase(*id);
                truth.erase(known);
            } else {
                objects.set_uid(*id, uid);
                objects.set_version(*id, version);
                known->second = {uid, version};
            }
        }
        CHECK(objects.size() == truth.size());
        std::size_t used = 0;
        for (KnownObjects::Id id = 0; id < objects.id_end(); ++id) used += objects.is_used(id);
        CHECK(used == truth.size());
    }
}

TEST_CASE("known objects: texts that almost look like a uid or a number stay what they are") {
    KnownObjects objects({1, 2}, false);
    const std::string uid = "0b1c2d3e-0f00-4000-8000-0123456789ab";
    const std::vector<std::string> odd_uids = {
        uid,
        uid + "0",
        uid.substr(1),
        "0B1c2d3e-0f00-4000-8000-0123456789ab",
        "0b1c2d3e00f00-4000-8000-0123456789ab",
        std::string("1"),
        std::string()};
    for (const std::string& odd : odd_uids) {
        const auto id = objects.insert("n", odd, "5");
        CHECK(objects.uid(id) == odd);
        CHECK(objects.has_uid(id, odd));
        CHECK(objects.has_uid(id, uid) == (odd == uid));
        objects.erase(id);
    }
    for (const std::string& odd :
         {std::string("0"),
          std::string("007"),
          std::string("7"),
          std::string(""),
          std::string("9223372036854775808"),
          std::string(40, '9'),
          std::string("7a")}) {
        const auto id = objects.insert("n", uid, odd);
        CHECK(objects.version(id) == odd);
        CHECK(objects.has_version(id, odd));
        CHECK(objects.has_version(id, "7") == (odd == "7"));
        objects.erase(id);
    }
    CHECK(objects.size() == 0);
}

TEST_CASE("known objects: versions are ordered as the texts are") {
    KnownObjects objects({1, 2}, false);
    const auto id = objects.insert("n", "u", "50");
    CHECK(objects.compare_version("49", id) == std::partial_ordering::less);
    CHECK(objects.compare_version("50", id) == std::partial_ordering::equivalent);
    CHECK(objects.compare_version("100000000000000000000", id) == std::partial_ordering::greater);
    CHECK(objects.compare_version("x", id) == std::partial_ordering::unordered);
    objects.set_version(id, std::string(30, '9'));
    CHECK(objects.compare_version("50", id) == std::partial_ordering::less);
}

TEST_CASE("fingerprint: what is told apart, and that the seed counts") {
    const auto of = [](std::uint64_t seed, const std::vector<std::string>& texts) {
        Fingerprint fingerprint(seed);
        for (const std::string& text : texts) fingerprint.add(1, text);
        return fingerprint.value();
    };
    std::set<std::uint64_t> seen;
    std::string text;
    for (int i = 0; i < 100; ++i) {
        CHECK(seen.insert(of(7, {text})).second);
        CHECK(seen.insert(of(7, {text, ""})).second);
        CHECK(seen.insert(of(7, {text + '\0'})).second);
        for (std::size_t at = 0; at < text.size(); ++at) {
            std::string other = text;
            other[at] = static_cast<char>(other[at] ^ 1);
            CHECK(seen.insert(of(7, {other})).second);
        }
        text += 'a';
    }
    CHECK(of(7, {"ab", "c"}) != of(7, {"a", "bc"}));
    CHECK(of(7, {"a"}) == of(7, {"a"}));
    CHECK(of(7, {"a"}) != of(8, {"a"}));
}

TEST_CASE("known objects: names that are alike do not lie side by side") {
    std::mt19937_64 random(20261121);
    KnownObjects objects({random(), random()}, false);
    for (int number = 0; number < 10'000; ++number) {
        objects.insert(
            "run-1/other-" + std::to_string(1'000'000 + number), std::to_string(number), "1");
    }
    // By chance alone it would be about a hundred where three places of four are taken.
    CHECK(objects.longest_search() < 200);
}

TEST_CASE("known objects: versions of any size, and notes up to their bounds") {
    KnownObjects objects({1, 2}, false);
    const std::vector<std::string> versions = {
        "1",
        "9999999999999",
        "10000000000000",
        "17592186044416",
        "9999999999999999",
        "10000000000000000",
        "18014398509481984",
        "18446744073709551616",
        "v7"};
    for (const std::string& version : versions) {
        CAPTURE(version);
        const auto id = objects.insert("ns/" + version, "some-uid", version);
        const KnownObjects::Note most{
            (std::uint64_t{1} << 61) - 1, KnownObjects::lists_max - 1, true};
        objects.set_note(id, most);
        CHECK(objects.version(id) == version);
        CHECK(objects.has_version(id, version));
        CHECK_FALSE(objects.has_version(id, version + "0"));
        CHECK(objects.note(id).fingerprint == most.fingerprint);
        CHECK(objects.note(id).list == most.list);
        CHECK(objects.note(id).for_good);
        CHECK(objects.uid(id) == "some-uid");
        CHECK(objects.is_used(id));
    }
    const auto last = *objects.find("ns/9999999999999");  // that is kept as a number
    CHECK((objects.compare_version("10000000000000", last) == std::partial_ordering::greater));
    CHECK((objects.compare_version("9999999999998", last) == std::partial_ordering::less));
    const auto id = *objects.find("ns/9999999999999999");
    CHECK((objects.compare_version("10000000000000000", id) == std::partial_ordering::greater));
    CHECK((objects.compare_version("9999999999999998", id) == std::partial_ordering::less));
    const auto large = *objects.find("ns/18014398509481984");
    CHECK((objects.compare_version("9999999999999999", large) == std::partial_ordering::less));
    CHECK((objects.compare_version("18014398509481985", large) == std::partial_ordering::greater));
}

TEST_CASE(
    "known objects: each of many names is found as itself, whatever its place holds besides") {
    // All bits of a name's place are set and cleared by its neighbours in the same 40 bytes.
    std::mt19937_64 random(20261122);
    KnownObjects objects({random(), random()}, true);
    for (int number = 0; number < 20'000; ++number) {
        const std::string name = "ns/pod-" + std::to_string(number);
        const auto id = objects.insert(name, std::to_string(number), std::to_string(random()));
        objects.set_note(
            id,
            {random() >> 3,
             static_cast<std::uint32_t>(random() % KnownObjects::lists_max),
             random() % 2 == 0});
        objects.set_version(id, std::to_string(random() % 9'999'999'999'999 + 1));
    }
    for (int number = 0; number < 20'000; ++number) {
        const std::string name = "ns/pod-" + std::to_string(number);
        const auto id = objects.find(name);
        REQUIRE(id.has_value());
        CHECK(objects.name(*id) == name);
        CHECK(objects.uid(*id) == std::to_string(number));
    }
    CHECK_FALSE(objects.find("ns/pod-20000").has_value());
}

TEST_CASE("known objects: names that meet at the first point are told apart at the second") {
    // At the point 2, which no chance gives, one more in a word is two less in the next.
    const std::vector<std::string> meeting = {"baaaaaaa", "aaaaaaac", "caaaaaa_"};
    Fingerprint point_2(0);
    const auto value_of = [&](const std::string& name) {
        point_2.clear();
        point_2.add(1, name);
        return point_2.value();
    };
    REQUIRE(value_of(meeting[0]) == value_of(meeting[1]));
    REQUIRE(value_of(meeting[0]) == value_of(meeting[2]));
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        KnownObjects objects({0, seed * 0x9e3779b97f4a7c15U}, true);
        for (const std::string& name : meeting) {
            REQUIRE_FALSE(objects.find(name).has_value());
            objects.insert(name, "u-" + name, "1");
        }
        for (const std::string& name : meeting) CHECK(objects.name(*objects.find(name)) == name);
        objects.erase(*objects.find(meeting[0]));
        CHECK_FALSE(objects.find(meeting[0]).has_value());
        CHECK(objects.name(*objects.find(meeting[2])) == meeting[2]);
    }
}

TEST_CASE("known objects: the number of one that is gone is given to the next") {
    KnownObjects objects({1, 2}, false);
    objects.insert("ns/a", "not-a-uuid", "not-a-number");
    objects.insert("ns/b", "u", "1");
    const auto end = objects.id_end();
    for (int i = 0; i < 100; ++i) {
        const std::string name = "ns/" + std::to_string(i);
        objects.insert(name, "another", "v" + std::to_string(i));
        objects.erase(*objects.find(name));
    }
    CHECK(objects.id_end() == end + 1);
}

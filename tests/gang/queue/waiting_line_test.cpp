// The line of those who wait, against a naive one: order, entries, and what is counted of each
// class.
#include "gang/model/waiting_line.hpp"

#include "tests/gang/random.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using gang::Application;
using gang::QueueEntry;
using gang::WaitingLine;
using tests::Random;

namespace {

gang::EquivalenceKey class_of(std::uint32_t shape) {
    gang::EquivalenceKey key;
    key.shapes = {core::ShapeId{shape}};
    return key;
}

struct Place {
    std::uint32_t shape = 0;  ///< 0: not filed
    std::int64_t size = 0;
    bool is_attempted = false;
    bool failed_before = false;
};

/// Gangs by rank, with what should be known of their places.
struct Truth {
    std::vector<std::unique_ptr<Application>> apps;
    std::map<gang::Rank, Place> waiting;
    WaitingLine line;

    explicit Truth(int count) {
        for (int i = 0; i < count; ++i) {
            auto& app = *apps.emplace_back(std::make_unique<Application>());
            app.created = i / 3;
            app.uid = "uid-" + std::to_string(1'000 + (i * 7) % count);
        }
    }

    void check() {
        REQUIRE(line.size() == waiting.size());
        auto next = waiting.begin();
        std::map<std::uint32_t, std::map<std::int64_t, std::int32_t>> sizes;
        std::map<std::uint32_t, std::int32_t> unattempted;
        for (const Application* app : line) {
            const auto& [rank, place] = *next++;
            REQUIRE(app->rank() == rank);
            const QueueEntry* entry = line.find_entry(*app);
            REQUIRE(entry != nullptr);
            CHECK(entry->app == app);
            CHECK((entry->gang_class != nullptr) == (place.shape != 0));
            CHECK(entry->is_attempted == place.is_attempted);
            CHECK(entry->failed_before == place.failed_before);
            if (entry->gang_class != nullptr) {
                CHECK(entry->gang_class->first == class_of(place.shape));
                CHECK(entry->size == place.size);
                ++sizes[place.shape][place.size];
                unattempted[place.shape] += place.is_attempted ? 0 : 1;
            }
        }
        for (const auto& [key, gang_class] : line.classes().all()) {
            const std::uint32_t shape = key.shapes.front().value;
            CHECK(gang_class.sizes == sizes[shape]);
            CHECK(gang_class.unattempted == unattempted[shape]);
            std::size_t members = 0;
            for (const auto& [size, count] : sizes[shape]) {
                members += static_cast<std::size_t>(count);
            }
            CHECK(gang_class.members.size() == members);
        }
    }

    /// In the order of ranks, some of them of nobody.
    void check_entries() {
        std::vector<gang::Rank> ranks;
        const auto& entries = line.sorted_entries();
        for (std::size_t i = 0; i < entries.size(); ++i) {
            if (entries[i].app != nullptr) {
                CHECK(entries[i].app->entry_index == i);
                ranks.push_back(entries[i].app->rank());
            }
        }
        std::vector<gang::Rank> expected;
        for (const auto& [rank, place] : waiting) {
            expected.push_back(rank);
        }
        CHECK(ranks == expected);
    }
};

}  // namespace

TEST_CASE("waiting line: the same as an ordered map, whoever comes, goes and changes") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        Random chance(seed);
        Truth truth(400);
        WaitingLine& line = truth.line;
        for (int step = 0; step < 2'000; ++step) {
            // For a while more come than go, then the other way round.
            const bool is_growing = step % 1'000 < 600;
            Application& app = *truth.apps[static_cast<std::size_t>(chance.between(0, 399))];
            const bool waits = truth.waiting.contains(app.rank());
            REQUIRE(WaitingLine::contains(app) == waits);
            if (!waits && chance.chance(is_growing ? 80 : 20)) {
                const bool failed = chance.chance(20);
                CHECK(line.insert(app, failed));
                truth.waiting[app.rank()].failed_before = failed;
            } else if (waits && chance.chance(is_growing ? 10 : 60)) {
                CHECK(line.erase(app));
                truth.waiting.erase(app.rank());
                CHECK_FALSE(line.erase(app));
            } else if (waits && chance.chance(30)) {
                CHECK_FALSE(line.insert(app, false));
                line.changed(app);
                truth.waiting[app.rank()].shape = 0;
                truth.waiting[app.rank()].is_attempted = false;
            } else if (waits && truth.waiting[app.rank()].shape != 0) {
                line.classes().note_attempt(line.entry(app));
                line.classes().note_attempt(line.entry(app));
                truth.waiting[app.rank()].is_attempted = true;
            }
            if (chance.chance(20)) {
                for (Application* unclassified : line.take_unclassified()) {
                    Place& place = truth.waiting[unclassified->rank()];
                    REQUIRE(place.shape == 0);
                    place.shape = static_cast<std::uint32_t>(chance.between(1, 3));
                    place.size = chance.between(1, 4);
                    line.classify(*unclassified, class_of(place.shape), place.size);
                }
                CHECK(line.is_classified());
                for (const auto& [rank, place] : truth.waiting) {
                    REQUIRE(place.shape != 0);
                }
            }
            if (step % 97 == 0) truth.check();
            if (step % 311 == 0) truth.check_entries();
        }
        truth.check();
        truth.check_entries();
        for (const auto& app : truth.apps) {
            line.erase(*app);
        }
        CHECK(line.size() == 0);
        CHECK(line.sorted_entries().empty());
        CHECK(line.is_classified());
        line.take_unclassified();
        CHECK(line.classes().all().empty());
    }
}

TEST_CASE("waiting line: what was told counts no more when it is forgotten, or the gang changes") {
    WaitingLine line;
    Application first;
    first.uid = "a";
    Application second;
    second.uid = "b";
    for (Application* app : {&first, &second}) {
        line.insert(*app, false);
        line.take_unclassified();
        line.classify(*app, class_of(1), 1);
        line.entry(*app).is_reported = true;
    }
    SUBCASE("of one") {
        line.forget_reported(first);
        CHECK_FALSE(line.entry(first).is_reported);
        CHECK(line.entry(second).is_reported);
    }
    SUBCASE("of all") {
        line.forget_reported();
        CHECK_FALSE(line.entry(first).is_reported);
        CHECK_FALSE(line.entry(second).is_reported);
    }
    SUBCASE("of one that changes") {
        line.changed(first);
        CHECK_FALSE(line.entry(first).is_reported);
        CHECK(line.entry(second).is_reported);
    }
}

TEST_CASE("waiting line: a kind that nobody is of any more knows nothing, and goes") {
    WaitingLine line;
    Application app;
    app.uid = "a";
    line.insert(app, false);
    line.take_unclassified();
    line.classify(app, class_of(1), 4);
    gang::EquivalenceClass& gang_class = line.classes().all().at(class_of(1));
    gang_class.verdicts[0].refused = 4;
    line.erase(app);
    CHECK(gang_class.verdicts[0].refused == gang::ClassVerdict{}.refused);
    CHECK(line.classes().all().size() == 1);  // a cycle may stand in it
    line.take_unclassified();
    CHECK(line.classes().all().empty());
}

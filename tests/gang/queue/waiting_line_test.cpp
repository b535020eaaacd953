// The line of those who wait, against a naive one: order, rows, and what is counted of each kind.
#include "gang/queue/waiting_line.hpp"

#include "tests/gang/random.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using gang::Application;
using gang::WaitingLine;
using gang::WaitingRow;
using tests::Random;

namespace {

gang::KindKey kind_of(std::uint32_t shape) {
    gang::KindKey key;
    key.shapes = {core::ShapeId{shape}};
    return key;
}

struct Place {
    std::uint32_t shape = 0;  ///< 0: not filed
    std::int64_t size = 0;
    bool is_seen = false;
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
        std::map<std::uint32_t, std::int32_t> unseen;
        for (const Application* app : line) {
            const auto& [rank, place] = *next++;
            REQUIRE(app->rank() == rank);
            const WaitingRow* row = line.find_row(*app);
            REQUIRE(row != nullptr);
            CHECK(row->app == app);
            CHECK((row->kind != nullptr) == (place.shape != 0));
            CHECK(row->is_seen == place.is_seen);
            CHECK(row->failed_before == place.failed_before);
            if (row->kind != nullptr) {
                CHECK(row->kind->first == kind_of(place.shape));
                CHECK(row->size == place.size);
                ++sizes[place.shape][place.size];
                unseen[place.shape] += place.is_seen ? 0 : 1;
            }
        }
        for (const auto& [key, kind] : line.kinds()) {
            const std::uint32_t shape = key.shapes.front().value;
            CHECK(kind.sizes == sizes[shape]);
            CHECK(kind.unseen == unseen[shape]);
            std::size_t members = 0;
            for (const auto& [size, count] : sizes[shape]) {
                members += static_cast<std::size_t>(count);
            }
            CHECK(kind.members.size() == members);
        }
    }

    /// In the order of ranks, some of them of nobody.
    void check_rows() {
        std::vector<gang::Rank> ranks;
        const auto& rows = line.sorted_rows();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (rows[i].app != nullptr) {
                CHECK(rows[i].app->row == i);
                ranks.push_back(rows[i].app->rank());
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
                truth.waiting[app.rank()].is_seen = false;
            } else if (waits && truth.waiting[app.rank()].shape != 0) {
                line.see(line.row(app));
                line.see(line.row(app));
                truth.waiting[app.rank()].is_seen = true;
            }
            if (chance.chance(20)) {
                for (Application* unfiled : line.take_unfiled()) {
                    Place& place = truth.waiting[unfiled->rank()];
                    REQUIRE(place.shape == 0);
                    place.shape = static_cast<std::uint32_t>(chance.between(1, 3));
                    place.size = chance.between(1, 4);
                    line.file(*unfiled, kind_of(place.shape), place.size);
                }
                CHECK(line.is_filed());
                for (const auto& [rank, place] : truth.waiting) {
                    REQUIRE(place.shape != 0);
                }
            }
            if (step % 97 == 0) truth.check();
            if (step % 311 == 0) truth.check_rows();
        }
        truth.check();
        truth.check_rows();
        for (const auto& app : truth.apps) {
            line.erase(*app);
        }
        CHECK(line.size() == 0);
        CHECK(line.sorted_rows().empty());
        CHECK(line.is_filed());
        line.take_unfiled();
        CHECK(line.kinds().empty());
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
        line.take_unfiled();
        line.file(*app, kind_of(1), 1);
        line.row(*app).is_told = true;
    }
    SUBCASE("of one") {
        line.forget_told(first);
        CHECK_FALSE(line.row(first).is_told);
        CHECK(line.row(second).is_told);
    }
    SUBCASE("of all") {
        line.forget_told();
        CHECK_FALSE(line.row(first).is_told);
        CHECK_FALSE(line.row(second).is_told);
    }
    SUBCASE("of one that changes") {
        line.changed(first);
        CHECK_FALSE(line.row(first).is_told);
        CHECK(line.row(second).is_told);
    }
}

TEST_CASE("waiting line: a kind that nobody is of any more knows nothing, and goes") {
    WaitingLine line;
    Application app;
    app.uid = "a";
    line.insert(app, false);
    line.take_unfiled();
    line.file(app, kind_of(1), 4);
    gang::WaitingKind& kind = line.kinds().at(kind_of(1));
    kind.verdicts[0].refused = 4;
    line.erase(app);
    CHECK(kind.verdicts[0].refused == gang::KindVerdict{}.refused);
    CHECK(line.kinds().size() == 1);  // a walk may stand in it
    line.take_unfiled();
    CHECK(line.kinds().empty());
}

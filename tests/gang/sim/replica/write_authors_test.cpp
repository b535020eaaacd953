#include "gang/sim/replica/write/write_authors.hpp"

#include <doctest/doctest.h>

using namespace gang::sim;

TEST_CASE("write authors: those of one pod and kind come back in the order of asking") {
    WriteAuthors authors;
    const auto add = [&](const char* uid, WriteAuthors::Kind kind, std::uint64_t seen) {
        authors.add(uid, kind, Author{Actor::scheduler, 0, 1, 1, seen});
    };
    add("p1", WriteAuthors::Kind::patch, 1);
    add("p1", WriteAuthors::Kind::bind, 2);
    add("p1", WriteAuthors::Kind::patch, 3);
    add("p2", WriteAuthors::Kind::patch, 4);
    CHECK(authors.take("p1", WriteAuthors::Kind::patch).pods_seen == 1);
    CHECK(authors.take("p1", WriteAuthors::Kind::patch).pods_seen == 3);
    CHECK(authors.take("p1", WriteAuthors::Kind::bind).pods_seen == 2);
    CHECK_FALSE(authors.empty());
    CHECK(authors.take("p2", WriteAuthors::Kind::patch).pods_seen == 4);
    CHECK(authors.empty());
}

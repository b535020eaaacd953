// Which pods hold which claims.
#include "gang/model/volume/claim_holders.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::ClaimHolders;
using Names = std::vector<std::string>;

TEST_CASE("claim holders: a claim is free when the last pod that holds it has gone") {
    ClaimHolders holders;
    holders.hold("u1", {"ns/a", "ns/b"});
    holders.hold("0b6d7ffe-51a5-4f4c-8f0d-9c1a3c6b1d2e", {"ns/a"});
    CHECK(holders.size() == 2);
    CHECK(holders.holds("u1"));
    CHECK(holders.claims_of("u1") == Names{"ns/a", "ns/b"});
    CHECK(holders.is_held_beside("ns/a", "u1"));
    CHECK_FALSE(holders.is_held_beside("ns/b", "u1"));
    CHECK(holders.is_held_beside("ns/b", "u2"));
    CHECK_FALSE(holders.is_held_beside("ns/c", "u2"));
    CHECK(holders.release("u1") == Names{"ns/b"});
    CHECK(holders.release("u1").empty());
    CHECK_FALSE(holders.is_held_beside("ns/a", "0b6d7ffe-51a5-4f4c-8f0d-9c1a3c6b1d2e"));
    CHECK(holders.release("0b6d7ffe-51a5-4f4c-8f0d-9c1a3c6b1d2e") == Names{"ns/a"});
    CHECK(holders.size() == 0);
    CHECK(holders.claims_of("u1").empty());
}

#include "gang/sim/base/run_record.hpp"

#include <doctest/doctest.h>

using namespace gang::sim;

TEST_CASE("run record: the digest knows the order of what happened, the counts do not") {
    const std::int64_t now_ms = 0;
    RunRecord one({}, now_ms);
    RunRecord other({}, now_ms);
    const Planned first{10, 1, 0, 3, Happening::kubelet_ends};
    const Planned second{20, 2, 0, 4, Happening::kubelet_ends};
    one.happened(first);
    one.happened(second);
    other.happened(second);
    other.happened(first);
    CHECK(one.counts.happenings == 2);
    CHECK(other.counts.happenings == 2);
    CHECK(one.digest.value() != other.digest.value());
}

TEST_CASE("run record: a delivery is in the digest by its revision") {
    const std::int64_t now_ms = 0;
    RunRecord one({}, now_ms);
    RunRecord other({}, now_ms);
    one.delivered(101);
    other.delivered(102);
    CHECK(one.counts.deliveries == 1);
    CHECK(one.digest.value() != other.digest.value());
}

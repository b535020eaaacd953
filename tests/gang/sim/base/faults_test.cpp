#include "gang/sim/base/faults.hpp"

#include <doctest/doctest.h>

using namespace gang::sim;

TEST_CASE("faults: in the calm nothing strikes, and chance is not asked") {
    FaultRates rates = {};
    rates[static_cast<std::size_t>(Fault::request_lost)] = 1'000'000;
    Random random(7);
    Faults faults(rates, random);
    CHECK(faults.strikes(Fault::request_lost));
    CHECK_FALSE(faults.is_calm());
    faults.stop(5'000);
    Random untouched = random;
    CHECK_FALSE(faults.strikes(Fault::request_lost));
    CHECK(faults.is_calm());
    CHECK(faults.calm_since_ms() == 5'000);
    CHECK(faults.counts()[static_cast<std::size_t>(Fault::request_lost)] == 1);
    CHECK(random.next() == untouched.next());
}

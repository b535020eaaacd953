#include "gang/sim/replica/lease_release.hpp"

#include <doctest/doctest.h>

using namespace gang::sim;

namespace {

LeaseRelease begun(LeaseEnd end) {
    LeaseRelease release;
    release.begin(end, 10'000);
    return release;
}

}  // namespace

TEST_CASE("lease release: two writes at most") {
    LeaseRelease release = begun(LeaseEnd::release);
    CHECK(release.next_write(10'000));
    CHECK(release.next_write(10'100));
    CHECK_FALSE(release.next_write(10'200));
}

TEST_CASE("lease release: none after two seconds") {
    LeaseRelease release = begun(LeaseEnd::release);
    CHECK(release.left_ms(11'999) == 1);
    CHECK(release.next_write(11'999));
    CHECK_FALSE(release.next_write(12'000));
}

TEST_CASE("lease release: a Lease that is left is not written") {
    CHECK_FALSE(begun(LeaseEnd::leave).next_write(10'000));
}

TEST_CASE("lease release: only a Lease with an epoch can say that all is settled") {
    const k8s::protocol::UpdateLease update{"12", 3, false};
    CHECK(begun(LeaseEnd::settle).lease(update, 77, 5).settled);
    CHECK_FALSE(begun(LeaseEnd::settle).lease(update, 77, 0).settled);
    const k8s::protocol::Lease lease = begun(LeaseEnd::release).lease(update, 77, 5);
    CHECK_FALSE(lease.settled);
    CHECK(lease.holder.empty());
    CHECK(lease.epoch == 5);
    CHECK(lease.resource_version == "12");
    CHECK(lease.duration_ms == k8s::protocol::lease_released_ms);
}

#include "k8s/protocol/flow/token_bucket.hpp"

#include <doctest/doctest.h>

using k8s::protocol::TokenBucket;

TEST_CASE("token bucket: a burst, then the rate") {
    TokenBucket bucket(10, 3);
    std::int64_t now = 5'000;
    CHECK(bucket.take(now));
    CHECK(bucket.take(now));
    CHECK(bucket.take(now));
    CHECK_FALSE(bucket.take(now));
    CHECK(bucket.wait_ms(now) == 100);
    CHECK_FALSE(bucket.take(now + 99));
    CHECK(bucket.take(now + 100));
    CHECK_FALSE(bucket.take(now + 100));
}

TEST_CASE("token bucket: never more than the burst, however long nothing was taken") {
    TokenBucket bucket(10, 3);
    CHECK(bucket.take(0));
    int taken = 0;
    while (bucket.take(1'000'000'000)) ++taken;
    CHECK(taken == 3);
}

TEST_CASE("token bucket: a rate of zero gives nothing after the burst, and says so") {
    TokenBucket bucket(0, 0);
    CHECK_FALSE(bucket.take(0));
    CHECK_FALSE(bucket.take(1'000'000));
    CHECK(bucket.wait_ms(1'000'000) == -1);
}

// HMAC-SHA-256 against the vectors of RFC 4231.

#include "k8s/credentials/hmac.hpp"

#include <doctest/doctest.h>

#include <string>

using k8s::Hmac;

TEST_CASE("hmac: the vectors of RFC 4231") {
    CHECK(
        Hmac(std::string(20, '\x0b')).code("Hi There") ==
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    CHECK(
        Hmac("Jefe").code("what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    CHECK(
        Hmac(std::string(131, '\xaa'))
            .code("Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("hmac: one message does not change the code of the next") {
    const Hmac hmac("Jefe");
    const std::string first = hmac.code("a");
    CHECK(hmac.code("b") != first);
    CHECK(hmac.code("a") == first);
    CHECK(hmac.code("").size() == 64);
}

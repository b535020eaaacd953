#include "gang/app/api/leader_forward.hpp"

#include <doctest/doctest.h>

#include <string>

using gang::app::advertised_api;

namespace {

std::string advertised(const std::string& listen, const char* pod_ip = "10.1.2.3") {
    config::Api api;
    api.enabled = true;
    api.listen = listen;
    return advertised_api(api, pod_ip);
}

}  // namespace

TEST_CASE("leader forward: where others reach the API is told only where they can") {
    CHECK(advertised("127.0.0.1:10353") == "127.0.0.1:10353");
    CHECK(advertised("[fd00::1]:10353") == "[fd00::1]:10353");
    CHECK(advertised(":10353") == "10.1.2.3:10353");
    CHECK(advertised("0.0.0.0:10353") == "10.1.2.3:10353");
    CHECK(advertised("[::]:10353", "fd00::7") == "[fd00::7]:10353");
    CHECK(advertised(":10353", nullptr).empty());
    CHECK(advertised(":10353", "").empty());
    CHECK(advertised(":10353", "leader.example").empty());
    CHECK(advertised("127.0.0.1:0").empty());
    CHECK(advertised("nonsense").empty());
    CHECK(advertised_api(config::Api(), "10.1.2.3").empty());
}

#include "gang/app/cli/service/ui_proxy.hpp"

#include <doctest/doctest.h>

using namespace gang::app;

TEST_CASE("ui: the Service's proxy on the API server, its names encoded") {
    CHECK(
        proxy_path({}) ==
        "/api/v1/namespaces/gang-system/services/http:gang-scheduler:api/proxy/");
    CHECK(
        proxy_path({"a/b", "c?", "1"}) == "/api/v1/namespaces/a%2Fb/services/http:c%3F:1/proxy/");
}

TEST_CASE("ui: what is passed on stays below the page's own paths") {
    for (const char* target :
         {"/api/v1/",
          "/api/v1/gangs",
          "/api/v1/gangs?q=a%20b&state=Waiting",
          "/api/v1/gangs/etl/a.b-c",
          "/api/v1/nodes/a..b",
          "/api/v1/gangs?q=../.."}) {
        CHECK_MESSAGE(is_passed_on(target), target);
    }
    for (const char* target :
         {"",
          "/",
          "/apis/apps/v1",
          "/api/v1",
          "/api/v1/../secrets",
          "/api/v1/..",
          "/api/v1/./gangs",
          "/api/v1/%2e%2e/secrets",
          "/api/v1/%2E%2E%2Fsecrets",
          "/api/v1/a%2f..%2fb",
          "/api/v1/%252e%252e/x",
          "/api/v1//gangs",
          "/api/v1/a%2f%2fb",
          "/api/v1/..\\x",
          "/api/v1/%5c..",
          "/api/v1/a%zz",
          "/api/v1/gangs\x01",
          "http://127.0.0.1/api/v1/gangs"}) {
        CHECK_MESSAGE(!is_passed_on(target), target);
    }
}

#include "k8s/credentials/proxy.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace k8s;

TEST_CASE("proxy: its URL") {
    CHECK(*parse_proxy("http://p:3128") == Proxy{"p", 3128, ""});
    CHECK(*parse_proxy("HTTP://p/path") == Proxy{"p", 80, ""});
    CHECK(*parse_proxy("http://[fd00::1]:8080") == Proxy{"fd00::1", 8080, ""});
    CHECK(*parse_proxy("http://a:b%3Ac@p:1") == Proxy{"p", 1, "Basic YTpiOmM="});
    CHECK(*parse_proxy("http://a@p:1") == Proxy{"p", 1, "Basic YTo="});
    for (const char* bad :
         {"",
          "p:3128",
          "https://p",
          "socks5://p",
          "http://",
          "http://:80",
          "http://p:0",
          "http://p:x",
          "http://[::1",
          "http://u:secret@p:99999",
          "http://p q"}) {
        CAPTURE(bad);
        const auto proxy = parse_proxy(bad);
        REQUIRE_FALSE(proxy);
        CHECK(proxy.error().message.find("secret") == std::string::npos);
    }
}

TEST_CASE("proxy: NO_PROXY by name, suffix, address, network and port, as Go reads it") {
    const auto direct = [](const char* list, const char* host = "api.example.com") {
        return is_reached_directly(host, 6443, list);
    };
    CHECK_FALSE(direct(""));
    CHECK(direct("*"));
    CHECK(direct("other, example.com"));
    CHECK(direct("API.example.com"));
    CHECK(direct(".example.com"));
    CHECK(direct("*.example.com"));
    CHECK_FALSE(direct(".api.example.com"));  // a dot means what is below
    CHECK_FALSE(direct("ample.com"));
    CHECK(direct("example.com:6443"));
    CHECK_FALSE(direct("example.com:443"));
    CHECK(direct("10.0.0.0/8", "10.1.2.3"));
    CHECK_FALSE(direct("10.0.0.0/8", "11.1.2.3"));
    CHECK_FALSE(direct("10.0.0.0/8"));
    CHECK(direct("10.1.2.3", "10.1.2.3"));
    CHECK_FALSE(direct("2.3", "10.1.2.3"));
    CHECK(direct("fd00::/8", "fd00::1"));
    CHECK(direct("[fd00::1]:6443", "fd00::1"));
    for (const char* host : {"localhost", "127.0.0.1", "127.8.8.8", "::1"}) {
        CHECK(direct("", host));
    }
}

TEST_CASE("proxy: what the environment wants") {
    for (const char* name : {"HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"}) {
        ::unsetenv(name);
    }
    const auto wanted = [] { return proxy_of_environment("api", 6443); };
    CHECK_FALSE(*wanted());
    ::setenv("https_proxy", "p:3128", 1);
    CHECK(**wanted() == Proxy{"p", 3128, ""});
    ::setenv("HTTPS_PROXY", "http://q", 1);
    CHECK(**wanted() == Proxy{"q", 80, ""});
    ::setenv("no_proxy", "api", 1);
    CHECK_FALSE(*wanted());
    ::unsetenv("no_proxy");
    ::setenv("HTTPS_PROXY", "socks5://q", 1);
    REQUIRE_FALSE(wanted());
    CHECK(wanted().error().message.find("HTTPS_PROXY: expected http://") == 0);
    ::unsetenv("HTTPS_PROXY");
    ::unsetenv("https_proxy");
}

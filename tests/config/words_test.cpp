#include "config/address.hpp"
#include "config/printable.hpp"
#include "core/base/suggest.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

TEST_CASE("printable: nothing that moves a cursor or hides text gets through") {
    CHECK(config::printable("plain text, ünïcode") == "plain text, ünïcode");
    CHECK(config::printable("a\nb\tc\r") == "a\\nb\\tc\\r");
    CHECK(config::printable("\x1b[31mred") == "\\x1b[31mred");
    CHECK(config::printable("\xE2\x80\xAEtxt") == "\\u202etxt");
    CHECK(config::printable("\xC2\x9B") == "\\x9b");
    CHECK(config::printable(std::string("\0x", 2)) == "\\x00x");
}

TEST_CASE("printable: bytes that are no UTF-8 are shown as bytes") {
    CHECK(config::printable("\xFF\xC0\xAFz") == "\\xff\\xc0\\xafz");
    CHECK(config::printable("\xE2\x80") == "\\xe2\\x80");
    CHECK(config::printable("\xED\xA0\x80") == "\\xed\\xa0\\x80");
}

TEST_CASE("printable: long text is cut") {
    CHECK(config::printable("abcdef", 3) == "abc...");
    CHECK(config::printable("abc", 3) == "abc");
}

TEST_CASE("suggest: near words only, whatever their case and separators") {
    const std::vector<std::string> known = {"leaseName", "leaseDuration", "enabled"};
    CHECK(core::did_you_mean("leasename", known) == ", did you mean \"leaseName\"?");
    CHECK(core::did_you_mean("lease-duration", known) == ", did you mean \"leaseDuration\"?");
    CHECK(core::did_you_mean("enable", known) == ", did you mean \"enabled\"?");
    CHECK(core::did_you_mean("kubeconfig", known).empty());
    CHECK(core::did_you_mean("", known).empty());
}

TEST_CASE("address: loopback in all its forms, and nothing else") {
    using config::ListenAddress;
    using config::parse_loopback;
    CHECK(*parse_loopback("127.0.0.1:80") == ListenAddress{"127.0.0.1", 80});
    CHECK(*parse_loopback("127.9.8.7:0") == ListenAddress{"127.9.8.7", 0});
    CHECK(*parse_loopback("localhost:80") == ListenAddress{"127.0.0.1", 80});
    CHECK(*parse_loopback("[::1]:80") == ListenAddress{"::1", 80});
    for (const char* text :
         {"10.0.0.1:80",
          "127.0.0:80",
          "127.0.0.1.1:80",
          "127.0.0.256:80",
          "::1:80",
          ":80",
          "",
          "127.0.0.1:",
          "127.0.0.1:x",
          "127.0.0.1:-1",
          "[::2]:80",
          "example.com:80"}) {
        CHECK_MESSAGE(!parse_loopback(text), text);
    }
}

TEST_CASE("address: a private one is on loopback or a Unix socket") {
    using config::ListenAddress;
    using config::parse_private;
    CHECK(*parse_private("127.0.0.1:80") == ListenAddress{"127.0.0.1", 80});
    CHECK(*parse_private("unix:/run/x.sock") == ListenAddress{"", 0, "/run/x.sock"});
    const std::string longest = "unix:/" + std::string(config::socket_path_max - 1, 'x');
    CHECK(parse_private(longest).has_value());
    for (const std::string& text :
         {longest + "x",
          std::string("unix:"),
          std::string("unix:run/x"),
          std::string("unix:/run/"),
          std::string("10.0.0.1:80"),
          std::string(":80")}) {
        CHECK_MESSAGE(!parse_private(text), text);
    }
}

TEST_CASE("address: any address, or all of them") {
    using config::ListenAddress;
    using config::parse_listen;
    CHECK(*parse_listen(":10352") == ListenAddress{"", 10352});
    CHECK(*parse_listen("0.0.0.0:1") == ListenAddress{"0.0.0.0", 1});
    CHECK(*parse_listen("10.1.2.3:0") == ListenAddress{"10.1.2.3", 0});
    CHECK(*parse_listen("localhost:1") == ListenAddress{"127.0.0.1", 1});
    CHECK(*parse_listen("[::]:1") == ListenAddress{"::", 1});
    CHECK(*parse_listen("[fd00::12]:1") == ListenAddress{"fd00::12", 1});
    for (const char* text :
         {"",
          ":",
          "80",
          "example.com:80",
          "10.0.0:80",
          "::1:80",
          "[]:80",
          "[x::]:80",
          ":70000",
          "unix:/run/x.sock"}) {
        CHECK_MESSAGE(!parse_listen(text), text);
    }
    CHECK(config::describe(*parse_listen("[::1]:80")) == "[::1]:80");
    CHECK(config::describe(*parse_listen(":80")) == ":80");
    CHECK(config::describe(*config::parse_private("unix:/run/x")) == "unix:/run/x");
}

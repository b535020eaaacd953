// The page's files: small, alone, and without a way for markup of others.
#include "gang/app/page/assets.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <regex>
#include <string>

using namespace gang::app;

using tests::contains;

namespace {

std::string text_of(std::string_view path) {
    for (const Asset& asset : page_assets()) {
        if (asset.path == path) {
            return std::string(asset.text);
        }
    }
    FAIL("no such file of the page");
    return {};
}

}  // namespace

TEST_CASE("page: it is small, also without being packed") {
    std::size_t bytes = 0;
    for (const Asset& asset : page_assets()) {
        CHECK_FALSE(asset.text.empty());
        bytes += asset.text.size();
    }
    CHECK(bytes < 60'000);
}

TEST_CASE("page: it asks nobody else, and below any path") {
    const std::regex link(R"x((?:href|src)="([^"]*)")x");
    const std::string html = text_of("/");
    int links = 0;
    for (std::sregex_iterator it(html.begin(), html.end(), link), end; it != end; ++it) {
        const std::string target = (*it)[1];
        CHECK_MESSAGE(!target.starts_with("/"), target);
        CHECK_MESSAGE(!contains(target, ":"), target);
        ++links;
    }
    CHECK(links > 5);
    const std::string script = text_of("/page.js");
    CHECK(contains(script, "fetch(\"api/v1/\""));
    CHECK(contains(script, "EventSource(\"api/v1/events\")"));
    CHECK_FALSE(contains(script, "://"));
    CHECK_FALSE(contains(text_of("/page.css"), "url("));
}

TEST_CASE("page: text of others can only become text") {
    const std::string script = text_of("/page.js");
    for (const char* way :
         {"innerHTML",
          "outerHTML",
          "insertAdjacentHTML",
          "document.write",
          "DOMParser",
          "createContextualFragment",
          "eval(",
          "new Function",
          "srcdoc"}) {
        CHECK_MESSAGE(!contains(script, way), way);
    }
}

TEST_CASE("page: the policy that it is served with lets it run") {
    const std::string html = text_of("/");
    CHECK_FALSE(std::regex_search(html, std::regex(R"(<script(?![^>]*\bsrc=))")));
    CHECK_FALSE(contains(html, "<style"));
    CHECK_FALSE(contains(html, " style="));
    CHECK_FALSE(std::regex_search(html, std::regex(R"( on[a-z]+=)")));
}

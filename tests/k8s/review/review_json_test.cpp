// What is asked about a caller, and what the answers mean.
#include "k8s/review/review_json.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace k8s;

TEST_CASE("review: a token is asked about as it is, whatever is in it") {
    CHECK(
        token_review("a\"}b") ==
        R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"a\"}b"}})");
}

TEST_CASE("review: the user of an answer goes into the next question as it came") {
    const auto user = user_of_token_review(
        R"({"status":{"authenticated":true,"user":{"username":"me\"x","uid":"u1","groups":["a","b"],)"
        R"("extra":{"k":["v"]}}}})");
    REQUIRE(user);
    CHECK(*user == R"("user":"me\"x","groups":["a","b"],"uid":"u1","extra":{"k":["v"]})");
    CHECK(
        list_pods_review(*user, "etl") ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"me\"x",)"
        R"("groups":["a","b"],"uid":"u1","extra":{"k":["v"]},"resourceAttributes":{"verb":"list","group":"",)"
        R"("version":"v1","resource":"pods","namespace":"etl"}}})");
}

TEST_CASE("review: who is nobody, and answers that say nothing") {
    CHECK(*user_of_token_review(R"({"status":{"authenticated":false}})") == "");
    CHECK(*user_of_token_review(R"({"status":{"error":"expired"}})") == "");
    for (const char* odd :
         {"", "{}", "[]", R"({"status":{"authenticated":true}})", R"({"status":{"authenticated":true,"user":{}}})",
          R"({"status":{"authenticated":true,"user":{"username":""}}})"}) {
        CHECK_FALSE_MESSAGE(user_of_token_review(odd), odd);
    }
}

TEST_CASE("review: allowed is allowed, and a denial counts more") {
    CHECK(*is_allowed(R"({"status":{"allowed":true}})"));
    CHECK_FALSE(*is_allowed(R"({"status":{"allowed":false}})"));
    CHECK_FALSE(*is_allowed(R"({"status":{"allowed":true,"denied":true}})"));
    CHECK_FALSE(*is_allowed(R"({"status":{"allowed":"true"}})"));
    CHECK_FALSE(is_allowed("{}"));
}

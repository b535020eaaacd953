#include "k8s/codec/quota/codec_quota.hpp"
#include "k8s/quota/quota_client.hpp"
#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <optional>
#include <string>
#include <mutex>
#include <utility>
#include <vector>

using namespace k8s;

namespace {

std::string list_of(const std::string& items) {
    return R"({"kind": "List", "items": [)" + items + "]}";
}

core::ResourceQuota quota_of(const std::string& spec, const std::string& status = "{}") {
    auto read = decode_resource_quotas(list_of(
        R"({"metadata": {"name": "team"}, "spec": )" + spec + R"(, "status": )" + status + "}"));
    REQUIRE(read);
    REQUIRE(read->size() == 1);
    return read->front();
}

std::vector<core::LimitBounds> bounds_of(const std::string& item) {
    auto read = decode_limit_ranges(
        list_of(R"({"metadata": {"name": "sizes"}, "spec": {"limits": [)" + item + "]}}"));
    REQUIRE(read);
    return *read;
}

/// Answers to the list of each kind.
struct Lists {
    std::mutex mutex;
    std::vector<std::string> asked;
    int quota_status = 200;
    int range_status = 200;
    std::string quotas = list_of("");

    void handle(fake::Peer& peer, const fake::Request& request) {
        const std::lock_guard lock(mutex);
        asked.push_back(request.target);
        const bool is_quotas = request.target.ends_with("/resourcequotas");
        const int status = is_quotas ? quota_status : range_status;
        if (status != 200) {
            return peer.reply(status, R"({"kind":"Status","message":"no"})");
        }
        peer.reply(
            200,
            is_quotas ? quotas
                      : list_of(R"({"metadata": {"name": "r"},
                            "spec": {"limits": [{"type": "Pod", "max": {"cpu": "2"}}]}})"));
    }
};

QuotaResult ask(fake::Server& server) {
    boost::asio::io_context io;
    QuotaClient client(io, server.endpoint());
    std::optional<QuotaResult> result;
    client.read("etl", [&](const QuotaResult& answer) { result = answer; });
    CHECK_FALSE(result);  // never from inside the call
    fake::run_until(io, [&] { return result.has_value(); });
    client.stop();
    io.restart();
    io.run_for(std::chrono::seconds(1));
    return *result;
}

}  // namespace

TEST_CASE("codec_quota: hard and used amounts in their units") {
    const auto quota = quota_of(
        R"({"hard": {"requests.cpu": "1500m", "pods": "1k", "limits.memory": "1Gi"}})",
        R"({"hard": {"requests.cpu": "2"}, "used": {"requests.cpu": "500m", "pods": "3"}})");
    CHECK(quota.name == "team");
    REQUIRE(quota.amounts.size() == 3);
    CHECK(quota.amounts[0] == core::QuotaAmount{"limits.memory", 1'073'741'824, 0});
    CHECK(quota.amounts[1] == core::QuotaAmount{"pods", 1'000, 3});
    // What is enforced is what the status has.
    CHECK(quota.amounts[2] == core::QuotaAmount{"requests.cpu", 2'000, 500});
}

TEST_CASE("codec_quota: scopes") {
    const auto count = [](const std::string& spec) {
        auto read = decode_resource_quotas(list_of(R"({"spec": )" + spec + "}"));
        REQUIRE(read);
        return read->size();
    };
    CHECK(count(R"({"scopes": ["Terminating"]})") == 0);
    CHECK(count(R"({"scopes": ["BestEffort"]})") == 0);
    CHECK(count(R"({"scopes": ["NotTerminating", "NotBestEffort"]})") == 1);
    CHECK(
        count(R"({"scopeSelector": {"matchExpressions": [{"scopeName": "BestEffort",
            "operator": "Exists"}]}})") == 0);
    const auto quota = quota_of(R"({"scopeSelector": {"matchExpressions": [
        {"scopeName": "PriorityClass", "operator": "NotIn", "values": ["high"]}]}})");
    REQUIRE(quota.classes.size() == 1);
    CHECK(quota.classes.front() ==
          core::PriorityClassScope{core::ScopeOperator::not_in, {"high"}});
}

TEST_CASE("codec_quota: what does not fit in 64 bits is the largest that does") {
    const auto quota = quota_of(R"({"hard": {"memory": "1e40", "pods": "99999999999999999999"}})");
    CHECK(quota.amounts[0].hard == std::numeric_limits<std::int64_t>::max());
    CHECK(quota.amounts[1].hard == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("codec_quota: what makes no sense is named") {
    for (const char* const spec :
         {R"({"hard": {"pods": "many"}})",
          R"({"hard": {"pods": 7}})",
          R"({"hard": []})",
          R"({"hard": {"pods": ""}})",
          R"({"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "?"}]}})"}) {
        CAPTURE(spec);
        auto read = decode_resource_quotas(
            list_of(R"({"metadata": {"name": "team"}, "spec": )" + std::string(spec) + "}"));
        REQUIRE_FALSE(read);
        CHECK(read.error().message.starts_with("ResourceQuota team: "));
    }
    CHECK_FALSE(decode_resource_quotas("[]"));
    CHECK_FALSE(decode_resource_quotas("nonsense"));
    CHECK_FALSE(decode_limit_ranges("nonsense"));
    CHECK_FALSE(decode_limit_ranges(list_of(R"({"spec": {"limits": [{"type": "Pod",
        "max": {"cpu": "x"}}]}})")));
}

TEST_CASE("codec_quota: items of a LimitRange, with the defaults that follow from them") {
    const auto bounds = bounds_of(R"({"type": "Container", "max": {"cpu": "4"}, "min": {"memory": "1Gi"},
        "maxLimitRequestRatio": {"cpu": "1500m"}})");
    REQUIRE(bounds.size() == 2);
    CHECK(bounds[0].range == "sizes");
    CHECK(bounds[0].resource == "cpu");
    CHECK(bounds[0].default_limit == 4'000);
    CHECK(bounds[0].default_request == 4'000);
    CHECK(bounds[0].ratio_milli == 1'500);
    CHECK(bounds[1].min == 1'073'741'824);
    CHECK(bounds[1].default_request == 1'073'741'824);
    CHECK_FALSE(bounds[1].default_limit);
    CHECK(bounds_of(R"({"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}})").empty());
    const auto of_pod = bounds_of(R"({"type": "Pod", "max": {"cpu": "4"}})");
    CHECK(of_pod.front().is_pod);
    CHECK_FALSE(of_pod.front().default_limit);
}

TEST_CASE("quota_client: both lists of the namespace are one answer") {
    Lists lists;
    fake::Server server(
        [&](fake::Peer& peer, const fake::Request& request) { lists.handle(peer, request); });
    SUBCASE("found") {
        lists.quotas = list_of(R"({"metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}}})");
        const QuotaResult result = ask(server);
        CHECK(result.outcome == FetchOutcome::found);
        CHECK(result.quotas.quotas.size() == 1);
        CHECK(result.quotas.bounds.size() == 1);
        CHECK(lists.asked == std::vector<std::string>{
                                 "/api/v1/namespaces/etl/resourcequotas",
                                 "/api/v1/namespaces/etl/limitranges"});
    }
    SUBCASE("forbidden") {
        lists.range_status = 403;
        CHECK(ask(server).outcome == FetchOutcome::forbidden);
        lists.quota_status = 403;
        CHECK(ask(server).outcome == FetchOutcome::forbidden);
        CHECK(ask(server).message == "no");
    }
    SUBCASE("nonsense") {
        lists.quotas = list_of(R"({"metadata": {"name": "q"}, "spec": {"hard": {"pods": "x"}}})");
        CHECK(ask(server).outcome == FetchOutcome::unreadable);
    }
    SUBCASE("not now") {
        lists.quota_status = 500;
        CHECK(ask(server).outcome == FetchOutcome::failed);
    }
}

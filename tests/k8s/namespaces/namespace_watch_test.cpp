// Labels of namespaces: what the JSON says, and the watch against a server that plays the API server.
#include "k8s/namespaces/namespace_watch.hpp"

#include "k8s/codec/namespaces/codec_namespace.hpp"
#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

using namespace k8s;
using core::NamespaceLabels;

namespace {

std::string namespace_json(const std::string& name, const std::string& team) {
    return R"({"metadata":{"name":")" + name + R"(","labels":{"team":")" + team + R"("}}})";
}

struct NamespaceRig {
    NamespaceRig()
        : server([this](fake::Peer& peer, const fake::Request& request) { handle(peer, request); }) {
        NamespaceWatchOptions options;
        options.pause_ms_min = 1;
        options.pause_ms_max = 5;
        options.pause_ms_denied = 5;
        options.listed = [this](std::vector<NamespaceLabels> all) {
            lists.push_back(std::move(all));
        };
        options.changed = [this](NamespaceLabels one) { changes.push_back(std::move(one)); };
        options.deleted = [this](std::string name) { deletions.push_back(std::move(name)); };
        options.denied = [this](std::string why) { denials.push_back(std::move(why)); };
        watch = std::make_unique<NamespaceWatch>(io, server.endpoint(), options);
    }
    ~NamespaceRig() {
        watch.reset();
        io.restart();
        io.run_for(std::chrono::seconds(1));
        CHECK(io.stopped());
    }
    void handle(fake::Peer& peer, const fake::Request& request) {
        if (is_forbidden) return peer.reply(403, fake::status_body(403, "Forbidden", "not yours"));
        if (request.target.find("watch=true") == std::string::npos) {
            const bool is_first = request.target.find("continue=") == std::string::npos;
            return peer.reply(
                200,
                R"({"metadata":{"resourceVersion":"1","continue":")" +
                    std::string(is_first ? "more" : "") + R"("},"items":[)" +
                    (is_first ? namespace_json("b", "x") : namespace_json("a", "y")) + "]}");
        }
        peer.begin_chunks();
        peer.chunk(R"({"type":"MODIFIED","object":)" + namespace_json("b", "z") + "}\n");
        peer.chunk(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}})" "\n");
        peer.chunk(R"({"type":"DELETED","object":)" + namespace_json("a", "y") + "}\n");
        if (!is_garbled) return peer.hold();
        peer.chunk("garbage\n");
        peer.end_chunks();
    }

    std::atomic<bool> is_forbidden = false;
    std::atomic<bool> is_garbled = false;
    std::vector<std::vector<NamespaceLabels>> lists;
    std::vector<NamespaceLabels> changes;
    std::vector<std::string> deletions;
    std::vector<std::string> denials;
    boost::asio::io_context io;
    fake::Server server;
    std::unique_ptr<NamespaceWatch> watch;
};

}  // namespace

TEST_CASE("codec: namespaces with their labels, and what makes no sense") {
    const auto page = decode_namespaces(
        R"({"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a",)"
        R"("labels":{"z":"1","b":""}}},{"metadata":{"name":"c"}}]})");
    REQUIRE(page);
    CHECK(
        page->namespaces ==
        std::vector<NamespaceLabels>{{"a", {{"b", ""}, {"z", "1"}}}, {"c", {}}});
    CHECK_FALSE(decode_namespaces(R"({"items":[]})"));
    CHECK_FALSE(decode_namespaces("[]"));
    CHECK_FALSE(decode_namespaces(
        R"({"metadata":{"resourceVersion":"7"},"items":[{"metadata":{"labels":[]}}]})"));
    CHECK_FALSE(decode_namespace_line(R"({"type":"ADDED"})"));
    CHECK_FALSE(
        decode_namespace_line(R"({"type":"ADDED","object":{"metadata":{"labels":{"a":1}}}})"));
    const auto error = decode_namespace_line(R"({"type":"ERROR","object":{"message":"too old"}})");
    REQUIRE(error);
    CHECK(error->type == NamespaceLine::Type::error);
}

TEST_CASE("namespace watch: all pages, then what changes and what goes") {
    NamespaceRig rig;
    rig.watch->start();
    rig.watch->start();  // changes nothing
    fake::run_until(rig.io, [&] { return !rig.deletions.empty(); });
    REQUIRE(rig.lists.size() == 1);
    CHECK(
        rig.lists[0] ==
        std::vector<NamespaceLabels>{{"b", {{"team", "x"}}}, {"a", {{"team", "y"}}}});
    CHECK(rig.changes == std::vector<NamespaceLabels>{{"b", {{"team", "z"}}}});
    CHECK(rig.deletions == std::vector<std::string>{"a"});
}

TEST_CASE("namespace watch: who may not list is told once, and it is tried again") {
    NamespaceRig rig;
    rig.is_forbidden = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "") >= 3; });
    CHECK(rig.denials == std::vector<std::string>{"not yours"});
    rig.is_forbidden = false;
    fake::run_until(rig.io, [&] { return !rig.lists.empty(); });
}

TEST_CASE("namespace watch: after a watch that is no watch there is another list") {
    NamespaceRig rig;
    rig.is_garbled = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.lists.size() >= 2; });
}

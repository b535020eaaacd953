// The watch of Queue objects against a server that plays the API server.
#include "k8s/queue/queue_object_watch.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

using namespace k8s;

namespace {

constexpr const char* kube_batch = "scheduling.incubator.k8s.io";

std::string queue_json(const std::string& name, int weight) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"weight":)" + std::to_string(weight) +
           "}}";
}

struct QueueRig {
    QueueRig()
        : server([this](fake::Peer& peer, const fake::Request& request) { handle(peer, request); }) {
        QueueObjectWatchOptions options;
        options.pause_ms_min = 1;
        options.pause_ms_max = 5;
        options.pause_ms_denied = 5;
        options.changed = [this] { ++changes; };
        options.denied = [this](const std::string& version, const std::string& why) {
            denials.push_back(version + ": " + why);
        };
        watch = std::make_unique<QueueObjectWatch>(io, server.endpoint(), options);
    }
    ~QueueRig() {
        watch.reset();
        io.restart();
        io.run_for(std::chrono::seconds(1));
        CHECK(io.stopped());
    }
    void handle(fake::Peer& peer, const fake::Request& request) {
        const bool is_volcano = request.target.find("volcano") != std::string::npos;
        const bool is_batch = request.target.find(kube_batch) != std::string::npos;
        if (is_forbidden) return peer.reply(403, fake::status_body(403, "Forbidden", "not yours"));
        if (is_gone || !(is_volcano || (is_batch && has_batch))) {
            return peer.reply(404, fake::status_body(404, "NotFound", "no such kind"));
        }
        if (request.target.find("watch=true") == std::string::npos) {
            const std::string items =
                is_volcano ? queue_json("q", 2) : queue_json("q", 9) + "," + queue_json("old", 1);
            return peer.reply(
                200, R"({"metadata":{"resourceVersion":"1"},"items":[)" + items + "]}");
        }
        peer.begin_chunks();
        if (is_volcano && has_news) {
            peer.chunk(R"({"type":"ADDED","object":)" + queue_json("late", 3) + "}\n");
            peer.chunk(R"({"type":"MODIFIED","object":)" + queue_json("q", 2) + "}\n");
            peer.chunk(
                R"({"type":"MODIFIED","object":{"metadata":{"name":"late"},"spec":{"weight":3},)"
                R"("status":{"running":7}}})"
                "\n");
            peer.chunk(R"({"type":"DELETED","object":)" + queue_json("q", 2) + "}\n");
        }
        if (ends) return peer.end_chunks();
        peer.hold();
    }
    std::string text() const {
        std::string all;
        for (const core::QueueObject& queue : watch->objects()) {
            all += queue.name + " " + std::to_string(queue.weight) + ";";
        }
        return all;
    }

    std::atomic<bool> has_batch = false;
    std::atomic<bool> has_news = false;
    std::atomic<bool> is_gone = false;
    std::atomic<bool> is_forbidden = false;
    std::atomic<bool> ends = false;
    int changes = 0;
    std::vector<std::string> denials;
    boost::asio::io_context io;
    fake::Server server;
    std::unique_ptr<QueueObjectWatch> watch;
};

}  // namespace

TEST_CASE("queue object watch: the version that is there, and what changes") {
    QueueRig rig;
    rig.has_news = true;
    CHECK_FALSE(rig.watch->is_known());
    rig.watch->start();
    rig.watch->start();  // changes nothing
    fake::run_until(rig.io, [&] { return rig.watch->is_known() && rig.text() == "late 3;"; });
    CHECK(rig.watch->has_kind());
    CHECK(rig.denials.empty());
    // Two kinds that are not there, the list, one that came and one that went; nothing else is news.
    CHECK(rig.changes == 5);
    const auto& objects = rig.watch->volcano_objects();
    REQUIRE(objects.contains("late"));
    CHECK(objects.at("late").status.running == 7);
}

TEST_CASE("queue object watch: of two of one name Volcano's counts") {
    QueueRig rig;
    rig.has_batch = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.watch->is_known(); });
    CHECK(rig.text() == "old 1;q 2;");
}

TEST_CASE("queue object watch: a kind that is removed leaves nothing, and is found again") {
    QueueRig rig;
    rig.ends = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.watch->is_known() && rig.text() == "q 2;"; });
    rig.is_gone = true;
    fake::run_until(rig.io, [&] { return !rig.watch->has_kind(); });
    CHECK(rig.text().empty());
    CHECK(rig.watch->is_known());
    rig.is_gone = false;
    fake::run_until(rig.io, [&] { return rig.text() == "q 2;"; });
}

TEST_CASE("queue object watch: what may not be seen any more stays as it was, and is said once") {
    QueueRig rig;
    rig.ends = true;
    rig.watch->start();
    fake::run_until(rig.io, [&] { return rig.watch->is_known() && rig.text() == "q 2;"; });
    rig.is_forbidden = true;
    fake::run_until(rig.io, [&] { return !rig.denials.empty(); });
    const std::size_t asked = rig.server.count("GET", "");
    fake::run_until(rig.io, [&] { return rig.server.count("GET", "") >= asked + 6; });
    CHECK(rig.text() == "q 2;");
    CHECK(rig.watch->has_kind());
    CHECK(rig.denials == std::vector<std::string>{"scheduling.volcano.sh/v1beta1: not yours"});
}

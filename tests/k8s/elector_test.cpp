#include "k8s/elector.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

using namespace k8s;

namespace {

/// A server that keeps one Lease, with versions as preconditions.
struct LeaseServer {
    void handle(fake::Peer& peer, const fake::Request& request) {
        const std::lock_guard lock(mutex);
        if (down) return peer.hang_up();
        if (request.method == "GET") {
            return body.empty() ? peer.reply(404, fake::status_body(404, "NotFound", "none"))
                                : peer.reply(200, versioned());
        }
        const std::string expected = "\"resourceVersion\":\"" + std::to_string(version) + "\"";
        const bool exists = !body.empty();
        const bool matches = request.body.find(expected) != std::string::npos;
        if ((request.method == "POST") == exists || (exists && !matches)) {
            return peer.reply(409, fake::status_body(409, "Conflict", "version"));
        }
        body = request.body;
        ++version;
        peer.reply(exists ? 200 : 201, versioned());
    }
    // The version is replaced in the stored text, or put in.
    std::string versioned() const {
        std::string text = body;
        const std::string value = "\"resourceVersion\":\"" + std::to_string(version) + "\"";
        const std::size_t at = text.find("\"resourceVersion\":\"");
        if (at == std::string::npos) {
            const std::size_t metadata = text.find("\"metadata\":{") + 12;
            return text.insert(metadata, value + ",");
        }
        const std::size_t end = text.find('"', at + 19);
        return text.replace(at, end + 1 - at, value);
    }
    bool holds(const std::string& identity) const {
        const std::lock_guard lock(mutex);
        return body.find("\"holderIdentity\":\"" + identity + "\"") != std::string::npos;
    }
    void set(const std::string& text) {
        const std::lock_guard lock(mutex);
        body = text;
        ++version;
    }

    mutable std::mutex mutex;
    std::string body;
    int version = 1;
    std::atomic<bool> down = false;
};

struct Candidate {
    Candidate(boost::asio::io_context& io, const fake::Server& server, std::string identity) {
        ElectorOptions options;
        options.namespace_name = "ns";
        options.identity = std::move(identity);
        options.lease_duration_ms = 1'000;
        options.renew_deadline_ms = 600;
        options.retry_period_ms = 50;
        options.gained = [this](std::int64_t e) { log.push_back("gained"), epoch = e; };
        options.lost = [this](const std::string&) { log.push_back("lost"); };
        options.notice = [this](NoticeLevel, const std::string&) { ++notices; };
        elector = std::make_unique<Elector>(io, server.endpoint(), options);
        elector->start();
    }
    std::vector<std::string> log;
    std::int64_t epoch = 0;
    int notices = 0;
    std::unique_ptr<Elector> elector;
};

using Log = std::vector<std::string>;

}  // namespace

TEST_CASE("elector: creates the Lease, renews it, gives it up at the end, the next one takes it") {
    boost::asio::io_context io;
    LeaseServer lease;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    Candidate a(io, server, "a");
    fake::run_until(io, [&] { return a.log == Log{"gained"}; });
    CHECK(a.epoch == 1);
    CHECK(a.elector->may_write());
    CHECK(lease.holds("a"));
    fake::run_until(io, [&] { return server.count("PUT", "/leases/gang-scheduler") >= 2; });

    Candidate b(io, server, "b");
    fake::run_until(io, [&] { return b.elector->holder() == "a"; });
    CHECK_FALSE(b.elector->may_write());
    bool stopped = false;
    a.elector->stop([&] { stopped = true; });
    CHECK_FALSE(a.elector->may_write());
    fake::run_until(io, [&] { return stopped; });
    fake::run_until(io, [&] { return b.log == Log{"gained"}; });
    CHECK(b.epoch == 2);
    CHECK(a.log == Log{"gained"});
    stopped = false;
    b.elector->stop([&] { stopped = true; });
    fake::run_until(io, [&] { return stopped; });
    fake::run_out(io);
}

TEST_CASE(
    "elector: a server that is away costs the leadership at the deadline, and it comes back") {
    boost::asio::io_context io;
    LeaseServer lease;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    Candidate a(io, server, "a");
    fake::run_until(io, [&] { return a.elector->may_write(); });
    lease.down = true;
    fake::run_until(io, [&] { return a.log == Log{"gained", "lost"}; });
    CHECK_FALSE(a.elector->may_write());
    CHECK(server.requests().size() > 8);  // a try each 50 ms, and words only where they are new
    CHECK(a.notices >= 1);
    CHECK(a.notices <= 4);
    lease.down = false;
    fake::run_until(io, [&] { return a.log == Log{"gained", "lost", "gained"}; });
    CHECK(a.epoch == 1);  // nobody else has led in between
    a.elector.reset();
    fake::run_out(io);
}

TEST_CASE("elector: a forged holder ends the leadership at the next renewal") {
    boost::asio::io_context io;
    LeaseServer lease;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    Candidate a(io, server, "a");
    fake::run_until(io, [&] { return a.elector->may_write(); });
    lease.set(
        R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"gang-scheduler",)"
        R"("labels":{"keep":"me"}},"spec":{"holderIdentity":"thief","leaseDurationSeconds":1,)"
        R"("leaseTransitions":7}})");
    fake::run_until(io, [&] { return a.log == Log{"gained", "lost"}; });
    CHECK(a.elector->holder() == "thief");
    // The thief never renews: it is taken over, with a higher epoch, and its labels are kept.
    fake::run_until(io, [&] { return a.log == Log{"gained", "lost", "gained"}; });
    CHECK(a.epoch == 9);
    {
        const std::lock_guard lock(lease.mutex);
        CHECK(lease.body.find(R"("keep":"me")") != std::string::npos);
    }
    a.elector.reset();
    fake::run_out(io);
}

TEST_CASE("elector: a silent server delays the end by two seconds at most") {
    boost::asio::io_context io;
    LeaseServer lease;
    std::atomic<bool> silent = false;
    fake::Server server(
        [&](fake::Peer& p, const fake::Request& r) { silent ? p.hold() : lease.handle(p, r); });
    Candidate a(io, server, "a");
    fake::run_until(io, [&] { return a.elector->may_write(); });
    silent = true;
    const auto puts = server.count("PUT", "/leases");
    fake::run_until(io, [&] { return server.count("PUT", "/leases") > puts; });
    bool stopped = false;
    const auto begin = std::chrono::steady_clock::now();
    a.elector->stop([&] { stopped = true; });
    fake::run_until(io, [&] { return stopped; });
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2'400));
    fake::run_out(io);
}

TEST_CASE("elector: stopped before it started, it is done at once") {
    boost::asio::io_context io;
    fake::Server server([](fake::Peer&, const fake::Request&) {});
    Elector elector(io, server.endpoint(), ElectorOptions());
    bool stopped = false;
    elector.stop([&] { stopped = true; });
    fake::run_until(io, [&] { return stopped; });
    CHECK(server.connections() == 0);
}

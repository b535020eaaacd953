#include "k8s/lease/elector.hpp"

#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace k8s;

namespace {

/// A server that keeps one Lease, with versions as preconditions.
struct LeaseServer {
    void handle(fake::Peer& peer, const fake::Request& request) {
        if (request.target.find("watch=true") != std::string::npos) return watch(peer);
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
    // Each state from now on as an event, until one side goes.
    void watch(fake::Peer& peer) {
        if (down) return peer.hang_up();
        if (no_watch) return peer.reply(403, fake::status_body(403, "Forbidden", "no watch"));
        peer.begin_chunks();
        int told = 0;
        while (!peer.is_gone() && peer.is_open()) {
            {
                const std::lock_guard lock(mutex);
                if (down || cut_watches) return peer.hang_up();
                if (told != version) {
                    const std::string type = body.empty() ? "DELETED" : "MODIFIED";
                    if (told != 0) peer.chunk(event(type, body.empty() ? last : versioned()));
                    told = version;
                }
                if (!body.empty()) last = versioned();
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    static std::string event(const std::string& type, const std::string& object) {
        return "{\"type\":\"" + type + "\",\"object\":" + object + "}\n";
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
    std::string last;  // before it was deleted
    int version = 1;
    std::atomic<bool> down = false;
    std::atomic<bool> no_watch = false;
    std::atomic<bool> cut_watches = false;
};

struct Candidate {
    Candidate(
        boost::asio::io_context& io,
        const fake::Server& server,
        std::string identity,
        std::string scheduler_names = "gang-scheduler") {
        ElectorOptions options;
        options.scheduler_names = std::move(scheduler_names);
        options.namespace_name = "ns";
        options.identity = std::move(identity);
        options.lease_duration_ms = 1'000;
        options.renew_deadline_ms = 600;
        options.retry_period_ms = 50;
        options.gained = [this](const LeadershipTerm& term) {
            log.push_back("gained");
            epoch = term.epoch;
            handed_over = term.handed_over;
            why = term.why;
        };
        options.lost = [this](const std::string&) { log.push_back("lost"); };
        options.notice = [this](NoticeLevel, const std::string& text) {
            ++notices;
            said += text + "\n";
        };
        elector = std::make_unique<Elector>(io, server.endpoint(), options);
        elector->start();
    }
    std::vector<std::string> log;
    std::int64_t epoch = 0;
    bool handed_over = false;
    std::string why;
    int notices = 0;
    std::string said;
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
    CHECK(a.epoch > 1'700'000'000'000);  // the time, to begin with
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
    CHECK(b.epoch > a.epoch);
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
    CHECK(server.requests().size() > 3);  // it tries again and again, and says only what is new
    CHECK(a.notices >= 1);
    CHECK(a.notices <= 4);
    lease.down = false;
    const std::int64_t before = a.epoch;
    fake::run_until(io, [&] { return a.log == Log{"gained", "lost", "gained"}; });
    CHECK(a.epoch == before);  // nobody else has led in between
    a.elector.reset();
    fake::run_out(io);
}

TEST_CASE("elector: a forged holder ends the leadership at the next renewal") {
    boost::asio::io_context io;
    LeaseServer lease;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    Candidate a(io, server, "a");
    fake::run_until(io, [&] { return a.elector->may_write(); });
    const std::int64_t before = a.epoch + 3'600'000;  // the thief's clock is an hour ahead
    lease.set(
        R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"gang-scheduler",)"
        R"("labels":{"keep":"me"},"annotations":{"gang-scheduler/epoch":")" +
        std::to_string(before) +
        R"("}},"spec":{"holderIdentity":"thief","leaseDurationSeconds":1,)"
        R"("leaseTransitions":7}})");
    fake::run_until(io, [&] { return a.log == Log{"gained", "lost"}; });
    CHECK(a.elector->holder() == "thief");
    // The thief never renews: it is taken over, with a higher epoch, and its labels are kept.
    fake::run_until(io, [&] { return a.log == Log{"gained", "lost", "gained"}; });
    CHECK(a.epoch > before);
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

TEST_CASE("elector: a candidate watches the one Lease, and asks nothing while nothing happens") {
    boost::asio::io_context io;
    LeaseServer lease;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    Candidate a(io, server, "a");
    fake::run_until(io, [&] { return a.elector->may_write(); });
    Candidate b(io, server, "b");
    fake::run_until(io, [&] { return server.count("GET", "watch=true") == 1; });
    const auto puts = server.count("PUT", "/leases");
    const auto gets = server.count("GET", "/leases");
    fake::run_until(io, [&] { return server.count("PUT", "/leases") >= puts + 10; });
    CHECK(server.count("GET", "/leases") == gets);
    CHECK(
        server.count("GET", "/leases?watch=true&fieldSelector=metadata.name%3Dgang-scheduler&") ==
        1);
    SUBCASE("the holder gives it up: at once") {
        bool stopped = false;
        a.elector->stop([&] { stopped = true; });
        fake::run_until(io, [&] { return b.log == Log{"gained"}; });
        CHECK(b.why == "it was given up");
        CHECK(server.count("GET", "/leases") == gets);
        fake::run_until(io, [&] { return stopped; });
    }
    SUBCASE("the holder dies: one write when its time is over") {
        a.elector.reset();
        fake::run_until(io, [&] { return b.log == Log{"gained"}; });
        CHECK(b.why.find("nobody has renewed it for 1") == 0);
        CHECK(server.count("GET", "/leases") == gets);
    }
    SUBCASE("the watch is cut: it reads and watches again") {
        lease.cut_watches = true;
        fake::run_until(io, [&] { return server.count("GET", "/leases/gang-scheduler") > gets; });
        lease.cut_watches = false;
        fake::run_until(io, [&] { return server.count("GET", "watch=true") > 1; });
        CHECK(b.log.empty());
        CHECK(a.log == Log{"gained"});
    }
    a.elector.reset();
    b.elector.reset();
    fake::run_out(io);
}

TEST_CASE("elector: without the right to watch a candidate reads, and takes over all the same") {
    boost::asio::io_context io;
    LeaseServer lease;
    lease.no_watch = true;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    Candidate a(io, server, "a");
    fake::run_until(io, [&] { return a.elector->may_write(); });
    Candidate b(io, server, "b");
    fake::run_until(io, [&] { return server.count("GET", "/leases/gang-scheduler") >= 6; });
    CHECK(server.count("GET", "watch=true") == 1);  // it has been told
    a.elector.reset();
    fake::run_until(io, [&] { return b.log == Log{"gained"}; });
    b.elector.reset();
    fake::run_out(io);
}

TEST_CASE("elector: a Lease that is deleted is not free before its holder's time is over") {
    boost::asio::io_context io;
    LeaseServer lease;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    lease.set(
        R"({"kind":"Lease","metadata":{"name":"gang-scheduler"},"spec":{"holderIdentity":"other",)"
        R"("leaseDurationSeconds":1,"leaseTransitions":4,"renewTime":"t"}})");
    Candidate b(io, server, "b");
    fake::run_until(io, [&] { return server.count("GET", "watch=true") == 1; });
    lease.set("");
    const auto begin = std::chrono::steady_clock::now();
    fake::run_until(io, [&] { return b.log == Log{"gained"}; });
    CHECK(std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(500));
    CHECK(lease.body.find(R"("leaseTransitions":5)") != std::string::npos);  // counted on
    CHECK(b.why.find("deleted") != std::string::npos);
    b.elector.reset();
    fake::run_out(io);
}

TEST_CASE(
    "elector: only who says that nothing is under way hands over, and for one leadership term") {
    boost::asio::io_context io;
    LeaseServer lease;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    std::vector<std::unique_ptr<Candidate>> terms;
    for (const LeaseEnd end : {LeaseEnd::settle, LeaseEnd::release, LeaseEnd::settle}) {
        terms.push_back(std::make_unique<Candidate>(io, server, std::to_string(terms.size())));
        Candidate& next = *terms.back();
        fake::run_until(io, [&] { return next.elector->may_write(); });
        bool stopped = false;
        next.elector->stop([&] { stopped = true; }, end);
        fake::run_until(io, [&] { return stopped; });
    }
    CHECK_FALSE(terms[0]->handed_over);  // there was no Lease
    CHECK(terms[1]->handed_over);
    CHECK(terms[1]->why == "it was given up, with no write under way");
    CHECK_FALSE(terms[2]->handed_over);
    CHECK(terms[2]->why == "it was given up");
    fake::run_out(io);
}

TEST_CASE("elector: left to expire, the Lease keeps its holder") {
    boost::asio::io_context io;
    LeaseServer lease;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    Candidate a(io, server, "a");
    fake::run_until(io, [&] { return a.elector->may_write(); });
    bool stopped = false;
    a.elector->stop([&] { stopped = true; }, LeaseEnd::leave);
    fake::run_until(io, [&] { return stopped; });
    CHECK(lease.holds("a"));
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

TEST_CASE("elector: a holder that serves other scheduler names is no leader of ours") {  // D12
    boost::asio::io_context io;
    LeaseServer lease;
    fake::Server server([&](fake::Peer& p, const fake::Request& r) { lease.handle(p, r); });
    Candidate a(io, server, "a");
    fake::run_until(io, [&] { return a.log == Log{"gained"}; });
    Candidate same(io, server, "same");
    Candidate other(io, server, "other", "batch,night");
    fake::run_until(io, [&] { return other.said.find("serves") != std::string::npos; });
    CHECK(other.said.find("scheduler names gang-scheduler") != std::string::npos);
    CHECK(other.said.find("this process serves batch,night") != std::string::npos);
    CHECK(other.said.find("leaderElection.leaseName") != std::string::npos);
    fake::run_until(io, [&] { return same.elector->holder() == "a"; });
    CHECK(same.said.find("serves") == std::string::npos);
    a.elector.reset();
    same.elector.reset();
    other.elector.reset();
    fake::run_out(io);
}

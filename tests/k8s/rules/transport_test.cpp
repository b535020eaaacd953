// Rules B1 to B12: what connections must survive. More of B6, B7 in protocol/, of B8 and B9 in
// writer_test.cpp and connection_test.cpp.
#include "k8s/base/time.hpp"
#include "k8s/lease/elector.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/watch/watcher.hpp"
#include "k8s/write/writer.hpp"
#include "tests/k8s/watch/watch_rig.hpp"

#include <boost/asio/co_spawn.hpp>
#include <doctest/doctest.h>

#include <atomic>
#include <dlfcn.h>
#include <filesystem>
#include <future>
#include <mutex>
#include <netdb.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <vector>

using namespace k8s;
using namespace watching;
namespace asio = boost::asio;

namespace {

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

asio::awaitable<void> call(
    Connection& connection, Request request, CallLimits limits, std::optional<Reply>& into) {
    into = co_await connection.call(std::move(request), limits);
}

void rethrow(std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
}

struct Client {
    explicit Client(const Access& access) : connection(io, endpoint_of(access)) {}
    static std::shared_ptr<Endpoint> endpoint_of(const Access& access) {
        auto made = Endpoint::make(access, "gang-scheduler/test");
        REQUIRE(made);
        return *made;
    }
    void start(Request request, CallLimits limits, std::optional<Reply>& into) {
        asio::co_spawn(io, call(connection, std::move(request), limits, into), rethrow);
    }
    Reply ask(Request request, CallLimits limits = CallLimits(5'000)) {
        std::optional<Reply> reply;
        start(std::move(request), limits, reply);
        fake::run_out(io);
        REQUIRE(reply);
        return *reply;
    }
    asio::io_context io;
    Connection connection;
};

/// The body, or the failure's text after "!".
std::string text_of(const Reply& reply) {
    if (const auto* failure = std::get_if<Failure>(&reply)) return "!" + failure->message;
    return std::get<Response>(reply).body;
}

Request post() {
    Request request("POST", "/bind");
    request.content_type = "application/json";
    request.body = "{}";
    return request;
}

int option_of(int socket, int level, int name) {
    int value = -1;
    socklen_t size = sizeof value;
    ::getsockopt(socket, level, name, &value, &size);
    return value;
}

/// Our own end of the connection to this port of loopback.
int socket_to(std::uint16_t port) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const int fd = std::stoi(entry.path().filename());
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
        if (peer.sin_family == AF_INET && ntohs(peer.sin_port) == port) return fd;
    }
    return -1;
}

/// Takes the handshakes of the kernel and says nothing; with a full backlog not even those.
struct Deaf {
    explicit Deaf(bool full) {
        listener = ::socket(AF_INET, SOCK_STREAM, 0);
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0);
        REQUIRE(::listen(listener, full ? 0 : 16) == 0);
        ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
        for (int i = 0; full && i < 4; ++i) {
            const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
            ::connect(socket, reinterpret_cast<sockaddr*>(&address), size);
            fillers.push_back(socket);
        }
    }
    ~Deaf() {
        for (int socket : fillers) ::close(socket);
        ::close(listener);
    }
    std::uint16_t port() const { return ntohs(address.sin_port); }
    int listener;
    sockaddr_in address{};
    std::vector<int> fillers;
};

/// What names of ".test" mean in this program, see getaddrinfo() below.
struct Names {
    std::mutex mutex;
    std::vector<std::string> addresses;  ///< IPv4, in this order
    std::shared_future<void> hold;       ///< answered only then
    int asked = 0;
};
Names& names() {
    static Names made;
    return made;
}

std::vector<std::string> asked_addresses() {
    std::shared_future<void> hold;
    std::vector<std::string> addresses;
    {
        const std::lock_guard lock(names().mutex);
        ++names().asked;
        hold = names().hold;
        addresses = names().addresses;
    }
    if (hold.valid()) hold.wait();
    return addresses;
}

}  // namespace

// Stands before the C library's in this program: names that end in ".test" are ours.
extern "C" int getaddrinfo(
    const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
    using Original = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    const auto original = reinterpret_cast<Original>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    if (node == nullptr || !std::string_view(node).ends_with(".test")) {
        return original(node, service, hints, result);
    }
    addrinfo* first = nullptr;
    const auto addresses = asked_addresses();
    for (auto it = addresses.rbegin(); it != addresses.rend(); ++it) {
        addrinfo* one = nullptr;
        if (original(it->c_str(), service, hints, &one) != 0) return EAI_FAIL;
        one->ai_next = first;
        first = one;
    }
    *result = first;
    return first == nullptr ? EAI_NONAME : 0;
}

TEST_CASE("B1: a list that does not come delays neither the lease nor a bind") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (has(request.target, "/pods?")) return peer.hold();
        if (has(request.target, "/binding")) return peer.reply(201, "{}");
        const bool exists = request.method != "GET";
        std::string lease = request.body;
        if (exists) lease.insert(lease.find("\"metadata\":{") + 12, "\"resourceVersion\":\"1\",");
        peer.reply(exists ? 200 : 404, exists ? lease : "{}");
    });
    asio::io_context io;
    const auto endpoint = server.endpoint();
    Watcher watcher(io, endpoint, WatcherOptions());
    watcher.start();
    fake::run_until(io, [&] { return server.count("GET", "/pods?") == 1; });

    ElectorOptions options;
    options.namespace_name = "ns";
    options.identity = "me";
    options.lease_duration_ms = 600;
    options.renew_deadline_ms = 400;
    options.retry_period_ms = 50;
    bool lost = false;
    options.lost = [&](const std::string&) { lost = true; };
    Elector elector(io, endpoint, options);
    elector.start();
    fake::run_until(io, [&] { return server.count("PUT", "/leases/") >= 4; });

    Writer writer(io, endpoint, WriterOptions());
    std::optional<BindResult> bound;
    BindRequest request;
    request.pod = PodName{"ns", "p", "u"};
    request.node = "n1";
    writer.bind(request, [&](BindResult result) { bound = std::move(result); });
    fake::run_until(io, [&] { return bound.has_value(); });
    CHECK(bound->outcome == BindOutcome::bound);
    CHECK_FALSE(lost);
    CHECK(server.count("GET", "/pods?") == 1);  // still held
    watcher.stop();
    bool ended = false;
    elector.stop([&] { ended = true; });
    fake::run_until(io, [&] { return ended; });
}

TEST_CASE("B2: the kernel gives up on a peer that answers nothing within half a minute") {
    fake::Server server([](fake::Peer& peer, const fake::Request&) { peer.reply(200, "{}"); });
    Client client(server.access());
    client.ask(Request("GET", "/"));
    const int socket = socket_to(server.port());
    REQUIRE(socket >= 0);
    CHECK(option_of(socket, SOL_SOCKET, SO_KEEPALIVE) == 1);
    CHECK(option_of(socket, IPPROTO_TCP, TCP_KEEPIDLE) == 15);
    CHECK(option_of(socket, IPPROTO_TCP, TCP_KEEPINTVL) == 5);
    CHECK(option_of(socket, IPPROTO_TCP, TCP_KEEPCNT) == 3);
    CHECK(option_of(socket, IPPROTO_TCP, TCP_USER_TIMEOUT) == 30'000);
}

TEST_CASE("B2: a watch whose peer only keeps the connection alive is opened anew, others go on") {
    asio::io_context io;
    fake::Server half_open([](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("50", {}));
        peer.begin_chunks();
        if (has(request.target, "resourceVersion=51&")) {
            peer.chunk(event("ADDED", pod("b", "2", "52")));
            return peer.hold();
        }
        peer.chunk(event("ADDED", pod("a", "1", "51")));
        peer.hold();  // a proxy whose other side is gone
    });
    Seen seen;
    WatcherOptions options;
    CHECK(options.silence_ms < 60'000);
    options.silence_ms = 100;
    options.sink = [&](WatchEvent event) { seen.take(event); };
    Watcher watcher(io, half_open.endpoint(), options);
    Rig other([](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("50", {}));
        peer.begin_chunks();
        peer.hold();
    });
    other.until_log(Log{"begin", "end"});
    watcher.start();
    fake::run_until(io, [&] { return seen.pods.size() == 2; });
    CHECK(seen.log == Log{"begin", "end", "+1@51", "+2@52"});
    CHECK(watcher.stats().silences >= 1);
    CHECK(watcher.stats().failures == 0);
    CHECK(other.server.requests().size() == 2);
    watcher.stop();
    fake::run_out(io);
}

TEST_CASE("B3: a watch has no limit in all, one event has") {
    SUBCASE("more bytes than one message may have: no cut") {
        // Twelve megabytes; the library's own limit for a message is eight.
        const std::string filler(60'000, 'x');
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (!is_watch(request)) return peer.reply(200, list("1", {}));
            peer.begin_chunks();
            for (int i = 2; i <= 201; ++i) {
                std::string object = pod("a", "1", std::to_string(i));
                object.insert(object.find("\"spec\""), "\"ignored\":\"" + filler + "\",");
                peer.chunk(event("MODIFIED", object));
            }
            peer.hold();
        });
        fake::run_until(rig.io, [&] { return rig.seen.pods["1"] == "201"; });
        CHECK(rig.watcher->stats().watches == 1);
        CHECK(rig.watcher->stats().failures == 0);
    }
    SUBCASE("an event of more than 16 MiB: said, counted, listed again") {
        std::atomic<int> watches = 0;
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (!is_watch(request)) return peer.reply(200, list(watches == 0 ? "1" : "9", {}));
            peer.begin_chunks();
            if (++watches > 1) return peer.hold();
            const std::string part(1024 * 1024, 'x');
            peer.chunk("{\"type\":\"ADDED\",\"object\":{\"x\":\"");
            for (int i = 0; i < 17 && peer.is_open(); ++i) peer.chunk(part);
            peer.hold();
        });
        fake::run_until(rig.io, [&] { return watches == 2; });
        CHECK(rig.watcher->stats().failures == 1);
        CHECK(rig.watcher->stats().lists == 2);
        CHECK(rig.seen.pods.empty());
    }
    SUBCASE("a continue token of 40 kB goes out whole") {
        const std::string token(40'000, 't');
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (is_watch(request)) return peer.begin_chunks(), peer.hold();
            const bool next = has(request.target, "&continue=" + token);
            peer.reply(200, list("1", {}, next ? "" : token));
        });
        rig.until_log(Log{"begin", "end"});
        CHECK(rig.server.count("GET", "limit=") == 2);
    }
}

TEST_CASE("B4: one log of events, cut at every byte, is the same log") {
    const auto log_of = [](int round) {
        const std::string n = std::to_string(round * 10 + 100);
        std::string first = pod("a" + n, "a" + n, n + "1");
        // Two bytes of UTF-8, an escape, and a newline that is none.
        first.insert(first.find("\"namespace\""), "\"labels\":{\"k\":\"\xC3\xA9\\u00e9\\n\"},");
        return event("ADDED", first) + event("ADDED", pod("b" + n, "b" + n, n + "2")) +
               event("DELETED", pod("a" + n, "a" + n, n + "3"));
    };
    const int size = static_cast<int>(log_of(0).size());
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("1", {}));
        peer.begin_chunks();
        for (int round = 0; round < size && peer.is_open(); ++round) {
            const std::string text = log_of(round);
            const auto cut = static_cast<std::size_t>(round);
            if (cut > 0) peer.chunk(text.substr(0, cut));
            // So that it is a read of its own. Where it is not, the cut is another one's.
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            peer.chunk(text.substr(cut));
        }
        peer.hold();
    });
    const std::size_t whole = static_cast<std::size_t>(size) * 3 + 2;
    fake::run_until(rig.io, [&] { return rig.seen.log.size() >= whole; });
    REQUIRE(rig.seen.log.size() == static_cast<std::size_t>(size) * 3 + 2);
    for (int i = 0; i < size; ++i) {
        const std::string n = std::to_string(i * 10 + 100);
        const auto at = static_cast<std::size_t>(i) * 3 + 2;
        REQUIRE(rig.seen.log[at] == "+a" + n + "@" + n + "1");
        REQUIRE(rig.seen.log[at + 1] == "+b" + n + "@" + n + "2");
        REQUIRE(rig.seen.log[at + 2] == "-a" + n);
    }
    CHECK(rig.watcher->stats().failures == 0);
    CHECK(rig.watcher->stats().lists == 1);
}

TEST_CASE(
    "B4: a connection that ends inside an event, at any byte, loses nothing and reads it again") {
    const std::string text = event("ADDED", pod("b", "2", "52"));
    for (std::size_t cut = 0; cut < text.size(); cut += 7) {
        CAPTURE(cut);
        Rig rig([&](fake::Peer& peer, const fake::Request& request) {
            if (!is_watch(request)) return peer.reply(200, list("50", {}));
            peer.begin_chunks();
            if (has(request.target, "resourceVersion=50&")) {
                peer.chunk(event("ADDED", pod("a", "1", "51")));
                if (cut > 0) peer.chunk(text.substr(0, cut));
                return cut % 2 == 0 ? peer.hang_up() : peer.end_chunks();
            }
            peer.chunk(text);
            peer.hold();
        });
        rig.until_log(Log{"begin", "end", "+1@51", "+2@52"});
    }
}

TEST_CASE("B5: an encoding that was not asked for is a failure, and never unpacked") {
    std::string headers = "Content-Encoding: gzip\r\n";
    fake::Server server([&](fake::Peer& peer, const fake::Request& request) {
        CHECK(request.headers.at("accept-encoding") == "identity");
        peer.reply(200, "{}", headers);
    });
    Client client(server.access());
    CHECK(has(
        text_of(client.ask(Request("GET", "/"))), "Content-Encoding gzip, which nobody asked for"));
    headers = "Content-Encoding: identity\r\n";
    CHECK(text_of(client.ask(Request("GET", "/"))) == "{}");
    CHECK(server.connections() == 2);
}

TEST_CASE("B5: nor is it taken for events of a watch") {
    std::atomic<int> watches = 0;
    Rig rig([&](fake::Peer& peer, const fake::Request& request) {
        if (!is_watch(request)) return peer.reply(200, list("50", {}));
        if (++watches > 1) return peer.begin_chunks(), peer.hold();
        peer.reply(200, event("ADDED", pod("a", "1", "51")), "Content-Encoding: gzip\r\n");
    });
    fake::run_until(rig.io, [&] { return watches == 2; });
    CHECK(rig.seen.pods.empty());
}

TEST_CASE("B6: Retry-After in seconds or as a date, capped; garbage is one second") {
    std::string header;
    fake::Server server(
        [&](fake::Peer& peer, const fake::Request&) { peer.reply(429, "{}", header); });
    Client client(server.access());
    const auto retry_after = [&](const std::string& value, const std::string& date = "") {
        header = value.empty() ? "" : "Retry-After: " + value + "\r\n";
        if (!date.empty()) header += "Date: " + date + "\r\n";
        return std::get<Response>(client.ask(Request("GET", "/"))).retry_after_ms;
    };
    CHECK_FALSE(retry_after(""));
    CHECK(retry_after("0") == 0);
    CHECK(retry_after("1") == 1'000);
    CHECK(retry_after("3600") == 60'000);
    CHECK(retry_after("99999999999999999999") == 60'000);
    const std::string now = "Wed, 21 Oct 2026 07:28:00 GMT";
    CHECK(retry_after("Wed, 21 Oct 2026 07:28:07 GMT", now) == 7'000);
    CHECK(retry_after("Thu, 22 Oct 2026 07:28:00 GMT", now) == 60'000);
    CHECK(retry_after("Wed, 21 Oct 2026 07:27:00 GMT", now) == 0);
    CHECK(retry_after("Wed, 21 Oct 2026 07:28:07 GMT") == 1'000);  // later than what?
    CHECK(retry_after("soon", now) == 1'000);
    CHECK(retry_after("-5") == 1'000);
}

TEST_CASE("B7: many binds on a server that is away make few connections, and all end") {
    std::shared_ptr<Endpoint> nowhere;
    {
        fake::Server server([](fake::Peer&, const fake::Request&) {});
        nowhere = server.endpoint();
    }
    asio::io_context io;
    std::vector<std::string> notices;
    WriterOptions options;
    options.connections_max = 16;
    options.notice = [&](NoticeLevel, const std::string& text) { notices.push_back(text); };
    Writer writer(io, nowhere, options);
    for (int i = 0; i < 200; ++i) {
        BindRequest request;
        request.pod = PodName{"ns", "p", "u" + std::to_string(i)};
        request.node = "n1";
        writer.bind(request, [](BindResult) {});
    }
    io.run_for(std::chrono::milliseconds(700));
    // One for each connection at the beginning, then probes after 0.25 s and more.
    CHECK(writer.stats().unreachable >= 1);
    CHECK(writer.stats().unreachable <= 16 + 4);
    CHECK(notices.size() == 1);
}

TEST_CASE("B10: what is left of an answer that was not read is not the next one's") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (request.method == "POST") return peer.reply(201, std::to_string(request.connection));
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + std::string(100'000, 'x'));
        peer.hold();
    });
    Client client(server.access());
    CHECK(text_of(client.ask(Request("GET", "/"), CallLimits(5'000, 10'000))).front() == '!');
    CHECK(text_of(client.ask(post())) == "2");
    CHECK(text_of(client.ask(Request("GET", "/"), CallLimits(50))).front() == '!');
    CHECK(text_of(client.ask(post())) == "3");
}

TEST_CASE("B10: more bytes than the answer says are not the beginning of the next one") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (request.connection != 1) return peer.reply(200, std::to_string(request.connection));
        peer.send(
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nforge");
    });
    Client client(server.access());
    CHECK(text_of(client.ask(Request("GET", "/"))) == "1");
    CHECK(text_of(client.ask(post())) == "2");
}

TEST_CASE("B11: every phase has its end, by time and by close()") {
    const Deaf no_handshake(true);
    const Deaf no_word(false);
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        if (request.target == "/header") peer.send("HTTP/1.1 200 OK\r\nContent-");
        if (request.target == "/body") peer.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1");
        if (request.target == "/drip") {
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
            for (int i = 0; i < 500 && peer.is_open(); ++i) {
                peer.send("x");
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        }
        peer.hold();
    });
    struct Case {
        const char* phase;
        std::uint16_t port;
        bool tls;
    };
    for (const Case& one :
         {Case{"/connect", no_handshake.port(), false},
          Case{"/tls", no_word.port(), true},
          Case{"/first", server.port(), false},
          Case{"/header", server.port(), false},
          Case{"/body", server.port(), false},
          Case{"/drip", server.port(), false}}) {
        CAPTURE(one.phase);
        Access access;
        access.host = "127.0.0.1";
        access.port = one.port;
        access.tls = one.tls;
        access.insecure_skip_verify = one.tls;
        Client by_time(access);
        CHECK(has(text_of(by_time.ask(Request("GET", one.phase), CallLimits(60))), "timed out"));
        CHECK_FALSE(by_time.connection.is_open());
        Client closed(access);
        std::optional<Reply> reply;
        closed.start(Request("GET", one.phase), CallLimits(60'000), reply);
        closed.io.run_for(std::chrono::milliseconds(20));
        closed.connection.close();
        fake::run_out(closed.io);
        REQUIRE(reply);
        CHECK(std::holds_alternative<Failure>(*reply));
    }
}

TEST_CASE(
    "B12: each address of a name is tried, dead ones do not use up the time, anew each time") {
    fake::Server server([](fake::Peer& peer, const fake::Request& request) {
        CHECK(has(request.headers.at("host"), "api.test:"));
        peer.reply(200, "here", "Connection: close\r\n");
    });
    Access access = server.access();
    access.host = "api.test";
    {
        const std::lock_guard lock(names().mutex);
        names().addresses = {
            "127.0.0.2", "127.0.0.3", "127.0.0.1"};  // nobody listens on two of them
        names().asked = 0;
    }
    Client client(access);
    CHECK(text_of(client.ask(Request("GET", "/"))) == "here");
    {
        const std::lock_guard lock(names().mutex);
        names().addresses = {"127.0.0.1"};
    }
    CHECK(text_of(client.ask(Request("GET", "/"))) == "here");
    CHECK(names().asked == 2);
    {
        const std::lock_guard lock(names().mutex);
        names().addresses = {};
    }
    CHECK(has(text_of(client.ask(Request("GET", "/"))), "cannot connect to api.test:"));
}

TEST_CASE("B12: a name service that hangs holds up neither the deadline nor the end") {
    std::promise<void> release;
    {
        const std::lock_guard lock(names().mutex);
        names().addresses = {"127.0.0.1"};
        names().hold = release.get_future().share();
    }
    Access access;
    access.tls = false;
    access.host = "slow.test";
    access.port = 1;
    {
        Client by_time(access);
        CHECK(text_of(by_time.ask(Request("GET", "/"), CallLimits(60))).front() == '!');
        Client closed(access);
        std::optional<Reply> reply;
        closed.start(Request("GET", "/"), CallLimits(60'000), reply);
        closed.io.run_for(std::chrono::milliseconds(20));
        closed.connection.close();
        fake::run_out(closed.io);
        CHECK(reply.has_value());
    }
    release.set_value();
    const std::lock_guard lock(names().mutex);
    names().hold = {};
}

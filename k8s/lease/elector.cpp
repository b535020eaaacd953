#include "k8s/lease/elector.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_lease.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/protocol/line_splitter.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace k8s {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t call_ms_max = 5'000;
constexpr std::int64_t call_ms_min = 500;
constexpr std::int64_t notice_again_ms = 30'000;
constexpr std::int64_t stop_ms = 2'000;           // for a renewal under way and the release
constexpr std::int64_t last_renewal_ms = 1'000;   // of these, for the renewal
constexpr std::int64_t follow_seconds_min = 300;  // asked of the server: this to twice this
constexpr std::size_t follow_line_max = 1024 * 1024;

protocol::ElectionOptions election_options(const ElectorOptions& options) {
    protocol::ElectionOptions made;
    made.identity = options.identity;
    made.lease_duration_ms = options.lease_duration_ms;
    made.renew_deadline_ms = options.renew_deadline_ms;
    made.retry_period_ms = options.retry_period_ms;
    return made;
}

}  // namespace

struct Elector::Impl {
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint, ElectorOptions given)
        : io(context),
          options(std::move(given)),
          connection(context, std::move(endpoint)),
          election(election_options(options)),
          lines(follow_line_max),
          timer(context),
          stop_timer(context),
          random(std::random_device()()) {}

    asio::io_context& io;
    ElectorOptions options;
    Connection connection;
    protocol::Election election;
    protocol::LineSplitter lines;
    asio::steady_timer timer;
    asio::steady_timer stop_timer;
    std::minstd_rand random;
    std::string seen;  // the Lease's JSON as last read: its other fields are kept
    std::string problem;
    std::int64_t noticed_ms = 0;
    std::function<void()> stop_done;
    std::int64_t stop_by_ms = 0;
    std::string seen_api;  ///< as the Lease said last
    std::string reported_holder;
    std::string reported_names;  // of schedulers that are not ours, and hold our Lease
    bool reported_leader = false;
    bool started = false;
    bool stopped = false;
    bool following = false;
    LeaseEnd lease_end = LeaseEnd::release;

    std::string collection() const {
        return fmt::format(
            "/apis/coordination.k8s.io/v1/namespaces/{}/leases",
            percent_encode(options.namespace_name));
    }
    std::string object() const { return collection() + "/" + percent_encode(options.lease_name); }

    // A renewal that hangs must leave time for another one, and one that cannot be in time any more
    // is not worth waiting for.
    CallLimits limits() const {
        std::int64_t ms = std::min(call_ms_max, options.renew_deadline_ms / 2);
        if (election.is_leader()) ms = std::min(ms, election.deadline_ms() - monotonic_ms());
        return CallLimits(std::max(ms, call_ms_min));
    }
    std::string watch_target(const std::string& version);

    void report_changes();
    void failed(const std::string& why);
    void conflict();
    LeaseWrite write_of(const protocol::UpdateLease& update) const;
    std::string body(const LeaseWrite& write) const;
    Request write_request(const protocol::LeaseAction& action) const;
    void take_read(const Reply& reply);
    void take_written(std::int64_t sent_ms, const Reply& reply);
    void take_lease(const LeaseLine& line);
    bool take_bytes(const std::string& bytes);
    void report_holder();
    void report_names(const protocol::Lease& lease);

    asio::awaitable<void> run();
    asio::awaitable<void> follow(protocol::FollowLease action);
    asio::awaitable<bool> open_follow(std::string version);
    asio::awaitable<void> step(protocol::LeaseAction action);
    asio::awaitable<void> release();
};

void Elector::Impl::report_changes() {
    if (stopped || reported_leader == election.is_leader()) return;
    reported_leader = election.is_leader();
    if (reported_leader) {
        problem.clear();
        if (options.gained) {
            options.gained({election.epoch(), election.was_handed_over(), election.why_free()});
        }
    } else if (options.lost) {
        options.lost(problem.empty() ? "the lease was not renewed in time" : problem);
    }
}

// Who leads, for the log of one that does not.
void Elector::Impl::report_holder() {
    const std::string& holder = election.holder();
    if (stopped || holder == reported_holder) return;
    reported_holder = holder;
    if (holder == options.identity || !options.notice) return;
    options.notice(
        NoticeLevel::info,
        holder.empty() ? "standing by, nobody holds the lease"
                       : "standing by holder=\"" + one_line(holder, 128) + "\"");
}

// Two releases with one Lease: one of them would stand by for ever and nobody would know why.
void Elector::Impl::report_names(const protocol::Lease& lease) {
    const bool is_other = !lease.holder.empty() && lease.holder != options.identity &&
                          !lease.scheduler_names.empty() && !options.scheduler_names.empty() &&
                          lease.scheduler_names != options.scheduler_names;
    const std::string names = is_other ? lease.scheduler_names : std::string();
    if (stopped || names == reported_names) return;
    reported_names = names;
    if (names.empty() || !options.notice) return;
    options.notice(
        NoticeLevel::warning,
        fmt::format(
            "the lease {}/{} is held by {}, which serves the scheduler names {}, and this process "
            "serves {}: it will not schedule while that holds; schedulers of other names need "
            "another leaderElection.leaseName",
            options.namespace_name,
            options.lease_name,
            one_line(lease.holder, 128),
            one_line(names, 256),
            options.scheduler_names));
}

void Elector::Impl::failed(const std::string& why) {
    // After the end the owner's sink may be gone. The same words every two seconds help nobody.
    const std::int64_t now = monotonic_ms();
    const bool is_change = why != problem || now - noticed_ms >= notice_again_ms;
    problem = why;
    if (!stopped && is_change && options.notice) {
        noticed_ms = now;
        options.notice(NoticeLevel::warning, "problem=\"" + why + "\"");
    }
    election.on_failed(now);
}

void Elector::Impl::conflict() {
    problem = "another replica wrote the lease";
    election.on_conflict(monotonic_ms());
}

LeaseWrite Elector::Impl::write_of(const protocol::UpdateLease& update) const {
    LeaseWrite write;
    write.namespace_name = options.namespace_name;
    write.name = options.lease_name;
    write.holder = options.identity;
    write.duration_ms = options.lease_duration_ms;
    write.transitions = update.transitions;
    write.resource_version = update.resource_version;
    write.acquired = update.acquired;
    write.unix_time_ms = unix_ms();
    write.epoch = election.next_epoch(write.unix_time_ms);
    write.scheduler_names = options.scheduler_names;
    write.api = options.api;
    return write;
}

std::string Elector::Impl::body(const LeaseWrite& write) const {
    return encode_lease(write, write.resource_version.empty() ? std::string() : seen);
}

Request Elector::Impl::write_request(const protocol::LeaseAction& action) const {
    protocol::UpdateLease update;
    const auto* create = std::get_if<protocol::CreateLease>(&action);
    if (create != nullptr) {
        update.transitions = create->transitions;
        update.acquired = true;
    } else {
        update = std::get<protocol::UpdateLease>(action);
    }
    Request request(
        create != nullptr ? "POST" : "PUT", create != nullptr ? collection() : object());
    request.content_type = "application/json";
    request.body = body(write_of(update));
    return request;
}

void Elector::Impl::take_read(const Reply& reply) {
    if (const auto* failure = std::get_if<Failure>(&reply)) return failed(failure->message);
    const auto& response = std::get<Response>(reply);
    if (response.status == 404) return election.on_read(monotonic_ms(), std::nullopt);
    if (response.status != 200) {
        return failed(decode_status(response.status, response.body).message);
    }
    auto lease = decode_lease(response.body);
    if (!lease) return failed(lease.error().message);
    seen = response.body;
    if (lease->holder != options.identity) problem = "held by " + one_line(lease->holder, 128);
    election.on_read(monotonic_ms(), *lease);
    seen_api = lease->api;
    report_holder();
    report_names(*lease);
}

void Elector::Impl::take_lease(const LeaseLine& line) {
    const std::int64_t now = monotonic_ms();
    if (line.event == LeaseEvent::deleted) {
        if (options.notice) options.notice(NoticeLevel::warning, "the lease was deleted");
        return election.on_followed(now, std::nullopt);
    }
    seen = line.json;
    election.on_followed(now, line.lease);
    seen_api = line.lease.api;
    report_holder();
    report_names(line.lease);
}

// False: the watch cannot go on.
bool Elector::Impl::take_bytes(const std::string& bytes) {
    if (!lines.add(bytes)) return false;
    while (const auto text = lines.next()) {
        auto line = decode_lease_line(std::string(*text));
        if (!line || line->status != 0) return false;
        const bool is_it = line->event != LeaseEvent::none && line->name == options.lease_name;
        if (is_it) take_lease(*line);
    }
    return true;
}

void Elector::Impl::take_written(std::int64_t sent_ms, const Reply& reply) {
    if (const auto* failure = std::get_if<Failure>(&reply)) return failed(failure->message);
    const auto& response = std::get<Response>(reply);
    if (response.status == 409) return conflict();
    if (response.status != 200 && response.status != 201) {
        return failed(decode_status(response.status, response.body).message);
    }
    auto lease = decode_lease(response.body);
    if (!lease) return failed(lease.error().message);
    seen = response.body;
    election.on_written(sent_ms, *lease);
}

asio::awaitable<void> Elector::Impl::step(protocol::LeaseAction action) {
    if (const auto* wait = std::get_if<protocol::WaitLease>(&action)) {
        co_await sleep_ms(timer, wait->ms);
        co_return;
    }
    if (auto* to_follow = std::get_if<protocol::FollowLease>(&action)) {
        following = true;
        co_await follow(std::move(*to_follow));
        following = false;
        co_return;
    }
    if (std::holds_alternative<protocol::ReadLease>(action)) {
        Request get("GET", object());
        Reply reply = co_await connection.call(std::move(get), limits());
        take_read(reply);
        co_return;
    }
    Request write = write_request(action);
    const std::int64_t sent = monotonic_ms();
    Reply reply = co_await connection.call(std::move(write), limits());
    take_written(sent, reply);
}

// A watch of one name needs no right to list.
std::string Elector::Impl::watch_target(const std::string& version) {
    const auto spread = static_cast<std::int64_t>(random()) % follow_seconds_min;
    return fmt::format(
        "{}?watch=true&fieldSelector=metadata.name%3D{}&resourceVersion={}&timeoutSeconds={}",
        collection(),
        percent_encode(options.lease_name),
        percent_encode(version),
        follow_seconds_min + spread);
}

// True: events will come.
asio::awaitable<bool> Elector::Impl::open_follow(std::string version) {
    Request get("GET", watch_target(version));
    Reply reply = co_await connection.open_stream(std::move(get), limits());
    if (stopped) co_return false;
    const auto* response = std::get_if<Response>(&reply);
    if (response == nullptr) {
        election.on_follow_ended(monotonic_ms(), protocol::FollowEnd::closed);
        co_return false;
    }
    if (response->status == 200) co_return true;
    protocol::FollowEnd end = protocol::FollowEnd::refused;
    if (response->status == 410) end = protocol::FollowEnd::closed;
    if (response->status == 429 || response->status >= 500) end = protocol::FollowEnd::busy;
    if (end == protocol::FollowEnd::refused && options.notice) {
        const Status status = decode_status(response->status, response->body);
        options.notice(
            NoticeLevel::warning,
            "the lease cannot be watched and is read from time to time problem=\"" + status.message + "\"");
    }
    election.on_follow_ended(monotonic_ms(), end);
    co_return false;
}

// Until there is something to do: the time to wait for the next event is the time to the expiry.
asio::awaitable<void> Elector::Impl::follow(protocol::FollowLease action) {
    const bool open = co_await open_follow(std::move(action.resource_version));
    if (!open) co_return;
    lines.clear();
    while (!stopped && election.is_following(monotonic_ms())) {
        const std::int64_t wait = election.follow_until_ms() - monotonic_ms();
        StreamPart part = co_await connection.read(std::max<std::int64_t>(wait, 1));
        if (stopped) break;
        const auto* bytes = std::get_if<std::string>(&part);
        const bool goes_on = bytes != nullptr && take_bytes(*bytes);
        if (goes_on) continue;
        election.on_follow_ended(monotonic_ms(), protocol::FollowEnd::closed);
        break;
    }
    connection.close();
}

asio::awaitable<void> Elector::Impl::run() {
    while (!stopped) {
        protocol::LeaseAction action =
            election.next(monotonic_ms(), static_cast<std::uint32_t>(random()));
        report_changes();
        if (stopped) break;
        co_await step(std::move(action));
        election.check_deadline(monotonic_ms());
        report_changes();
    }
    stop_timer.cancel();
    if (lease_end != LeaseEnd::leave) co_await release();
    connection.close();
    if (stop_done) asio::post(io, std::exchange(stop_done, nullptr));
}

// Twice at most: the renewal before us may have landed without our knowing its version.
asio::awaitable<void> Elector::Impl::release() {
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto update = election.release();
        const std::int64_t left = stop_by_ms - monotonic_ms();
        if (!update || left <= 0) co_return;
        Request put("PUT", object());
        put.content_type = "application/json";
        LeaseWrite write = write_of(*update);
        write.holder.clear();
        write.duration_ms = protocol::lease_released_ms;
        write.settled = lease_end == LeaseEnd::settle;
        put.body = body(write);
        Reply reply = co_await connection.call(std::move(put), CallLimits(left));
        const auto* response = std::get_if<Response>(&reply);
        if (response == nullptr || response->status != 409) co_return;
        Request get("GET", object());
        reply = co_await connection.call(std::move(get), CallLimits(stop_by_ms - monotonic_ms()));
        take_read(reply);
    }
}

Elector::Elector(asio::io_context& io, std::shared_ptr<Endpoint> endpoint, ElectorOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), std::move(options))) {}

Elector::~Elector() {
    impl_->stopped = true;
    impl_->lease_end = LeaseEnd::leave;
    impl_->stop_done = nullptr;
    impl_->timer.cancel();
    impl_->stop_timer.cancel();
    impl_->connection.close();
}

void Elector::start() {
    ENSURE(!impl_->started);
    impl_->started = true;
    asio::co_spawn(impl_->io, impl_->run(), keep_alive(impl_));
}

bool Elector::may_write() const {
    return !impl_->stopped && impl_->election.may_write(monotonic_ms());
}

std::string Elector::holder() const {
    return impl_->election.holder();
}

std::string Elector::holder_api() const {
    return impl_->election.holder().empty() ? std::string() : impl_->seen_api;
}

void Elector::stop(std::function<void()> done, LeaseEnd end) {
    impl_->stopped = true;
    impl_->lease_end = end;
    if (!impl_->started) {
        asio::post(impl_->io, std::move(done));
        return;
    }
    impl_->stop_done = std::move(done);
    impl_->timer.cancel();
    if (impl_->following) impl_->connection.close();
    impl_->stop_by_ms = monotonic_ms() + stop_ms;
    // A renewal under way may finish, then comes the release.
    impl_->stop_timer.expires_after(std::chrono::milliseconds(last_renewal_ms));
    impl_->stop_timer.async_wait([self = impl_](boost::system::error_code ec) {
        if (!ec) self->connection.close();
    });
}

}  // namespace k8s

#include "k8s/lease/elector.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_lease.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/lease/election_report.hpp"
#include "k8s/lease/elector_stop.hpp"
#include "k8s/lease/lease_object.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/protocol/line_splitter.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <random>
#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t call_ms_max = 5'000;
constexpr std::int64_t call_ms_min = 500;
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
          random(std::random_device()()),
          lease(options),
          report(options),
          stop(context) {}

    asio::io_context& io;
    ElectorOptions options;
    Connection connection;
    protocol::Election election;
    protocol::LineSplitter lines;
    asio::steady_timer timer;
    std::minstd_rand random;
    LeaseObject lease;
    ElectionReport report;
    ElectorStop stop;
    bool started = false;
    bool following = false;

    // A renewal that hangs must leave time for another one, and one that cannot be in time any more
    // is not worth waiting for.
    CallLimits limits() const {
        std::int64_t ms = std::min(call_ms_max, options.renew_deadline_ms / 2);
        if (election.is_leader()) ms = std::min(ms, election.deadline_ms() - monotonic_ms());
        return CallLimits(std::max(ms, call_ms_min));
    }

    void failed(const std::string& why);
    void note(const protocol::Lease& now);
    void take_read(const Reply& reply);
    void take_written(std::int64_t sent_ms, const Reply& reply);
    void take_line(const LeaseLine& line);
    bool take_bytes(const std::string& bytes);

    asio::awaitable<void> run();
    asio::awaitable<void> follow(protocol::FollowLease action);
    asio::awaitable<bool> open_follow(std::string version);
    asio::awaitable<void> step(protocol::LeaseAction action);
    asio::awaitable<void> release();
};

void Elector::Impl::failed(const std::string& why) {
    const std::int64_t now = monotonic_ms();
    report.failed(why, now);
    election.on_failed(now);
}

// What stands there is known to whoever leads and to whoever follows.
void Elector::Impl::note(const protocol::Lease& now) {
    lease.note_api(now.api);
    report.holder(election.holder());
    report.scheduler_names(now);
}

void Elector::Impl::take_read(const Reply& reply) {
    if (const auto* failure = std::get_if<Failure>(&reply)) return failed(failure->message);
    const auto& response = std::get<Response>(reply);
    if (response.status == 404) return election.on_read(monotonic_ms(), std::nullopt);
    if (response.status != 200) {
        return failed(decode_status(response.status, response.body).message);
    }
    auto read = decode_lease(response.body);
    if (!read) return failed(read.error().message);
    lease.note_json(response.body);
    if (read->holder != options.identity) {
        report.set_problem("held by " + one_line(read->holder, 128));
    }
    election.on_read(monotonic_ms(), *read);
    note(*read);
}

void Elector::Impl::take_line(const LeaseLine& line) {
    const std::int64_t now = monotonic_ms();
    if (line.event == LeaseEvent::deleted) {
        report.notice(NoticeLevel::warning, "the lease was deleted");
        return election.on_followed(now, std::nullopt);
    }
    lease.note_json(line.json);
    election.on_followed(now, line.lease);
    note(line.lease);
}

// False: the watch cannot go on.
bool Elector::Impl::take_bytes(const std::string& bytes) {
    if (!lines.add(bytes)) return false;
    while (const auto text = lines.next()) {
        auto line = decode_lease_line(std::string(*text));
        if (!line || line->status != 0) return false;
        const bool is_it = line->event != LeaseEvent::none && line->name == options.lease_name;
        if (is_it) take_line(*line);
    }
    return true;
}

void Elector::Impl::take_written(std::int64_t sent_ms, const Reply& reply) {
    if (const auto* failure = std::get_if<Failure>(&reply)) return failed(failure->message);
    const auto& response = std::get<Response>(reply);
    if (response.status == 409) {
        report.set_problem("another replica wrote the lease");
        return election.on_conflict(monotonic_ms());
    }
    if (response.status != 200 && response.status != 201) {
        return failed(decode_status(response.status, response.body).message);
    }
    auto written = decode_lease(response.body);
    if (!written) return failed(written.error().message);
    lease.note_json(response.body);
    election.on_written(sent_ms, *written);
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
        Request get = lease.get();
        Reply reply = co_await connection.call(std::move(get), limits());
        take_read(reply);
        co_return;
    }
    Request write = lease.write(action, election);
    const std::int64_t sent = monotonic_ms();
    Reply reply = co_await connection.call(std::move(write), limits());
    take_written(sent, reply);
}

// True: events will come.
asio::awaitable<bool> Elector::Impl::open_follow(std::string version) {
    Request get = lease.watch(version, static_cast<std::uint32_t>(random()));
    Reply reply = co_await connection.open_stream(std::move(get), limits());
    if (stop.is_begun()) co_return false;
    const auto* response = std::get_if<Response>(&reply);
    if (response == nullptr) {
        election.on_follow_ended(monotonic_ms(), protocol::FollowEnd::closed);
        co_return false;
    }
    if (response->status == 200) co_return true;
    protocol::FollowEnd end = protocol::FollowEnd::refused;
    if (response->status == 410) end = protocol::FollowEnd::closed;
    if (response->status == 429 || response->status >= 500) end = protocol::FollowEnd::busy;
    if (end == protocol::FollowEnd::refused) {
        const Status status = decode_status(response->status, response->body);
        report.notice(
            NoticeLevel::warning,
            "the lease cannot be watched and is read from time to time problem=\"" +
                status.message + "\"");
    }
    election.on_follow_ended(monotonic_ms(), end);
    co_return false;
}

// Until there is something to do: the time to wait for the next event is the time to the expiry.
asio::awaitable<void> Elector::Impl::follow(protocol::FollowLease action) {
    const bool open = co_await open_follow(std::move(action.resource_version));
    if (!open) co_return;
    lines.clear();
    while (!stop.is_begun() && election.is_following(monotonic_ms())) {
        const std::int64_t wait = election.follow_until_ms() - monotonic_ms();
        StreamPart part = co_await connection.read(std::max<std::int64_t>(wait, 1));
        if (stop.is_begun()) break;
        const auto* bytes = std::get_if<std::string>(&part);
        const bool goes_on = bytes != nullptr && take_bytes(*bytes);
        if (goes_on) continue;
        election.on_follow_ended(monotonic_ms(), protocol::FollowEnd::closed);
        break;
    }
    connection.close();
}

asio::awaitable<void> Elector::Impl::run() {
    while (!stop.is_begun()) {
        protocol::LeaseAction action =
            election.next(monotonic_ms(), static_cast<std::uint32_t>(random()));
        report.leadership(election);
        if (stop.is_begun()) break;
        co_await step(std::move(action));
        election.check_deadline(monotonic_ms());
        report.leadership(election);
    }
    stop.note_renewal_over();
    if (stop.lease_end() != LeaseEnd::leave) co_await release();
    connection.close();
    stop.finish(io);
}

// Twice at most: the renewal before us may have landed without our knowing its version.
asio::awaitable<void> Elector::Impl::release() {
    for (int attempt = 0; attempt < 2; ++attempt) {
        const auto update = election.release();
        const std::int64_t left = stop.left_ms();
        if (!update || left <= 0) co_return;
        Request put = lease.release(*update, election, stop.lease_end() == LeaseEnd::settle);
        Reply reply = co_await connection.call(std::move(put), CallLimits(left));
        const auto* response = std::get_if<Response>(&reply);
        if (response == nullptr || response->status != 409) co_return;
        Request get = lease.get();
        reply = co_await connection.call(std::move(get), CallLimits(stop.left_ms()));
        take_read(reply);
    }
}

Elector::Elector(asio::io_context& io, std::shared_ptr<Endpoint> endpoint, ElectorOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), std::move(options))) {}

Elector::~Elector() {
    impl_->report.mute();
    impl_->stop.begin_at_once(LeaseEnd::leave);
    impl_->timer.cancel();
    impl_->connection.close();
}

void Elector::start() {
    ENSURE(!impl_->started);
    impl_->started = true;
    asio::co_spawn(impl_->io, impl_->run(), keep_alive(impl_));
}

bool Elector::may_write() const {
    return !impl_->stop.is_begun() && impl_->election.may_write(monotonic_ms());
}

std::string Elector::holder() const {
    return impl_->election.holder();
}

std::string Elector::holder_api() const {
    return impl_->election.holder().empty() ? std::string() : impl_->lease.api();
}

void Elector::stop(std::function<void()> done, LeaseEnd end) {
    impl_->report.mute();
    if (!impl_->started) {
        impl_->stop.begin_at_once(end);
        asio::post(impl_->io, std::move(done));
        return;
    }
    impl_->timer.cancel();
    if (impl_->following) impl_->connection.close();
    impl_->stop.begin(end, std::move(done), [self = impl_] { self->connection.close(); });
}

}  // namespace k8s

#include "k8s/volume/claim_client.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/volume/codec_claim.hpp"
#include "k8s/codec/volume/codec_storage.hpp"
#include "k8s/net/connection.hpp"
#include "k8s/volume/claim_progress.hpp"
#include "k8s/volume/unbound_claims.hpp"
#include "k8s/volume/volume_watch.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

std::string claim_target(const std::string& namespace_name, const std::string& name) {
    return "/api/v1/namespaces/" + percent_encode(namespace_name) + "/persistentvolumeclaims/" +
           percent_encode(name);
}

constexpr std::int64_t tell_pause_ms = 100;

/// A 200, or nothing and `into` says why.
std::optional<std::string> take_body(Reply reply, ClaimResult& into) {
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        into.message = failure->message;
        return std::nullopt;
    }
    auto& response = std::get<Response>(reply);
    if (response.status == 200) return std::move(response.body);
    into.message = decode_status(response.status, response.body).message;
    if (response.status == 404) into.outcome = FetchOutcome::not_found;
    if (response.status == 401 || response.status == 403) into.outcome = FetchOutcome::forbidden;
    return std::nullopt;
}

void unreadable(ClaimResult& into, const core::Error& error) {
    into.outcome = FetchOutcome::unreadable;
    into.message = error.message;
}

}  // namespace

struct ClaimClient::Impl : std::enable_shared_from_this<ClaimClient::Impl> {
    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint, ClaimClientOptions given)
        : io(context),
          options(std::move(given)),
          connection(context, endpoint),
          timer(context),
          volumes(context, std::move(endpoint), watch_options()),
          tell_timer(context) {}

    /// A claim to be read, or volumes to be waited for.
    struct Job {
        struct Part {
            std::string claim;
            ClaimProgress progress;
            std::string volume = {};  ///< that it gets; empty: one is made
        };
        std::string namespace_name;
        std::vector<Part> parts;  ///< provisioning: those without a volume
        std::size_t at = 0;       ///< the part that is looked at next
        std::string node;         ///< empty: read alone
        std::int64_t until_ms = 0;
        std::int64_t pause_ms = 0;
        std::function<void(ClaimResult)> read;
        std::function<void(std::string)> provisioned;
    };

    static std::string key_of(const Job& job) {
        return job.namespace_name + "/" + job.parts.front().claim;
    }

    asio::io_context& io;
    ClaimClientOptions options;
    Connection connection;
    asio::steady_timer timer;
    std::multimap<std::int64_t, std::shared_ptr<Job>> jobs;  ///< by when they are due
    bool running = false;
    bool stopped = false;
    VolumeWatch volumes;  ///< begun by the first claim that may get one
    UnboundClaims unbound;

    asio::steady_timer tell_timer;
    bool is_telling = false;
    bool is_denial_told = false;  ///< that drivers may not be read

    VolumeWatchOptions watch_options();
    void tell_soon();
    void add(std::int64_t at_ms, std::shared_ptr<Job> job);
    void answer(const std::shared_ptr<Job>& job, ClaimResult result);
    void finish(const std::shared_ptr<Job>& job, std::string why);
    void wait(const std::shared_ptr<Job>& job);
    void bound(const std::shared_ptr<Job>& job);
    std::shared_ptr<Job> take_due();
    Request patch_request(const Job& job, const std::string& version) const;
    void written(const std::shared_ptr<Job>& job, const Reply& reply);

    asio::awaitable<void> run();
    asio::awaitable<void> read(std::shared_ptr<Job> job);
    asio::awaitable<void> read_behind(ClaimResult& result);
    asio::awaitable<void> read_driver(ClaimResult& result, std::string driver);
    asio::awaitable<void> read_available(
        ClaimResult& result, VolumeWish wish, const std::shared_ptr<Job>& job);
    asio::awaitable<void> claim_volume(std::shared_ptr<Job> job, std::string claim_uid);
    asio::awaitable<void> look(std::shared_ptr<Job> job);
    std::optional<std::string> body_for(const std::shared_ptr<Job>& job, Reply reply);
    asio::awaitable<void> write(std::shared_ptr<Job> job, Request request);
    asio::awaitable<Reply> get(std::string target);
};

void ClaimClient::Impl::add(std::int64_t at_ms, std::shared_ptr<Job> job) {
    jobs.emplace(at_ms, std::move(job));
    timer.cancel();
    if (!std::exchange(running, true)) {
        asio::co_spawn(io, run(), keep_alive(shared_from_this()));
    }
}

std::shared_ptr<ClaimClient::Impl::Job> ClaimClient::Impl::take_due() {
    if (jobs.empty() || jobs.begin()->first > monotonic_ms()) return nullptr;
    auto job = std::move(jobs.begin()->second);
    jobs.erase(jobs.begin());
    return job;
}

asio::awaitable<void> ClaimClient::Impl::run() {
    while (!stopped && !jobs.empty()) {
        const std::shared_ptr<Job> job = take_due();
        if (job == nullptr) {
            const std::int64_t left_ms = jobs.begin()->first - monotonic_ms();
            co_await sleep_ms(timer, std::max<std::int64_t>(left_ms, 1));
        } else if (job->node.empty()) {
            co_await read(job);
        } else {
            co_await look(job);
        }
    }
    running = false;
}

asio::awaitable<Reply> ClaimClient::Impl::get(std::string target) {
    co_return co_await connection.call(
        Request("GET", std::move(target)), CallLimits(options.call_timeout_ms));
}

asio::awaitable<void> ClaimClient::Impl::read(std::shared_ptr<Job> job) {
    ClaimResult result;
    VolumeWish wish;
    unbound.forget(key_of(*job));
    if (job->namespace_name.empty()) {
        result.outcome = FetchOutcome::found;
        result.claim.storage_class = job->parts.front().claim;
        co_await read_behind(result);
        const core::Claim& claim = result.claim;
        if (claim.state == core::ClaimState::consumer && claim.is_never_made &&
            claim.problem.empty()) {
            result.claim.problem = "storage class " + claim.storage_class +
                                   " makes no volumes for claims that are yet to come";
        }
        answer(job, std::move(result));
        co_return;
    }
    Reply reply = co_await get(claim_target(job->namespace_name, job->parts.front().claim));
    if (const auto body = take_body(std::move(reply), result)) {
        auto decoded = decode_claim(*body);
        if (decoded) {
            result.outcome = FetchOutcome::found;
            result.claim = std::move(decoded->claim);
            wish = std::move(decoded->wish);
        } else {
            unreadable(result, decoded.error());
        }
    }
    if (result.outcome == FetchOutcome::found) co_await read_behind(result);
    if (result.outcome == FetchOutcome::found) co_await read_available(result, wish, job);
    answer(job, std::move(result));
}

/// Volumes that are there come before one that is made. Where we may not look at them it is as if
/// there were none, and a class that makes none says so.
asio::awaitable<void> ClaimClient::Impl::read_available(
    ClaimResult& result, VolumeWish wish, const std::shared_ptr<Job>& job) {
    core::Claim& claim = result.claim;
    const bool is_looked_for = claim.state == core::ClaimState::consumer &&
                               claim.selected_node.empty() && claim.problem.empty();
    if (!is_looked_for) co_return;
    volumes.start();
    while (!volumes.is_known() && !stopped) {
        co_await sleep_ms(timer, options.pause_ms_max);
    }
    if (claim.is_never_made && !volumes.problem().empty()) {
        claim.problem = "its storage class " + claim.storage_class +
                        " makes no volumes, and those that are there cannot be listed: " +
                        volumes.problem();
        co_return;
    }
    auto tell = [this, job](const core::Claim& now) { answer(job, {FetchOutcome::found, now, {}}); };
    claim = unbound.put(
        key_of(*job), claim, std::move(wish), std::move(tell), volumes.volumes(), monotonic_ms());
}

VolumeWatchOptions ClaimClient::Impl::watch_options() {
    VolumeWatchOptions out;
    out.known = [this] { timer.cancel(); };
    out.changed = [this](const VolumeObject& volume) {
        unbound.changed(volume);
        if (unbound.has_news()) tell_soon();
    };
    out.notice = options.notice;
    out.pause_ms_min = options.pause_ms_min;
    return out;
}

/// Volumes come in crowds: what all of them change is told at once.
void ClaimClient::Impl::tell_soon() {
    if (std::exchange(is_telling, true)) return;
    tell_timer.expires_after(std::chrono::milliseconds(tell_pause_ms));
    tell_timer.async_wait([self = weak_from_this()](const boost::system::error_code& error) {
        const auto impl = self.lock();
        if (impl == nullptr || impl->stopped || error) return;
        impl->is_telling = false;
        impl->unbound.tell(impl->volumes.volumes(), monotonic_ms());
    });
}

void ClaimClient::Impl::answer(const std::shared_ptr<Job>& job, ClaimResult result) {
    asio::post(io, [self = shared_from_this(), job, result = std::move(result)] {
        if (!self->stopped) job->read(result);
    });
}

/// A volume or class that is not there is said of the claim.
asio::awaitable<void> ClaimClient::Impl::read_behind(ClaimResult& result) {
    core::Claim& claim = result.claim;
    const bool is_bound = claim.state == core::ClaimState::bound;
    const bool has_class =
        claim.state == core::ClaimState::immediate && !claim.storage_class.empty();
    if (!is_bound && !has_class) co_return;
    std::string target = "/apis/storage.k8s.io/v1/storageclasses/";
    if (is_bound) target = "/api/v1/persistentvolumes/";
    target += percent_encode(is_bound ? claim.volume : claim.storage_class);
    Reply reply = co_await get(std::move(target));
    result.outcome = FetchOutcome::failed;
    const auto body = take_body(std::move(reply), result);
    if (body && is_bound) {
        result.outcome = FetchOutcome::found;
        const auto added = add_volume(claim, *body);
        if (!added) unreadable(result, added.error());
    } else if (body) {
        result.outcome = FetchOutcome::found;
        const auto driver = add_storage_class(claim, *body);
        if (!driver) unreadable(result, driver.error());
        if (driver && !driver->empty()) co_await read_driver(result, *driver);
    } else if (result.outcome == FetchOutcome::not_found) {
        result.outcome = FetchOutcome::found;
        claim.problem = std::exchange(result.message, {});
    }
}

/// A provisioner that is no CSI driver, or none that says so, always has storage left. Where we may
/// not look at it, it is as if it were so.
asio::awaitable<void> ClaimClient::Impl::read_driver(ClaimResult& result, std::string driver) {
    Reply reply =
        co_await get("/apis/storage.k8s.io/v1/csidrivers/" + percent_encode(driver));
    ClaimResult of_driver;
    const auto body = take_body(std::move(reply), of_driver);
    if (body) {
        const auto counts = decode_counts_storage(*body);
        if (!counts) unreadable(result, counts.error());
        result.claim.is_storage_counted = counts && *counts;
    } else if (of_driver.outcome == FetchOutcome::failed) {
        result.outcome = FetchOutcome::failed;
        result.message = of_driver.message;
    } else if (of_driver.outcome == FetchOutcome::forbidden && options.notice &&
               !std::exchange(is_denial_told, true)) {
        options.notice(
            NoticeLevel::warning,
            "read=csidrivers problem=\"" + of_driver.message +
                "; free storage is not looked at: grant the scheduler get on csidrivers\"");
    }
}

/// Nothing: it could not be read, and the job waits or has ended for that.
std::optional<std::string> ClaimClient::Impl::body_for(
    const std::shared_ptr<Job>& job, Reply reply) {
    ClaimResult result;
    auto body = take_body(std::move(reply), result);
    if (!body && result.outcome == FetchOutcome::failed) {
        wait(job);
    } else if (!body) {
        finish(job, result.message);
    }
    return body;
}

asio::awaitable<void> ClaimClient::Impl::look(std::shared_ptr<Job> job) {
    Reply reply = co_await get(claim_target(job->namespace_name, job->parts[job->at].claim));
    const auto body = body_for(job, std::move(reply));
    if (!body) co_return;
    const auto read = decode_claim(*body);
    if (!read) {
        finish(job, read.error().message);
        co_return;
    }
    Job::Part& part = job->parts[job->at];
    switch (part.progress.next(read->claim)) {
        case ClaimProgress::Step::annotate:
            break;
        case ClaimProgress::Step::claim_volume:
            co_await claim_volume(job, read->claim.uid);
            co_return;
        case ClaimProgress::Step::wait:
            wait(job);
            co_return;
        case ClaimProgress::Step::done:
            bound(job);
            co_return;
        case ClaimProgress::Step::give_up:
            finish(job, part.progress.why());
            co_return;
    }
    co_await write(job, patch_request(*job, read->resource_version));
}

/// The volume is the claim's, if it is nobody else's yet.
asio::awaitable<void> ClaimClient::Impl::claim_volume(
    std::shared_ptr<Job> job, std::string claim_uid) {
    const Job::Part& part = job->parts[job->at];
    const std::string target = "/api/v1/persistentvolumes/" + percent_encode(part.volume);
    Reply reply = co_await get(target);
    auto body = body_for(job, std::move(reply));
    if (!body) co_return;
    const auto volume = decode_volume(*std::move(body));
    if (!volume) {
        finish(job, volume.error().message);
        co_return;
    }
    if (!claim_uid.empty() && volume->claim_uid == claim_uid) {
        job->parts[job->at].progress.written();
        wait(job);
        co_return;
    }
    const bool is_free = volume->claim_name.empty() ||
                         (volume->claim_uid.empty() && volume->claim_name == part.claim &&
                          volume->claim_namespace == job->namespace_name);
    if (!is_free || volume->is_deleting || volume->is_used) {
        volumes.note(*volume);
        finish(job, "volume " + part.volume + " is not to be had any more");
        co_return;
    }
    VolumeObject taken = *volume;  // from here on for all who read their claims
    taken.claim_namespace = job->namespace_name;
    taken.claim_name = part.claim;
    taken.claim_uid = claim_uid;
    volumes.note(std::move(taken));
    Request request("PATCH", target);
    request.content_type = "application/merge-patch+json";
    request.body = encode_claim_ref(
        job->namespace_name, part.claim, claim_uid, volume->resource_version);
    co_await write(job, std::move(request));
}

asio::awaitable<void> ClaimClient::Impl::write(std::shared_ptr<Job> job, Request request) {
    CallLimits limits(options.call_timeout_ms);
    limits.may_send = options.may_write;
    Reply reply = co_await connection.call(std::move(request), std::move(limits));
    written(job, reply);
}

Request ClaimClient::Impl::patch_request(const Job& job, const std::string& version) const {
    Request request("PATCH", claim_target(job.namespace_name, job.parts[job.at].claim));
    request.content_type = "application/merge-patch+json";
    request.body = encode_selected_node(job.node, version);
    return request;
}

/// Whatever became of it, the next look at the claim shows. A refusal for good ends it.
void ClaimClient::Impl::written(const std::shared_ptr<Job>& job, const Reply& reply) {
    const auto* response = std::get_if<Response>(&reply);
    const int status = response == nullptr ? 0 : response->status;
    if (status == 200) job->parts[job->at].progress.written();
    if (status == 400 || status == 401 || status == 403 || status == 422) {
        finish(job, decode_status(status, response->body).message);
    } else {
        wait(job);
    }
}

void ClaimClient::Impl::bound(const std::shared_ptr<Job>& job) {
    job->parts.erase(job->parts.begin() + static_cast<std::ptrdiff_t>(job->at));
    if (job->parts.empty()) {
        finish(job, {});
        return;
    }
    job->at %= job->parts.size();
    add(monotonic_ms(), job);
}

/// The other claims first: volumes are made side by side.
void ClaimClient::Impl::wait(const std::shared_ptr<Job>& job) {
    const std::int64_t now = monotonic_ms();
    if (now >= job->until_ms) {
        finish(job, "no volume was made in time");
        return;
    }
    job->at = (job->at + 1) % job->parts.size();
    if (job->at != 0) {
        add(now, job);
        return;
    }
    add(now + job->pause_ms, job);
    job->pause_ms = std::min(job->pause_ms * 2, options.pause_ms_max);
}

void ClaimClient::Impl::finish(const std::shared_ptr<Job>& job, std::string why) {
    if (!why.empty()) {
        why = "persistentvolumeclaim \"" + job->parts[job->at].claim + "\": " + why;
    }
    asio::post(io, [self = shared_from_this(), job, why = std::move(why)] {
        if (!self->stopped) job->provisioned(why);
    });
}

ClaimClient::ClaimClient(
    asio::io_context& io, std::shared_ptr<Endpoint> endpoint, ClaimClientOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), std::move(options))) {}

ClaimClient::~ClaimClient() {
    stop();
}

void ClaimClient::read(
    std::string namespace_name, std::string name, std::function<void(ClaimResult)> done) {
    auto job = std::make_shared<Impl::Job>();
    job->namespace_name = std::move(namespace_name);
    job->parts.push_back({std::move(name), ClaimProgress(std::string())});
    job->read = std::move(done);
    impl_->add(monotonic_ms(), std::move(job));
}

void ClaimClient::provision(ProvisionRequest request, std::function<void(std::string why)> done) {
    auto job = std::make_shared<Impl::Job>();
    job->namespace_name = std::move(request.namespace_name);
    job->node = std::move(request.node);
    for (const std::string& claim : request.claims) {
        impl_->unbound.forget(job->namespace_name + "/" + claim);
    }
    for (const ClaimedVolume& one : request.volumes) {
        impl_->unbound.forget(job->namespace_name + "/" + one.claim);
    }
    for (std::string& claim : request.claims) {
        job->parts.push_back({std::move(claim), ClaimProgress(job->node)});
    }
    for (ClaimedVolume& one : request.volumes) {
        job->parts.push_back(
            {std::move(one.claim), ClaimProgress(job->node, one.volume), one.volume});
    }
    job->until_ms = monotonic_ms() + impl_->options.provision_ms_max;
    job->pause_ms = impl_->options.pause_ms_min;
    job->provisioned = std::move(done);
    impl_->add(monotonic_ms(), std::move(job));
}

void ClaimClient::stop() {
    impl_->stopped = true;
    impl_->timer.cancel();
    impl_->tell_timer.cancel();
    impl_->volumes.stop();
    impl_->connection.close();
}

}  // namespace k8s

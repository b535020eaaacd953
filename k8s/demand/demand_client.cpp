#include "k8s/demand/demand_client.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/demand/codec_demand.hpp"
#include "k8s/net/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <variant>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

constexpr std::int64_t page_size = 500;
/// More drivers than this are not found at once; those that are left out have their turn later.
constexpr std::size_t found_max = 10'000;

enum class DemandObject : std::uint8_t { pod_template, capacity_buffer, provisioning_request };

std::string target_of(DemandObject kind, const PodName& driver, const std::string& name) {
    std::string target = kind == DemandObject::pod_template
                             ? "/api/v1/namespaces/"
                         : kind == DemandObject::capacity_buffer
                             ? "/apis/autoscaling.x-k8s.io/v1beta1/namespaces/"
                             : "/apis/autoscaling.x-k8s.io/v1/namespaces/";
    target += percent_encode(driver.namespace_name);
    target += kind == DemandObject::pod_template      ? "/podtemplates/"
              : kind == DemandObject::capacity_buffer ? "/capacitybuffers/"
                                                      : "/provisioningrequests/";
    return target + percent_encode(name);
}

/// Made if it is not there; what others have put into it stays theirs.
Request apply_request(std::string target, std::string body) {
    Request request("PATCH", std::move(target) + "?fieldManager=gang-scheduler&force=true");
    request.content_type = "application/apply-patch+yaml";  // JSON is YAML
    request.body = std::move(body);
    return request;
}

Request delete_request(std::string target) {
    Request request("DELETE", std::move(target));
    request.content_type = "application/json";
    request.body = R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"})";
    return request;
}

DemandResult to_result(const Reply& reply, DemandObject kind) {
    DemandResult result;
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        result.message = failure->message;
        return result;
    }
    const auto& response = std::get<Response>(reply);
    if (response.status >= 200 && response.status < 300) {
        result.outcome = DemandOutcome::done;
        return result;
    }
    result.message = decode_status(response.status, response.body).message;
    const bool is_of_group = kind != DemandObject::pod_template;
    if (response.status == 404 && is_of_group) {
        result.outcome = DemandOutcome::no_kind;
    } else if (response.status == 401 || response.status == 403) {
        result.outcome = DemandOutcome::forbidden;
    } else if (
        response.status >= 400 && response.status < 500 && response.status != 409 &&
        response.status != 429) {
        result.outcome = DemandOutcome::refused;
    }
    return result;
}

bool is_refused(const DemandResult& result) {
    return result.outcome == DemandOutcome::refused;
}

bool is_done(const DemandResult& result) {
    return result.outcome == DemandOutcome::done;
}

}  // namespace

struct DemandClient::Impl : std::enable_shared_from_this<DemandClient::Impl> {
    struct Job {
        enum class Kind : std::uint8_t { want, drop, list };
        Kind kind = Kind::list;
        DemandRequest request = {};
        std::function<void(const DemandResult&)> done = {};
        std::function<void(const DemandList&)> listed = {};
    };

    Impl(asio::io_context& context, std::shared_ptr<Endpoint> endpoint, DemandClientOptions given)
        : io(context), options(std::move(given)), connection(context, std::move(endpoint)) {}

    asio::io_context& io;
    DemandClientOptions options;
    Connection connection;
    std::deque<Job> jobs;
    bool running = false;
    bool stopped = false;

    void add(Job job);
    CallLimits write_limits() const;
    asio::awaitable<void> run();
    asio::awaitable<void> carry_out(const Job& job);
    asio::awaitable<DemandResult> want(const DemandRequest& request);
    asio::awaitable<DemandResult> want_shape(const DemandRequest& request, std::size_t shape);
    asio::awaitable<DemandResult> want_all(const DemandRequest& request);
    asio::awaitable<DemandResult> drop(const DemandRequest& request);
    asio::awaitable<DemandResult> drop_shape(const DemandRequest& request, std::size_t shape);
    asio::awaitable<DemandResult> apply(
        DemandObject kind, const PodName& driver, std::string name, std::string body);
    asio::awaitable<DemandResult> remove(
        DemandObject kind, const PodName& driver, std::string name);
    asio::awaitable<DemandList> list();
};

void DemandClient::Impl::add(Job job) {
    jobs.push_back(std::move(job));
    if (!std::exchange(running, true)) {
        asio::co_spawn(io, run(), keep_alive(shared_from_this()));
    }
}

CallLimits DemandClient::Impl::write_limits() const {
    CallLimits limits(options.call_timeout_ms);
    limits.may_send = [this] { return !stopped && options.may_write(); };
    return limits;
}

asio::awaitable<void> DemandClient::Impl::run() {
    while (!stopped && !jobs.empty()) {
        const Job job = std::move(jobs.front());
        jobs.pop_front();
        co_await carry_out(job);
    }
    running = false;
}

asio::awaitable<void> DemandClient::Impl::carry_out(const Job& job) {
    if (job.kind == Job::Kind::list) {
        DemandList result = co_await list();
        asio::post(io, [self = shared_from_this(), done = job.listed, result = std::move(result)] {
            if (!self->stopped) done(result);
        });
        co_return;
    }
    DemandResult result;
    if (job.kind == Job::Kind::want) {
        result = co_await want(job.request);
    } else {
        result = co_await drop(job.request);
    }
    asio::post(io, [self = shared_from_this(), done = job.done, result = std::move(result)] {
        if (!self->stopped) done(result);
    });
}

/// The first that fails ends it. Nothing is there if that was the first of all, and certain.
asio::awaitable<DemandResult> DemandClient::Impl::want(const DemandRequest& request) {
    bool may_exist = false;
    for (std::size_t shape = 0; shape < request.shapes.size(); ++shape) {
        DemandResult result = co_await want_shape(request, shape);
        may_exist = may_exist || result.may_exist;
        if (!is_done(result)) {
            result.may_exist = may_exist;
            co_return result;
        }
    }
    DemandResult result;
    result.outcome = DemandOutcome::done;
    if (options.kind == DemandKind::provisioning_request) {
        result = co_await want_all(request);
    }
    co_return result;
}

asio::awaitable<DemandResult> DemandClient::Impl::want_shape(
    const DemandRequest& request, std::size_t shape) {
    const std::string name = demand_name(request.driver.uid, shape);
    if (request.shapes[shape].count == 0) {
        DemandResult result = co_await drop_shape(request, shape);
        co_return result;
    }
    std::string body = encode_pod_template(request, shape);
    DemandResult result =
        co_await apply(DemandObject::pod_template, request.driver, name, std::move(body));
    if (!is_done(result)) {
        result.may_exist = result.outcome == DemandOutcome::failed;
        co_return result;
    }
    if (options.kind == DemandKind::capacity_buffer) {
        std::string buffer = encode_capacity_buffer(request, shape);
        result =
            co_await apply(DemandObject::capacity_buffer, request.driver, name, std::move(buffer));
    }
    co_return result;
}

/// Its spec never changes: another number of pods is another object of that name.
asio::awaitable<DemandResult> DemandClient::Impl::want_all(const DemandRequest& request) {
    const std::string name = demand_name(request.driver.uid);
    const std::string body = encode_provisioning_request(request);
    DemandResult result =
        co_await apply(DemandObject::provisioning_request, request.driver, name, body);
    if (!is_refused(result)) {
        co_return result;
    }
    DemandResult removed = co_await remove(DemandObject::provisioning_request, request.driver, name);
    if (!is_done(removed)) {
        co_return removed;
    }
    result = co_await apply(DemandObject::provisioning_request, request.driver, name, body);
    co_return result;
}

/// All of them are tried, but for the templates of what is still there: without them it would not be
/// found again. What is said is the first that went wrong.
asio::awaitable<DemandResult> DemandClient::Impl::drop(const DemandRequest& request) {
    DemandResult result;
    result.outcome = DemandOutcome::done;
    if (options.kind == DemandKind::provisioning_request) {
        const std::string name = demand_name(request.driver.uid);
        result = co_await remove(DemandObject::provisioning_request, request.driver, name);
        if (!is_done(result)) {
            result.may_exist = true;
            co_return result;
        }
    }
    for (std::size_t shape = 0; shape < request.shapes_max; ++shape) {
        DemandResult dropped = co_await drop_shape(request, shape);
        if (is_done(result)) {
            result = std::move(dropped);
        }
    }
    result.may_exist = !is_done(result);
    co_return result;
}

asio::awaitable<DemandResult> DemandClient::Impl::drop_shape(
    const DemandRequest& request, std::size_t shape) {
    const std::string name = demand_name(request.driver.uid, shape);
    DemandResult result;
    result.outcome = DemandOutcome::done;
    if (options.kind == DemandKind::capacity_buffer) {
        result = co_await remove(DemandObject::capacity_buffer, request.driver, name);
    }
    if (is_done(result)) {
        result = co_await remove(DemandObject::pod_template, request.driver, name);
    }
    result.may_exist = !is_done(result);
    co_return result;
}

asio::awaitable<DemandResult> DemandClient::Impl::apply(
    DemandObject kind, const PodName& driver, std::string name, std::string body) {
    Request request = apply_request(target_of(kind, driver, name), std::move(body));
    const Reply reply = co_await connection.call(std::move(request), write_limits());
    co_return to_result(reply, kind);
}

asio::awaitable<DemandResult> DemandClient::Impl::remove(
    DemandObject kind, const PodName& driver, std::string name) {
    Request request = delete_request(target_of(kind, driver, name));
    const Reply reply = co_await connection.call(std::move(request), write_limits());
    DemandResult result = to_result(reply, kind);
    const auto* const response = std::get_if<Response>(&reply);
    if (response != nullptr && response->status == 404) {
        result.outcome = DemandOutcome::done;
        result.message.clear();
    }
    co_return result;
}

/// By their templates: nothing of ours is there without one.
asio::awaitable<DemandList> DemandClient::Impl::list() {
    std::map<std::pair<std::string, std::string>, DemandFound> by_driver;
    DemandList out;
    std::string token;
    do {
        std::string target = "/api/v1/podtemplates?limit=" + std::to_string(page_size);
        target += "&labelSelector=" + percent_encode(demand_label);
        if (!token.empty()) target += "&continue=" + percent_encode(token);
        Reply reply = co_await connection.call(
            Request("GET", std::move(target)), CallLimits(options.call_timeout_ms));
        auto body = body_of(std::move(reply));
        if (!body) {
            out.message = body.error().message;
            co_return out;
        }
        auto page = decode_pod_templates(*std::move(body));
        if (!page) {
            out.message = page.error().message;
            co_return out;
        }
        for (DemandFound& found : page->found) {
            const auto [it, inserted] =
                by_driver.try_emplace({found.namespace_name, found.driver_uid}, found);
            it->second.shapes = std::max(it->second.shapes, found.shapes);
            it->second.created_ms = std::min(it->second.created_ms, found.created_ms);
        }
        token = std::move(page->next);
    } while (!token.empty() && by_driver.size() < found_max);
    out.is_complete = true;
    for (auto& [driver, found] : by_driver) {
        out.found.push_back(std::move(found));
    }
    co_return out;
}

DemandClient::DemandClient(
    asio::io_context& io, std::shared_ptr<Endpoint> endpoint, DemandClientOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), std::move(options))) {}

DemandClient::~DemandClient() {
    stop();
}

void DemandClient::want(DemandRequest request, std::function<void(const DemandResult&)> done) {
    Impl::Job job;
    job.kind = Impl::Job::Kind::want;
    job.request = std::move(request);
    job.done = std::move(done);
    impl_->add(std::move(job));
}

void DemandClient::drop(DemandRequest request, std::function<void(const DemandResult&)> done) {
    Impl::Job job;
    job.kind = Impl::Job::Kind::drop;
    job.request = std::move(request);
    job.done = std::move(done);
    impl_->add(std::move(job));
}

void DemandClient::list(std::function<void(const DemandList&)> done) {
    Impl::Job job;
    job.listed = std::move(done);
    impl_->add(std::move(job));
}

void DemandClient::stop() {
    impl_->stopped = true;
    impl_->connection.close();
}

}  // namespace k8s

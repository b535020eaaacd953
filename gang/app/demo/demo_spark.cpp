#include "gang/app/demo/demo_spark.hpp"

#include "core/base/result.hpp"
#include "gang/app/demo/spark_pace.hpp"
#include "k8s/embedded/http/api_server.hpp"
#include "k8s/embedded/store/json_value.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace gang::app {

namespace asio = boost::asio;
using k8s::embedded::Json;

namespace {

constexpr std::string_view demo_namespace = "default";
constexpr std::int64_t conf_map_after_ms = 30;  // spark-submit posts the pod first
constexpr std::int64_t registered_wait_ms = 30'000;  // maxRegisteredResourcesWaitingTime

}  // namespace

struct DemoSpark::Impl {
    asio::io_context& io;
    k8s::embedded::ApiServer& api;
    std::function<void(const std::string&)> finish_pod;
    std::vector<DemoJobRecord> records;
    std::vector<std::vector<std::string>> executor_names;  // per record, those not gone yet
    std::map<std::string, std::size_t> by_application;
    std::map<std::uint64_t, asio::steady_timer> timers;
    std::uint64_t next_timer = 0;
    std::int64_t last_progress_ms = 0;

    void after(std::int64_t delay_ms, std::function<void()> work) {
        const std::uint64_t id = next_timer++;
        auto& timer = timers.try_emplace(id, io, std::chrono::milliseconds(delay_ms)).first->second;
        timer.async_wait([this, id, work = std::move(work)](const boost::system::error_code& ec) {
            if (ec) return;
            work();
            timers.erase(id);
        });
    }

    Json call(std::string method, std::string target, std::string body, std::string type) {
        k8s::embedded::Request request;
        request.method = std::move(method);
        request.target = std::move(target);
        request.body = std::move(body);
        request.content_type = std::move(type);
        const k8s::embedded::Response response = api.handle(request);
        // A driver may lose a race with the end of its own pod; everything else must work.
        const bool done = response.status < 300 || response.status == 404;
        if (!done)
            fmt::print(stderr, "demo: {} {}: {}\n", request.method, request.target, response.body);
        ENSURE(done);
        core::Result<Json> answer = Json::parse(response.body);
        return answer ? *std::move(answer) : Json();
    }

    core::StringMap values(const DemoJobRecord& record, int executor_id) const {
        return {
            {"APP", "spark-" + record.job.name},
            {"DRIVER_UID", record.driver_uid},
            {"EXECUTORS", std::to_string(record.job.executors)},
            {"ID", std::to_string(executor_id)},
            {"NAME", record.job.name},
            {"NAMESPACE", std::string(demo_namespace)}};
    }

    std::string object(const DemoJobRecord& record, DemoObject kind, int executor_id = 0) const {
        std::string text =
            fill_template(template_of(kind, record.job.language), values(record, executor_id));
        const DemoJob& job = record.job;
        if (job.device_amount == 0) return text;
        if (kind == DemoObject::executor) {
            const std::string resource = job.device_vendor + "/" + job.device_name;
            return with_limit(std::move(text), resource, job.device_amount);
        }
        if (kind == DemoObject::driver_conf_map) {
            return with_properties(
                std::move(text),
                fmt::format(
                    "spark.executor.resource.{0}.amount={1}\n"
                    "spark.executor.resource.{0}.vendor={2}\n",
                    job.device_name,
                    job.device_amount,
                    job.device_vendor));
        }
        return text;
    }

    static std::string collection(std::string_view resource) {
        return fmt::format("/api/v1/namespaces/{}/{}", demo_namespace, resource);
    }

    void apply(std::string_view resource, const std::string& name, std::string body) {
        call(
            "PATCH",
            collection(resource) + "/" + name + "?fieldManager=fabric8&force=true",
            std::move(body),
            "application/apply-patch+yaml");
    }

    // The order of spark-submit: the driver first, then its service, then its config map.
    void submit_now(std::size_t index) {
        DemoJobRecord& record = records[index];
        const Json driver = call(
            "POST", collection("pods"), object(record, DemoObject::driver), "application/json");
        record.driver_uid = driver.text({"metadata", "uid"});
        record.submitted_ms = api.now_ms();
        after(conf_map_after_ms, [this, index] {
            const DemoJobRecord& submitted = records[index];
            apply(
                "services",
                submitted.job.name + "-driver-svc",
                object(submitted, DemoObject::driver_service));
            apply(
                "configmaps",
                submitted.job.name + "-driver-conf-map",
                object(submitted, DemoObject::driver_conf_map));
        });
    }

    void ask_for_executors(std::size_t index, int already) {
        DemoJobRecord& record = records[index];
        if (record.finished_ms != 0) return;
        if (already == 0) {
            apply(
                "configmaps",
                record.job.name + "-exec-conf-map",
                object(record, DemoObject::executor_conf_map));
        }
        const int upto = std::min(record.job.executors, already + executors_per_batch);
        for (int id = already + 1; id <= upto; ++id) {
            call(
                "POST",
                collection("pods"),
                object(record, DemoObject::executor, id),
                "application/json");
            executor_names[index].push_back(fmt::format("{}-exec-{}", record.job.name, id));
        }
        if (upto < record.job.executors) {
            after(between_batches.count(), [this, index, upto] { ask_for_executors(index, upto); });
        }
    }

    // Spark starts when 0.8 of the executors have registered, or after 30 s with at least one.
    void work_if_possible(std::size_t index) {
        DemoJobRecord& record = records[index];
        if (record.worked_ms != 0 || record.executors_running == 0) return;
        const std::int64_t waited_ms = api.now_ms() - record.driver_ran_ms;
        const bool enough = record.executors_running * 10 >= record.job.executors * 8;
        if (!enough && waited_ms < registered_wait_ms) {
            after(registered_wait_ms - waited_ms, [this, index] { work_if_possible(index); });
            return;
        }
        record.worked_ms = api.now_ms();
        const std::int64_t work_ms =
            record.job.work_ms * record.job.executors / record.executors_running;
        after(work_ms, [this, index] { finish(index); });
    }

    void finish(std::size_t index) {
        DemoJobRecord& record = records[index];
        record.finished_ms = last_progress_ms = api.now_ms();
        for (const std::string& name : executor_names[index]) {
            call("DELETE", collection("pods") + "/" + name, "", "application/json");
        }
        executor_names[index].clear();
        finish_pod(record.driver_uid);
    }

    DemoJobRecord* find_record(const Json& pod, std::size_t& index) {
        const auto found =
            by_application.find(pod.text({"metadata", "labels", "spark-app-selector"}));
        if (found == by_application.end()) return nullptr;
        index = found->second;
        return &records[index];
    }
};

DemoSpark::DemoSpark(
    asio::io_context& io,
    k8s::embedded::ApiServer& api,
    std::function<void(const std::string& uid)> finish_pod)
    : impl_(new Impl{io, api, std::move(finish_pod), {}, {}, {}, {}, 0, api.now_ms()}) {}

DemoSpark::~DemoSpark() = default;

void DemoSpark::submit(std::vector<DemoJob> jobs) {
    for (DemoJob& job : jobs) {
        const std::size_t index = impl_->records.size();
        impl_->by_application.emplace("spark-" + job.name, index);
        const std::int64_t delay_ms = job.submit_after_ms;
        impl_->records.emplace_back().job = std::move(job);
        impl_->executor_names.emplace_back();
        impl_->after(delay_ms, [impl = impl_.get(), index] { impl->submit_now(index); });
    }
}

void DemoSpark::on_running(const Json& pod) {
    std::size_t index = 0;
    DemoJobRecord* record = impl_->find_record(pod, index);
    if (record == nullptr) return;
    impl_->last_progress_ms = impl_->api.now_ms();
    if (pod.text({"metadata", "labels", "spark-role"}) == "driver") {
        record->driver_ran_ms = impl_->last_progress_ms;
        impl_->after(
            before_first_batch.count(), [impl = impl_.get(), index] { impl->ask_for_executors(index, 0); });
        return;
    }
    ++record->executors_running;
    impl_->work_if_possible(index);
}

void DemoSpark::on_gone(const Json& pod) {
    std::size_t index = 0;
    DemoJobRecord* record = impl_->find_record(pod, index);
    if (record == nullptr || record->finished_ms != 0) return;
    std::erase(impl_->executor_names[index], pod.text({"metadata", "name"}));
}

const std::vector<DemoJobRecord>& DemoSpark::jobs() const {
    return impl_->records;
}

bool DemoSpark::all_finished() const {
    return std::all_of(
        impl_->records.begin(), impl_->records.end(), [](const DemoJobRecord& record) {
            return record.finished_ms != 0;
        });
}

std::int64_t DemoSpark::last_progress_ms() const {
    return impl_->last_progress_ms;
}

}  // namespace gang::app

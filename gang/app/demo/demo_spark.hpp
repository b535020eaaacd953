#pragma once
// Spark as the demo needs it: a submitter that posts what spark-submit posts, in its order, and
// drivers that behave as Spark's do: executors asked for in batches once the driver runs, work
// begun when most of them are there, executors deleted at the end. No JVM is started.
//
//   submitted -> driver runs -> executors asked for -> works -> finished

#include "gang/app/demo/demo_objects.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio {
class io_context;
}
namespace k8s::embedded {
class ApiServer;
class Json;
}  // namespace k8s::embedded

namespace gang::app {

struct DemoJob {
    std::string name;
    DemoLanguage language = DemoLanguage::jvm;
    int executors = 3;
    std::int64_t submit_after_ms = 0;
    std::int64_t work_ms = 2'000;  ///< with all executors; fewer take proportionally longer
    /// What each executor asks for beside: spark.executor.resource.NAME.amount and .vendor, which
    /// is "vendor/name" to Kubernetes. Empty: nothing.
    std::string device_vendor = {};
    std::string device_name = {};
    int device_amount = 0;
};

/// What became of one job. Times are Unix milliseconds, 0 when it has not happened.
struct DemoJobRecord {
    DemoJob job;
    std::string driver_uid;
    std::int64_t submitted_ms = 0;
    std::int64_t driver_ran_ms = 0;
    std::int64_t worked_ms = 0;  ///< the first moment with enough executors
    std::int64_t finished_ms = 0;
    int executors_running = 0;
};

class DemoSpark {
public:
    /// `api` must outlive this. `finish_pod` ends a running pod with success.
    DemoSpark(
        boost::asio::io_context& io,
        k8s::embedded::ApiServer& api,
        std::function<void(const std::string& uid)> finish_pod);
    ~DemoSpark();
    DemoSpark(const DemoSpark&) = delete;
    DemoSpark& operator=(const DemoSpark&) = delete;

    void submit(std::vector<DemoJob> jobs);

    /// To be called by the kubelets.
    void on_running(const k8s::embedded::Json& pod);
    void on_gone(const k8s::embedded::Json& pod);

    const std::vector<DemoJobRecord>& jobs() const;
    bool all_finished() const;
    /// The last time that a pod of a job started to run or a job finished.
    std::int64_t last_progress_ms() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gang::app

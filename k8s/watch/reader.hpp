#pragma once
// A one-shot question for the command line. Each call blocks: it runs a loop of its own until the
// answer is there. Not for the daemon.

#include "core/base/result.hpp"
#include "core/value/pod.hpp"
#include "k8s/codec/pod/pod_history.hpp"
#include "k8s/net/endpoint.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace k8s {

struct ReaderOptions {
    std::int64_t timeout_ms = 15'000;  ///< per request
    std::int64_t page_size = 500;
    std::size_t objects_max = 200'000;  ///< beyond it: an error
};

class Reader {
public:
    explicit Reader(std::shared_ptr<Endpoint> endpoint, ReaderOptions options = ReaderOptions());

    /// All pods of a namespace; empty: of the cluster. One consistent list, page by page.
    /// `selector`: of a query, encoded: "fieldSelector=..."; empty: all.
    core::Result<std::vector<core::Pod>> list_pods(
        const std::string& namespace_name, const std::string& selector = {});

    /// The same pods as times and ends.
    core::Result<std::vector<PodHistory>> list_pod_histories(const std::string& namespace_name);

    /// The Events that the API server still has about one pod (an hour's worth by default).
    core::Result<std::vector<RecordedEvent>> list_events(
        const std::string& namespace_name, const std::string& pod_uid);

private:
    std::shared_ptr<Endpoint> endpoint_;
    ReaderOptions options_;
};

}  // namespace k8s

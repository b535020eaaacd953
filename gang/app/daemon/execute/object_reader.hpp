#pragma once
// Reads from the API server what the scheduler asks for: the conf of a Spark driver, claims, pod
// groups, quotas, and the labels of all pods. Each answer becomes an event.

#include "gang/app/base/log.hpp"
#include "gang/app/daemon/execute/pod_lister.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "k8s/group/pod_group_client.hpp"
#include "k8s/net/endpoint.hpp"
#include "k8s/quota/quota_client.hpp"
#include "k8s/volume/claim_client.hpp"
#include "k8s/write/writer.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>

namespace gang::app {

class ObjectReader {
public:
    struct Wiring {
        k8s::Writer* writer = nullptr;       ///< reads config maps; outlives it
        k8s::ClaimClient* claims = nullptr;  ///< outlives it
        const Log* log = nullptr;            ///< outlives it
        std::function<void(Event)> answer;   ///< never called from inside read()
    };

    ObjectReader(
        boost::asio::io_context& io, const std::shared_ptr<k8s::Endpoint>& endpoint, Wiring wiring);
    ObjectReader(const ObjectReader&) = delete;
    ObjectReader& operator=(const ObjectReader&) = delete;

    void read(const FetchSparkConf& decision);
    void read(const FetchClaim& decision);
    void read(const FetchPodGroup& decision);
    void read(const FetchQuotas& decision);
    void read(const ListPods& decision);
    void stop();

private:
    void read_template(const FetchSparkConf& decision, const k8s::ConfigMapResult& properties);
    void conf_answered(Event event);
    void quotas_answered(Event event);

    Wiring wiring_;
    PodLister pods_;
    k8s::PodGroupClient groups_;
    k8s::QuotaClient quotas_;
    std::string quota_problem_;  ///< the last one: each is a warning once
};

}  // namespace gang::app

#pragma once
// Carries AskExtenders out: reads the pod, asks each extender in its turn, adds up what they say.
//
//   question --GET pod--> filter, one extender after the other, each about the nodes that are left
//                --> prioritize, each about all that are left --> ExtendersAnswered, once
//
// Several questions are under way at once; each is a coroutine of its own, and nothing waits for it.

#include "config/kube/called_extender.hpp"
#include "core/base/result.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "k8s/base/notice.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gang::app {

/// One of the file's, ready to be called.
struct ExtenderTarget {
    config::CalledExtender said;
    std::shared_ptr<k8s::Endpoint> endpoint;
    std::string path;  ///< of its URL, without a slash at its end
};

/// Reads the files of certificates; the error names the extender and the file.
core::Result<std::vector<ExtenderTarget>> find_extenders(
    const std::vector<config::CalledExtender>& said, const std::string& user_agent);

class ExtenderClient {
public:
    ExtenderClient(
        boost::asio::io_context& io,
        std::shared_ptr<k8s::Endpoint> api_server,
        std::vector<ExtenderTarget> targets,
        k8s::NoticeSink notice);
    ~ExtenderClient();
    ExtenderClient(const ExtenderClient&) = delete;
    ExtenderClient& operator=(const ExtenderClient&) = delete;

    /// The answer comes on the loop's thread, once, never from inside the call or after stop().
    void ask(AskExtenders question, std::function<void(ExtendersAnswered)> done);
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gang::app

#pragma once
// Asks the API server who the owner of a bearer token is, and in which namespaces that user may
// list pods. One caller after the other, on a connection of its own: nothing waits for these
// questions but those who asked them.

#include "core/base/result.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace k8s {

struct CallerVerdict {
    bool is_known = false;      ///< false: the token is nobody's
    bool may_see_all = false;   ///< may list pods in all namespaces
    std::set<std::string> namespaces;  ///< of those asked about, else
};

class CallerReviewer {
public:
    using Done = std::function<void(const core::Result<CallerVerdict>&)>;
    /// Questions that may wait; more are answered with an error at once.
    static constexpr std::size_t waiting_max = 32;

    CallerReviewer(boost::asio::io_context& io, std::shared_ptr<Endpoint> endpoint);
    ~CallerReviewer();
    CallerReviewer(const CallerReviewer&) = delete;
    CallerReviewer& operator=(const CallerReviewer&) = delete;

    /// `done` is called later, on the loop, and not after stop(). An error says why nobody knows,
    /// without the token.
    void ask(std::string token, std::vector<std::string> namespaces, Done done);
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s

#include "k8s/endpoint.hpp"

#include "k8s/tls.hpp"

#include <utility>

namespace k8s {

Endpoint::Endpoint(Access access, std::string user_agent)
    : access_(std::move(access)),
      user_agent_(std::move(user_agent)),
      token_(access_.token, access_.token_file) {}

core::Result<std::shared_ptr<Endpoint>> Endpoint::make(Access access, std::string user_agent) {
    std::shared_ptr<Endpoint> made(new Endpoint(std::move(access), std::move(user_agent)));
    if (made->access_.tls) {
        auto tls = TlsContext::make(made->access_);
        if (!tls) return tls.error();
        made->tls_ = *tls;
    }
    return made;
}

}  // namespace k8s

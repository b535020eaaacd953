#pragma once
// The API server as every connection of ours needs to know it: address, trust, the token of the
// moment. Made once from an Access and shared by all connections.

#include "core/result.hpp"
#include "k8s/access.hpp"
#include "k8s/token.hpp"

#include <memory>
#include <string>

namespace k8s {

class TlsContext;

class Endpoint {
public:
    /// Reads and checks certificates and keys; `user_agent` is "gang-scheduler/<version>".
    static core::Result<std::shared_ptr<Endpoint>> make(Access access, std::string user_agent);

    const Access& access() const { return access_; }
    const std::string& user_agent() const { return user_agent_; }
    TlsContext* tls() { return tls_.get(); }  ///< nullptr for plain HTTP
    Token& token() { return token_; }

private:
    Endpoint(Access access, std::string user_agent);

    Access access_;
    std::string user_agent_;
    std::shared_ptr<TlsContext> tls_;
    Token token_;
};

}  // namespace k8s

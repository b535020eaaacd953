#pragma once
// Trust for TLS connections to the API server: TLS 1.2 or later, ALPN http/1.1, the chain checked
// against the CA, the name or address against the certificate's subjectAltNames (never its CN).
// The only file pair that knows OpenSSL.

#include "core/result.hpp"
#include "k8s/access.hpp"

#include <memory>
#include <string>

struct ssl_st;

namespace boost::asio::ssl {
class context;
}

namespace k8s {

class TlsContext {
public:
    /// Loads CA, client certificate and key. Error texts name the thing, never its content.
    static core::Result<std::shared_ptr<TlsContext>> make(const Access& access);
    ~TlsContext();
    TlsContext(const TlsContext&) = delete;
    TlsContext& operator=(const TlsContext&) = delete;

    boost::asio::ssl::context& native() { return *context_; }

    /// Makes a new connection check the server's name and send SNI (for names only). False if
    /// OpenSSL refuses.
    bool prepare(ssl_st* connection) const;

    /// Why the certificate of a connection was not accepted; empty if it was.
    static std::string verify_problem(const ssl_st* connection);

private:
    TlsContext();

    std::unique_ptr<boost::asio::ssl::context> context_;
    std::string name_;  ///< expected name or address
    bool verify_ = true;
};

}  // namespace k8s

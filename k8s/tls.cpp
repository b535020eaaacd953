#include "k8s/tls.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/system/error_code.hpp>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace k8s {
namespace ssl = boost::asio::ssl;
namespace {

bool is_address(const std::string& name) {
    boost::system::error_code ec;
    boost::asio::ip::make_address(name, ec);
    return !ec;
}

core::Error cannot_use(const char* what, const boost::system::error_code& ec) {
    return core::Error{std::string("cannot use the ") + what + ": " + ec.message()};
}

core::Result<core::Done> load_trust(ssl::context& context, const Access& access) {
    boost::system::error_code ec;
    if (access.insecure_skip_verify) {
        context.set_verify_mode(ssl::verify_none, ec);
        return core::Done{};
    }
    context.set_verify_mode(ssl::verify_peer, ec);
    if (access.ca_pem.empty()) {
        context.set_default_verify_paths(ec);
    } else {
        context.add_certificate_authority(boost::asio::buffer(access.ca_pem), ec);
    }
    if (ec) return cannot_use("certificate authority", ec);
    return core::Done{};
}

core::Result<core::Done> load_client(ssl::context& context, const Access& access) {
    if (access.client_certificate_pem.empty()) return core::Done{};
    boost::system::error_code ec;
    // Without this callback OpenSSL would ask for an encrypted key's password on the terminal.
    context.set_password_callback(
        [](std::size_t, ssl::context_base::password_purpose) { return std::string(); }, ec);
    context.use_certificate_chain(boost::asio::buffer(access.client_certificate_pem), ec);
    if (ec) return cannot_use("client certificate", ec);
    context.use_private_key(boost::asio::buffer(access.client_key_pem), ssl::context::pem, ec);
    if (ec) return cannot_use("client key", ec);
    if (SSL_CTX_check_private_key(context.native_handle()) != 1) {
        return core::Error{"the client key does not belong to the client certificate"};
    }
    return core::Done{};
}

}  // namespace

TlsContext::TlsContext()
    : context_(std::make_unique<boost::asio::ssl::context>(ssl::context::tls_client)) {}

TlsContext::~TlsContext() = default;

core::Result<std::shared_ptr<TlsContext>> TlsContext::make(const Access& access) {
    std::shared_ptr<TlsContext> made(new TlsContext());
    SSL_CTX* native = made->context_->native_handle();
    static constexpr unsigned char http_1_1[] = "\x08http/1.1";
    if (SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_alpn_protos(native, http_1_1, sizeof http_1_1 - 1) != 0) {
        return core::Error{"OpenSSL refuses TLS 1.2 or ALPN"};
    }
    if (auto trust = load_trust(*made->context_, access); !trust) return trust.error();
    if (auto client = load_client(*made->context_, access); !client) return client.error();
    made->name_ = access.tls_server_name.empty() ? access.host : access.tls_server_name;
    made->verify_ = !access.insecure_skip_verify;
    return made;
}

bool TlsContext::prepare(ssl_st* connection) const {
    const bool address = is_address(name_);
    if (!address && SSL_set_tlsext_host_name(connection, name_.c_str()) != 1) return false;
    if (!verify_) return true;
    X509_VERIFY_PARAM* rules = SSL_get0_param(connection);
    if (address) return X509_VERIFY_PARAM_set1_ip_asc(rules, name_.c_str()) == 1;
    X509_VERIFY_PARAM_set_hostflags(
        rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    return X509_VERIFY_PARAM_set1_host(rules, name_.c_str(), name_.size()) == 1;
}

std::string TlsContext::verify_problem(const ssl_st* connection) {
    const long result = SSL_get_verify_result(connection);
    return result == X509_V_OK ? std::string() : X509_verify_cert_error_string(result);
}

}  // namespace k8s

#pragma once
// HMAC-SHA-256 (RFC 2104) by OpenSSL, for texts that come back from where others may edit them.
// This file and tls.hpp are the ones that know OpenSSL.

#include <memory>
#include <string>
#include <string_view>

struct evp_mac_ctx_st;

namespace k8s {

/// One key, ready for many messages: the algorithm is looked up and the key is set up once.
class Hmac {
public:
    /// Aborts if OpenSSL has no HMAC or no SHA-256: nothing could be trusted then.
    explicit Hmac(std::string_view key);

    /// 64 hexadecimal digits.
    std::string code(std::string_view message) const;

private:
    struct Free {
        void operator()(evp_mac_ctx_st* context) const;
    };
    std::unique_ptr<evp_mac_ctx_st, Free> context_;
};

}  // namespace k8s

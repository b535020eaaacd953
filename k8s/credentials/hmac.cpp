#include "k8s/credentials/hmac.hpp"

#include "core/base/result.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>

namespace k8s {
namespace {

const unsigned char* bytes(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

void Hmac::Free::operator()(evp_mac_ctx_st* context) const {
    EVP_MAC_CTX_free(context);
}

Hmac::Hmac(std::string_view key) {
    EVP_MAC* algorithm = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    ENSURE(algorithm != nullptr);
    context_.reset(EVP_MAC_CTX_new(algorithm));
    EVP_MAC_free(algorithm);  // the context holds it
    ENSURE(context_ != nullptr);
    std::string digest = "SHA256";
    const std::array<OSSL_PARAM, 2> parameters = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_end()};
    ENSURE(EVP_MAC_init(context_.get(), bytes(key), key.size(), parameters.data()) == 1);
}

std::string Hmac::code(std::string_view message) const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<unsigned char, 32> raw{};
    std::size_t size = 0;
    // Without a key: begins anew with the one that it has.
    ENSURE(EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1);
    ENSURE(EVP_MAC_update(context_.get(), bytes(message), message.size()) == 1);
    ENSURE(EVP_MAC_final(context_.get(), raw.data(), &size, raw.size()) == 1);
    ENSURE(size == raw.size());
    std::string text;
    text.reserve(2 * raw.size());
    for (const unsigned char byte : raw) {
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    return text;
}

}  // namespace k8s

#include "k8s/embedded/admission/check_secrets.hpp"

#include <cstdint>

namespace k8s::embedded {

std::string encode_base64(std::string_view bytes) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string result;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto byte =
                at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
            group = (group << 8U) | byte;
        }
        for (std::size_t i = 0; i < 4; ++i) {
            const bool is_there = at + i <= bytes.size();
            result.push_back(is_there ? letters[(group >> (18U - 6U * i)) & 63U] : '=');
        }
    }
    return result;
}

void default_secret(Json& secret) {
    if (secret.text({"type"}).empty()) secret.set("type", "Opaque");
    const Json* found = secret.find("stringData");
    if (found == nullptr) return;
    const Json plain = *found;  // a copy: setting data may move the members
    for (const auto& [key, value] : plain.members()) {
        secret["data"].set(key, encode_base64(value.as_string()));
    }
    secret.erase("stringData");
}

void check_secret(const Json& secret, Checks& checks) {
    const auto& type = secret.text({"type"});
    const auto needs = [&](const char* key) {
        if (secret.find_path({"data", key}) == nullptr) {
            checks.required(std::string("data[") + key + "]");
        }
    };
    if (type == "kubernetes.io/dockerconfigjson") needs(".dockerconfigjson");
    if (type == "kubernetes.io/dockercfg") needs(".dockercfg");
    if (type == "kubernetes.io/ssh-auth") needs("ssh-privatekey");
    if (type == "kubernetes.io/tls") {
        needs("tls.crt");
        needs("tls.key");
    }
}

}  // namespace k8s::embedded

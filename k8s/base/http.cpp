#include "k8s/base/http.hpp"

#include <fmt/format.h>

namespace k8s {

std::string percent_encode(const std::string& text) {
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string encoded;
    for (char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
        if (plain) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += digits[byte >> 4];
        encoded += digits[byte & 15];
    }
    return encoded;
}

Request list_request(std::string_view kind, std::int64_t page_size, const std::string& token) {
    std::string target = fmt::format("/api/v1/{}?limit={}", kind, page_size);
    if (!token.empty()) target += "&continue=" + percent_encode(token);
    Request request("GET", std::move(target));
    request.accept = accept_json_without_managed_fields;
    return request;
}

}  // namespace k8s

#include "gang/app/daemon/seal_keys.hpp"

#include "k8s/base/small_file.hpp"
#include "k8s/credentials/hmac.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

constexpr std::size_t file_bytes_max = 4096;

std::string_view trimmed(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t\r");
    return begin == std::string_view::npos
               ? std::string_view()
               : line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (const auto line = trimmed(text.substr(0, end)); !line.empty()) {
            lines.push_back(line);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

core::Result<Seal> read_seal(const std::string& file) {
    if (file.empty()) {
        return Seal();
    }
    const auto wrong = [&file](const std::string& what) {
        return core::Error{fmt::format("seal.keyFile: {}: {}", file, what)};
    };
    const auto text = k8s::read_small_file(file, file_bytes_max);
    if (!text) {
        return wrong(fmt::format("it cannot be read, or has more than {} bytes", file_bytes_max));
    }
    const auto keys = lines_of(*text);
    if (keys.empty() || keys.size() > seal_keys_max) {
        return wrong(fmt::format(
            "it has {} lines, expected one key, or two while they rotate", keys.size()));
    }
    std::vector<Seal::Code> codes;
    for (const std::string_view key : keys) {
        if (key.size() < seal_key_bytes_min) {
            return wrong(fmt::format(
                "a key has {} characters, expected at least {}", key.size(), seal_key_bytes_min));
        }
        codes.emplace_back([hmac = std::make_shared<k8s::Hmac>(key)](std::string_view message) {
            return hmac->code(message);
        });
    }
    return Seal(std::move(codes));
}

}  // namespace gang::app

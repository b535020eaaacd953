#include "gang/app/api/host_rule.hpp"

#include "config/address.hpp"
#include "config/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang::app {
namespace {

constexpr std::size_t shown_host_max = 100;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// "Name.example.:80" -> "name.example"; the brackets of an IPv6 address stay.
std::string host_name(std::string_view authority) {
    const bool is_v6 = authority.starts_with('[');
    const auto end = is_v6 ? authority.find(']') : authority.find(':');
    std::string name(authority.substr(0, is_v6 && end != std::string_view::npos ? end + 1 : end));
    std::transform(name.begin(), name.end(), name.begin(), lower);
    if (name.ends_with('.')) {
        name.pop_back();
    }
    return name;
}

/// "https://name:80" -> "name:80"; empty: it is no such origin ("null", for one).
std::string_view authority_of(std::string_view origin) {
    constexpr std::string_view mark = "://";
    const auto at = origin.find(mark);
    return at == std::string_view::npos ? std::string_view() : origin.substr(at + mark.size());
}

}  // namespace

HostRule::HostRule(std::vector<std::string> names) : names_(std::move(names)) {}

bool HostRule::is_ours(std::string_view authority) const {
    const std::string name = host_name(authority);
    if (name.empty()) {
        return false;
    }
    // An address of whatever kind: what parse_listen takes without the name of an interface.
    const bool is_address = config::parse_listen(name + ":0").has_value();
    return is_address || std::find(names_.begin(), names_.end(), name) != names_.end();
}

std::optional<HostRule::Refusal> HostRule::refuse(const HttpAsk& ask) const {
    if (!ask.passed_on_by.empty()) {
        return std::nullopt;
    }
    if (!is_ours(ask.host)) {
        return Refusal{
            421,
            fmt::format(
                "\"{}\" is not a name of this scheduler: ask for its address or localhost, or have "
                "the name added to api.hosts in its configuration",
                config::printable(ask.host, shown_host_max))};
    }
    if (!ask.origin.empty() && !is_ours(authority_of(ask.origin))) {
        return Refusal{
            403,
            fmt::format(
                "pages of \"{}\" may not ask this scheduler",
                config::printable(ask.origin, shown_host_max))};
    }
    return std::nullopt;
}

}  // namespace gang::app

#include "k8s/credentials/proxy.hpp"

#include "k8s/base/base64.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace k8s {
namespace ip = boost::asio::ip;
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

/// "%40" is "@": a password may have any character.
std::string percent_decode(std::string_view text) {
    std::string decoded;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned value = 0;
        const char* digits = text.data() + at + 1;
        const bool is_coded = text[at] == '%' && at + 2 < text.size() &&
                              std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2;
        decoded += is_coded ? static_cast<char>(value) : text[at];
        if (is_coded) at += 2;
    }
    return decoded;
}

bool read_port(std::string_view text, std::uint16_t& port) {
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, port);
    return parsed.ec == std::errc() && parsed.ptr == end && port != 0;
}

/// "host", "host:80", "[fd00::1]:80"; an IPv6 address alone has no port. False: the port is none.
bool split(std::string_view text, std::string& host, std::optional<std::uint16_t>& port) {
    std::string_view after;
    if (!text.empty() && text.front() == '[') {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) return false;
        host = text.substr(1, end - 1);
        after = text.substr(end + 1);
    } else {
        const bool is_v6 = text.find(':') != text.rfind(':');
        const std::size_t colon = is_v6 ? std::string_view::npos : text.find(':');
        host = text.substr(0, colon);
        if (colon != std::string_view::npos) after = text.substr(colon);
    }
    if (after.empty()) return true;
    std::uint16_t number = 0;
    if (after.front() != ':' || !read_port(after.substr(1), number)) return false;
    port = number;
    return true;
}

bool is_in_network(const ip::address& address, const std::string& network) {
    boost::system::error_code ec;
    if (address.is_v4()) {
        const auto hosts = ip::make_network_v4(network, ec);
        return !ec && ip::network_v4(address.to_v4(), hosts.prefix_length()).canonical() ==
                          hosts.canonical();
    }
    const auto hosts = ip::make_network_v6(network, ec);
    return !ec &&
           ip::network_v6(address.to_v6(), hosts.prefix_length()).canonical() == hosts.canonical();
}

/// One entry of NO_PROXY.
bool names(std::string_view entry, const std::string& host, std::uint16_t port) {
    if (entry == "*") return true;
    boost::system::error_code not_address;
    const ip::address address = ip::make_address(host, not_address);
    if (entry.find('/') != std::string_view::npos) {
        return !not_address && is_in_network(address, std::string(entry));
    }
    std::string name;
    std::optional<std::uint16_t> only_port;
    if (!split(entry, name, only_port) || name.empty()) return false;
    if (only_port && *only_port != port) return false;
    if (!not_address) {
        boost::system::error_code ec;
        return ip::make_address(name, ec) == address && !ec;
    }
    name = lower(name);
    if (name.starts_with("*.")) name.erase(0, 1);
    if (name.front() == '.') return host.ends_with(name);
    return host == name || host.ends_with("." + name);
}

bool is_loopback(const std::string& host) {
    boost::system::error_code ec;
    const ip::address address = ip::make_address(host, ec);
    return host == "localhost" || (!ec && address.is_loopback());
}

std::string variable(const char* upper_case, const char* lower_case) {
    for (const char* name : {upper_case, lower_case}) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') return value;
    }
    return {};
}

}  // namespace

core::Result<Proxy> parse_proxy(std::string_view url) {
    constexpr std::string_view scheme = "http://";
    if (!lower(url.substr(0, scheme.size())).starts_with(scheme)) {
        return core::Error{
            "expected http://host:port; proxies by https or socks5 are not supported"};
    }
    url.remove_prefix(scheme.size());
    url = url.substr(0, url.find('/'));
    Proxy proxy;
    if (const std::size_t at = url.rfind('@'); at != std::string_view::npos) {
        const std::string_view user = url.substr(0, at);
        const std::size_t colon = std::min(user.find(':'), user.size());
        std::string pair = percent_decode(user.substr(0, colon)) + ":";
        if (colon < user.size()) pair += percent_decode(user.substr(colon + 1));
        proxy.authorization = "Basic " + base64_encode(pair);
        url.remove_prefix(at + 1);
    }
    std::optional<std::uint16_t> port;
    const bool is_good = split(url, proxy.host, port);
    if (!is_good || proxy.host.empty() ||
        proxy.host.find_first_of(" \t\r\n\"'<>?#") != std::string::npos) {
        return core::Error{"expected http://host:port"};
    }
    proxy.port = port.value_or(80);
    return proxy;
}

bool is_reached_directly(const std::string& host, std::uint16_t port, std::string_view no_proxy) {
    const std::string name = lower(host);
    if (is_loopback(name)) return true;
    while (!no_proxy.empty()) {
        const std::size_t comma = std::min(no_proxy.find(','), no_proxy.size());
        const std::string_view entry = trimmed(no_proxy.substr(0, comma));
        if (!entry.empty() && names(entry, name, port)) return true;
        no_proxy.remove_prefix(std::min(comma + 1, no_proxy.size()));
    }
    return false;
}

core::Result<std::optional<Proxy>> proxy_of_environment(
    const std::string& host, std::uint16_t port) {
    std::string url = variable("HTTPS_PROXY", "https_proxy");
    const bool is_direct = is_reached_directly(host, port, variable("NO_PROXY", "no_proxy"));
    if (url.empty() || is_direct) return std::optional<Proxy>();
    if (url.find("://") == std::string::npos) url = "http://" + url;
    auto proxy = parse_proxy(url);
    if (!proxy) return core::Error{"HTTPS_PROXY: " + proxy.error().message};
    return std::optional<Proxy>(*std::move(proxy));
}

}  // namespace k8s

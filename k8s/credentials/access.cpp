#include "k8s/credentials/access.hpp"

#include "k8s/base/small_file.hpp"
#include "k8s/credentials/token.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>

namespace k8s {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

core::Result<Access> with_proxy(core::Result<Access> access) {
    if (!access || !access->tls || access->proxy) return access;
    auto proxy = proxy_of_environment(access->host, access->port);
    if (!proxy) return proxy.error();
    access->proxy = *std::move(proxy);
    return access;
}

bool exists(const std::string& path) {
    return std::ifstream(path).good();
}

}  // namespace

bool is_in_cluster() {
    return !environment("KUBERNETES_SERVICE_HOST").empty();
}

core::Result<Access> in_cluster_access(const std::string& mount) {
    Access access;
    access.host = environment("KUBERNETES_SERVICE_HOST");
    const std::string port = environment("KUBERNETES_SERVICE_PORT");
    const char* end = port.data() + port.size();
    const auto parsed = std::from_chars(port.data(), end, access.port);
    if (access.host.empty() || parsed.ec != std::errc() || parsed.ptr != end) {
        return core::Error{
            "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set"};
    }
    access.ca_file = mount + "ca.crt";
    access.ca_pem = read_small_file(access.ca_file, pem_max).value_or("");
    if (access.ca_pem.empty()) return core::Error{"cannot read " + access.ca_file};
    access.token_file = mount + "token";
    if (Token("", access.token_file).current(0).empty()) {
        return core::Error{"cannot read " + access.token_file};
    }
    access.namespace_name = read_small_file(mount + "namespace", pem_max).value_or("");
    if (access.namespace_name.empty()) access.namespace_name = "default";
    return access;
}

std::vector<std::string> find_kubeconfig(const std::string& flag) {
    if (!flag.empty()) return {flag};
    std::vector<std::string> files;
    const std::string variable = environment("KUBECONFIG");
    for (std::size_t at = 0; at < variable.size();) {
        const std::size_t end = std::min(variable.find(':', at), variable.size());
        if (end > at) files.push_back(variable.substr(at, end - at));
        at = end + 1;
    }
    if (!files.empty()) return files;
    const std::string home = environment("HOME");
    const std::string usual = home + "/.kube/config";
    if (!home.empty() && exists(usual)) files.push_back(usual);
    return files;
}

core::Result<Access> find_access(const std::string& kubeconfig_flag, const ContextChoice& choice) {
    // A pod may carry a home directory with a file in it: what was not named does not count there.
    const bool named =
        !kubeconfig_flag.empty() || !environment("KUBECONFIG").empty() || !choice.is_empty();
    if (!named && is_in_cluster()) return in_cluster_access();
    const std::vector<std::string> files = find_kubeconfig(kubeconfig_flag);
    if (!files.empty()) return with_proxy(load_kubeconfig(files, choice));
    return core::Error{
        "no way to the API server: give --kubeconfig FILE, set KUBECONFIG, or run in a pod"};
}

}  // namespace k8s

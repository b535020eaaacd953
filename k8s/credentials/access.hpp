#pragma once
// How to reach an API server and as whom: read once at start-up from a kubeconfig or from the
// mounts of a pod's service account. What we do not implement is refused here, never ignored.

#include "core/base/result.hpp"
#include "k8s/credentials/exec/plugin.hpp"
#include "k8s/credentials/proxy.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace k8s {

struct Access {
    bool tls = true;
    std::string host;  ///< name or address, IPv6 without brackets
    std::uint16_t port = 443;
    std::string path_prefix;      ///< "/k8s/clusters/c1" of a server URL with a path, else empty
    std::optional<Proxy> proxy;   ///< only with tls; empty: the server is reached directly
    std::string tls_server_name;  ///< checked and sent instead of host when not empty
    std::string ca_pem;           ///< empty: the system's roots
    std::string ca_file;  ///< where ca_pem came from and may be renewed; empty: from no file
    bool insecure_skip_verify = false;
    std::string client_certificate_pem;
    std::string client_certificate_file;
    std::string client_key_pem;
    std::string client_key_file;
    std::string token;           ///< meaningful when token_file is empty
    std::string token_file;      ///< re-read while we run; wins over token
    std::optional<ExecPlugin>
        plugin;                  ///< gives the token or the client certificate, which are empty
    std::string namespace_name;  ///< of the context or of our own pod; "default" if nothing says
    bool context_names_namespace = false;  ///< the kubeconfig's context says which
};

/// What is to be used of kubeconfigs; what is empty, they say themselves.
struct ContextChoice {
    std::string context;  ///< instead of current-context
    std::string cluster;  ///< instead of the context's
    std::string user;     ///< instead of the context's

    bool is_empty() const { return context.empty() && cluster.empty() && user.empty(); }
};

/// Reads one context of a kubeconfig; with a cluster chosen there need not be one. Of several files
/// the first that sets a thing wins, entry by entry; those that do not exist are left out. Relative
/// paths are relative to the file they stand in. Errors: unreadable, no such context, and every
/// field that changes who we are or whom we trust and that is not implemented (auth-provider,
/// username/password, as*, proxies but HTTP ones). insecure-skip-tls-verify together with a CA is
/// refused. No plugin is run here.
core::Result<Access> load_kubeconfig(
    const std::vector<std::string>& paths, const ContextChoice& choice = {});

/// The names that a ContextChoice can name, in the order of the files.
struct KubeconfigNames {
    std::vector<std::string> contexts;
    std::vector<std::string> clusters;
    std::vector<std::string> users;
};
core::Result<KubeconfigNames> kubeconfig_names(const std::vector<std::string>& paths);

/// The credentials of a pod: the two service environment variables and the service account's mount.
/// Fails closed: no CA or no token is an error. `mount` ends with a slash.
inline constexpr const char* service_account_mount =
    "/var/run/secrets/kubernetes.io/serviceaccount/";
core::Result<Access> in_cluster_access(const std::string& mount = service_account_mount);

/// True if the environment says that we run in a pod.
bool is_in_cluster();

/// The files that kubectl would read: `flag` if not empty, else those of KUBECONFIG (separated by
/// colons), else ~/.kube/config. Empty if there is none of these.
std::vector<std::string> find_kubeconfig(const std::string& flag);

/// The kubeconfig that the flag or KUBECONFIG names; else, in a pod and with nothing chosen, its
/// own credentials; else ~/.kube/config. A kubeconfig's server is reached through the environment's
/// proxy where the kubeconfig names none.
core::Result<Access> find_access(
    const std::string& kubeconfig_flag, const ContextChoice& choice = {});

}  // namespace k8s

// load_kubeconfig(): everything in the chosen context is either used or refused by name.

#include "k8s/base/small_file.hpp"
#include "k8s/credentials/access.hpp"
#include "k8s/credentials/codec_exec_plugin.hpp"
#include "k8s/credentials/kubeconfig_fields.hpp"
#include "k8s/credentials/token.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s {
namespace {

using kubeconfig::flag;
using kubeconfig::only;
using kubeconfig::refuse;
using kubeconfig::Refused;
using kubeconfig::text;

constexpr std::size_t kubeconfig_max = 4 * 1024 * 1024;

/// One file of those that together are the kubeconfig.
struct File {
    std::string path;
    YAML::Node root;
};

// Of two entries of one name in one file nobody can say which is meant.
YAML::Node find_in_file(
    const YAML::Node& root, const char* list, const char* key, const std::string& name) {
    YAML::Node result;
    const YAML::Node entries = root[list];
    if (!entries || !entries.IsSequence()) return result;
    bool is_found = false;
    for (const auto& entry : entries) {
        if (!entry.IsMap() || text(entry, "name") != name) continue;
        if (is_found) refuse(fmt::format("{}: two are named \"{}\"", list, name));
        is_found = true;
        const YAML::Node found = entry[key];
        result.reset(found && found.IsMap() ? found : YAML::Node(YAML::NodeType::Map));
    }
    return result;
}

class Loader {
public:
    /// Reads all files; of several those that do not exist are left out, as kubectl does it.
    void read(const std::vector<std::string>& paths) {
        for (const std::string& path : paths) {
            where_ = path;
            if (std::filesystem::is_directory(path)) refuse("it is a directory");
            const auto content = read_small_file(path, kubeconfig_max);
            if (!content && paths.size() > 1 && !std::filesystem::exists(path)) continue;
            if (!content) refuse("cannot read it");
            YAML::Node root = YAML::Load(*content);
            if (paths.size() > 1 && root.IsNull()) continue;
            if (!root.IsMap()) refuse("this is not a kubeconfig: expected a map");
            files_.push_back(File{path, root});
        }
        if (files_.empty()) refuse("none of the files exists");
    }

    Access load(const ContextChoice& choice) {
        where_ = files_.front().path;
        const YAML::Node context = find_context(choice);
        only(context, "context", {"cluster", "user", "namespace", "extensions"});
        access_.namespace_name = text(context, "namespace");
        access_.context_names_namespace = !access_.namespace_name.empty();
        if (access_.namespace_name.empty()) access_.namespace_name = "default";
        const std::string cluster_name =
            choice.cluster.empty() ? text(context, "cluster") : choice.cluster;
        const std::string user_name = choice.user.empty() ? text(context, "user") : choice.user;
        const YAML::Node cluster = find_named("clusters", "cluster", cluster_name);
        read_cluster(cluster);
        if (user_name.empty()) return access_;
        const YAML::Node user = find_named("users", "user", user_name);
        read_user(user);
        read_plugin(user["exec"], user_name, cluster);
        return access_;
    }

    std::vector<std::string> names(const char* list) {
        std::vector<std::string> names;
        for (const File& file : files_) {
            where_ = file.path;
            const YAML::Node entries = file.root[list];
            if (!entries || !entries.IsSequence()) continue;
            for (const auto& entry : entries) {
                std::string name = entry.IsMap() ? text(entry, "name") : "";
                const bool is_known = std::find(names.begin(), names.end(), name) != names.end();
                if (!name.empty() && !is_known) names.push_back(std::move(name));
            }
        }
        return names;
    }

    /// The file whose content is being read, for an error's text.
    const std::string& where() const { return where_; }

private:
    YAML::Node find_context(const ContextChoice& choice) {
        std::string name = choice.context;
        for (const File& file : files_) {
            if (name.empty()) name = text(file.root, "current-context");
        }
        if (!name.empty()) return find_named("contexts", "context", name);
        if (choice.cluster.empty()) refuse("there is no current-context");
        return YAML::Node(YAML::NodeType::Map);
    }

    // The first file that has the name gives the whole entry; its paths are relative to that file.
    YAML::Node find_named(const char* list, const char* key, const std::string& name) {
        for (const File& file : files_) {
            where_ = file.path;
            const YAML::Node found = find_in_file(file.root, list, key, name);
            if (!found.IsNull()) return found;
        }
        where_ = files_.front().path;
        refuse(fmt::format("{}: there is none named \"{}\"", list, name));
    }

    void read_cluster(const YAML::Node& cluster) {
        only(
            cluster,
            "cluster",
            {"server",
             "certificate-authority",
             "certificate-authority-data",
             "insecure-skip-tls-verify",
             "tls-server-name",
             "proxy-url",
             "disable-compression",
             "extensions"});
        read_server(text(cluster, "server"));
        read_proxy(text(cluster, "proxy-url"));
        access_.tls_server_name = text(cluster, "tls-server-name");
        access_.ca_pem = pem(cluster, "certificate-authority", access_.ca_file);
        access_.insecure_skip_verify = flag(cluster, "insecure-skip-tls-verify");
        if (access_.insecure_skip_verify && !access_.ca_pem.empty()) {
            refuse(
                "cluster: insecure-skip-tls-verify and a certificate authority exclude each other");
        }
    }

    void read_proxy(const std::string& url) {
        if (url.empty()) return;
        if (!access_.tls) refuse("cluster: proxy-url: only for a server by https");
        auto proxy = parse_proxy(url);
        if (!proxy) refuse("cluster: proxy-url: " + proxy.error().message);
        access_.proxy = *std::move(proxy);
    }

    void read_server(const std::string& url) {
        std::string_view rest = url;
        if (rest.substr(0, 8) == "https://") {
            rest.remove_prefix(8);
        } else if (rest.substr(0, 7) == "http://") {
            rest.remove_prefix(7);
            access_.tls = false;
        } else {
            refuse("cluster: server: expected https://host:port");
        }
        const std::string_view authority = rest.substr(0, rest.find('/'));
        const std::string_view path = rest.substr(authority.size());
        if (authority.find('@') != std::string_view::npos ||
            path.find_first_of("?# \r\n") != std::string_view::npos) {
            refuse("cluster: server: a user, query or fragment is not supported");
        }
        access_.path_prefix = path.substr(0, path.find_last_not_of('/') + 1);
        read_authority(authority);
    }

    void read_authority(std::string_view authority) {
        std::string_view port;
        if (!authority.empty() && authority.front() == '[') {
            const std::size_t end = authority.find(']');
            if (end == std::string_view::npos) refuse("cluster: server: missing ]");
            access_.host = authority.substr(1, end - 1);
            port = authority.substr(end + 1);
        } else {
            const std::size_t colon = authority.find(':');
            access_.host = authority.substr(0, colon);
            if (colon != std::string_view::npos) port = authority.substr(colon);
        }
        const bool bad_host =
            access_.host.empty() || access_.host.find_first_of(" \t\r\n\"'<>") != std::string::npos;
        if (bad_host) refuse("cluster: server: missing or bad host");
        access_.port = access_.tls ? 443 : 80;
        if (port.empty()) return;
        const char* end = port.data() + port.size();
        const auto parsed = std::from_chars(port.data() + 1, end, access_.port);
        if (port.front() != ':' || parsed.ec != std::errc() || parsed.ptr != end) {
            refuse("cluster: server: bad port");
        }
    }

    void read_user(const YAML::Node& user) {
        only(
            user,
            "user",
            {"client-certificate",
             "client-certificate-data",
             "client-key",
             "client-key-data",
             "token",
             "tokenFile",
             "exec",
             "extensions"});
        access_.client_certificate_pem =
            pem(user, "client-certificate", access_.client_certificate_file);
        access_.client_key_pem = pem(user, "client-key", access_.client_key_file);
        if (access_.client_certificate_pem.empty() != access_.client_key_pem.empty()) {
            refuse("user: client-certificate and client-key belong together");
        }
        access_.token = text(user, "token");
        for (char c : access_.token) {
            if (c <= ' ' || c >= '\x7f') refuse("user: token: not printable");
        }
        const std::string file = text(user, "tokenFile");
        if (file.empty()) return;
        access_.token_file = beside(file);
        if (Token("", access_.token_file).current(0).empty()) {
            refuse(fmt::format("user: tokenFile: cannot read a token from {}", beside(file)));
        }
    }

    // As kubectl has it: a plugin is not asked where the user has credentials of his own.
    void read_plugin(
        const YAML::Node& exec, const std::string& user_name, const YAML::Node& cluster) {
        if (!exec || exec.IsNull()) return;
        ExecPlugin plugin = kubeconfig::read_exec(exec);
        const bool is_needed = access_.token.empty() && access_.token_file.empty() &&
                               access_.client_certificate_pem.empty();
        if (!is_needed) return;
        plugin.user = user_name;
        // A name without a slash is looked for in PATH.
        if (plugin.command.find('/') != std::string::npos) plugin.command = beside(plugin.command);
        if (flag(exec, "provideClusterInfo")) {
            plugin.cluster = kubeconfig::cluster_for_plugin(cluster, access_.ca_pem);
        }
        access_.plugin = std::move(plugin);
    }

    // "x-data" wins over the file named by "x", as in kubectl.
    std::string pem(const YAML::Node& map, const char* key, std::string& file) {
        const std::string data_key = std::string(key) + "-data";
        std::string data = kubeconfig::bytes(map, data_key.c_str());
        if (!data.empty()) return data;
        const std::string name = text(map, key);
        if (name.empty()) return {};
        file = beside(name);
        auto content = read_small_file(file, pem_max);
        if (!content || content->empty()) refuse(fmt::format("{}: cannot read {}", key, file));
        return *content;
    }

    std::string beside(const std::string& name) const {
        const std::filesystem::path path(name);
        if (path.is_absolute()) return name;
        return (std::filesystem::path(where_).parent_path() / path).string();
    }

    std::vector<File> files_;
    std::string where_;
    Access access_;
};

/// Reads the files and what `use` wants of them. The parser's own texts quote the file, which holds
/// secrets; only its line number is told.
template <typename Use>
auto with_files(const std::vector<std::string>& paths, const Use& use)
    -> core::Result<decltype(use(std::declval<Loader&>()))> {
    Loader loader;
    try {
        loader.read(paths);
        return use(loader);
    } catch (const Refused& refused) {
        return core::Error{loader.where() + ": " + refused.why};
    } catch (const YAML::Exception& error) {
        const int line = error.mark.line + 1;
        return core::Error{fmt::format("{}:{}: this is not YAML", loader.where(), line)};
    }
}

}  // namespace

core::Result<Access> load_kubeconfig(
    const std::vector<std::string>& paths, const ContextChoice& choice) {
    return with_files(paths, [&](Loader& loader) { return loader.load(choice); });
}

core::Result<KubeconfigNames> kubeconfig_names(const std::vector<std::string>& paths) {
    return with_files(paths, [](Loader& loader) {
        return KubeconfigNames{
            loader.names("contexts"), loader.names("clusters"), loader.names("users")};
    });
}

}  // namespace k8s

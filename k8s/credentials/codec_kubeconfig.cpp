// load_kubeconfig(): everything in the chosen context is either used or refused by name.

#include "k8s/base/small_file.hpp"
#include "k8s/credentials/access.hpp"
#include "k8s/credentials/token.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace k8s {
namespace {

constexpr std::size_t kubeconfig_max = 4 * 1024 * 1024;

/// Thrown inside this file only; load_kubeconfig turns it into its Error.
struct Refused {
    std::string why;
};

[[noreturn]] void refuse(std::string why) {
    throw Refused{std::move(why)};
}

std::string text(const YAML::Node& map, const char* key) {
    const YAML::Node value = map[key];
    if (!value || value.IsNull()) return {};
    if (!value.IsScalar()) refuse(fmt::format("{}: expected a string", key));
    return value.Scalar();
}

bool flag(const YAML::Node& map, const char* key) {
    const std::string value = text(map, key);
    if (value.empty() || value == "false") return false;
    if (value == "true") return true;
    refuse(fmt::format("{}: expected true or false", key));
}

// What we do not know might change who we are or whom we trust.
void only(const YAML::Node& map, const char* where, const std::set<std::string>& known) {
    for (const auto& member : map) {
        const std::string key = member.first.Scalar();
        if (known.count(key) != 0) continue;
        const bool empty = !member.second || member.second.IsNull() ||
                           (member.second.IsScalar() && member.second.Scalar().empty()) ||
                           (!member.second.IsScalar() && member.second.size() == 0);
        if (!empty) refuse(fmt::format("{}: {} is not supported", where, key));
    }
}

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

int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string base64_decode(const char* key, const std::string& encoded) {
    std::string decoded;
    unsigned bits = 0;
    int count = 0;
    std::size_t padding = 0;
    for (char c : encoded) {
        if (c == '\n' || c == '\r' || c == ' ') continue;
        if (c == '=') {
            ++padding;
            continue;
        }
        const int value = base64_value(c);
        if (value < 0 || padding != 0) refuse(fmt::format("{}: this is not base64", key));
        bits = (bits << 6 | static_cast<unsigned>(value)) & 0xFFFFFF;
        count += 6;
        if (count >= 8) {
            count -= 8;
            decoded += static_cast<char>(bits >> count & 0xFF);
        }
    }
    return decoded;
}

class Loader {
public:
    /// Reads all files; of several those that do not exist are left out, as kubectl does it.
    void read(const std::vector<std::string>& paths) {
        for (const std::string& path : paths) {
            where_ = path;
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

    Access load(std::string context_name) {
        where_ = files_.front().path;
        for (const File& file : files_) {
            if (context_name.empty()) context_name = text(file.root, "current-context");
        }
        if (context_name.empty()) refuse("there is no current-context");
        const YAML::Node context = find_named("contexts", "context", context_name);
        only(context, "context", {"cluster", "user", "namespace", "extensions"});
        access_.namespace_name = text(context, "namespace");
        if (access_.namespace_name.empty()) access_.namespace_name = "default";
        const std::string user = text(context, "user");
        read_cluster(find_named("clusters", "cluster", text(context, "cluster")));
        if (!user.empty()) read_user(find_named("users", "user", user));
        return access_;
    }

    /// The file whose content is being read, for an error's text.
    const std::string& where() const { return where_; }

private:
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
             "disable-compression",
             "extensions"});
        read_server(text(cluster, "server"));
        access_.tls_server_name = text(cluster, "tls-server-name");
        access_.ca_pem = pem(cluster, "certificate-authority", access_.ca_file);
        access_.insecure_skip_verify = flag(cluster, "insecure-skip-tls-verify");
        if (access_.insecure_skip_verify && !access_.ca_pem.empty()) {
            refuse(
                "cluster: insecure-skip-tls-verify and a certificate authority exclude each other");
        }
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

    // "x-data" wins over the file named by "x", as in kubectl.
    std::string pem(const YAML::Node& map, const char* key, std::string& file) {
        const std::string data_key = std::string(key) + "-data";
        const std::string data = text(map, data_key.c_str());
        if (!data.empty()) return base64_decode(data_key.c_str(), data);
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

}  // namespace

core::Result<Access> load_kubeconfig(
    const std::vector<std::string>& paths, const std::string& context) {
    // The parser's own texts quote the file, which holds secrets; only its line number is told.
    Loader loader;
    try {
        loader.read(paths);
        return loader.load(context);
    } catch (const Refused& refused) {
        return core::Error{loader.where() + ": " + refused.why};
    } catch (const YAML::Exception& error) {
        const int line = error.mark.line + 1;
        return core::Error{fmt::format("{}:{}: this is not YAML", loader.where(), line)};
    }
}

}  // namespace k8s

#include "k8s/credentials/access.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace k8s;

namespace {

/// A folder with a kubeconfig, removed at the end.
struct Folder {
    Folder() {
        char name[] = "/tmp/gang-scheduler-test-XXXXXX";
        REQUIRE(::mkdtemp(name) != nullptr);
        path = name;
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return (path / name).string();
    }
    std::filesystem::path path;
};

// One context; `cluster` and `user` are lines of these two maps.
std::string config(const std::string& cluster, const std::string& user) {
    const auto indented = [](const std::string& lines) {
        std::string text;
        for (std::size_t at = 0; at < lines.size();) {
            const std::size_t end = lines.find('\n', at);
            text += "    " + lines.substr(at, end - at) + "\n";
            at = end == std::string::npos ? lines.size() : end + 1;
        }
        return text;
    };
    return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
           "contexts:\n- name: main\n  context: {cluster: c, user: u, namespace: team}\n"
           "- name: second\n  context: {cluster: c, user: u}\n"
           "clusters:\n- name: c\n  cluster:\n" +
           indented(cluster) + "users:\n- name: u\n  user:\n" + indented(user);
}

core::Result<Access> load(const std::string& text, const ContextChoice& choice = {}) {
    const Folder folder;
    folder.write("ca.pem", "CA PEM");
    folder.write("key.pem", "KEY PEM");
    folder.write("token", "abc\n");
    return load_kubeconfig({folder.write("config", text)}, choice);
}

std::string problem(const std::string& text) {
    const auto access = load(text);
    return access ? "accepted" : access.error().message;
}

const std::string server = "server: https://10.0.0.1:6443";

struct Environment {
    Environment(const char* variable, const char* value) : name(variable) {
        const char* old = std::getenv(variable);
        had = old != nullptr;
        if (had) before = old;
        value == nullptr ? ::unsetenv(variable) : ::setenv(variable, value, 1);
    }
    ~Environment() { had ? ::setenv(name, before.c_str(), 1) : ::unsetenv(name); }
    const char* name;
    std::string before;
    bool had = false;
};

}  // namespace

TEST_CASE("kubeconfig: files and data, token, namespace") {
    const auto access = load(config(
        server + "/prefix/\ncertificate-authority: ca.pem\ntls-server-name: kubernetes",
        "client-certificate-data: Q0VSVCBQRU0=\nclient-key: key.pem\ntoken: abc"));
    REQUIRE(access);
    CHECK(access->tls);
    CHECK(access->host == "10.0.0.1");
    CHECK(access->port == 6443);
    CHECK(access->path_prefix == "/prefix");
    CHECK(access->tls_server_name == "kubernetes");
    CHECK(access->ca_pem == "CA PEM");
    CHECK(access->client_certificate_pem == "CERT PEM");
    CHECK(access->client_key_pem == "KEY PEM");
    CHECK(access->token == "abc");
    CHECK(access->namespace_name == "team");
    CHECK(access->context_names_namespace);
}

TEST_CASE("kubeconfig: data wins over a file, a token file is kept beside the kubeconfig") {
    const auto access = load(config(
        server + "\ncertificate-authority: ca.pem\ncertificate-authority-data: REFUQQ==",
        "token: old\ntokenFile: token"));
    REQUIRE(access);
    CHECK(access->ca_pem == "DATA");
    CHECK(access->token_file.ends_with("/token"));
    CHECK(access->token_file.front() == '/');
}

TEST_CASE("kubeconfig: a token file without a token is refused, not forgotten") {
    for (const char* file : {"missing", "ca.pem"}) {  // "CA PEM" has a space: no token
        const std::string why =
            problem(config(server, std::string("token: abc\ntokenFile: ") + file));
        CHECK(why.find("tokenFile: cannot read a token from") != std::string::npos);
    }
}

TEST_CASE("kubeconfig: server addresses") {
    const auto of = [](const std::string& url) {
        return load(config("server: " + url, "token: t"));
    };
    CHECK(of("https://example.com")->port == 443);
    CHECK(of("https://example.com")->host == "example.com");
    CHECK(of("http://127.0.0.1:8001")->port == 8001);
    CHECK_FALSE(of("http://127.0.0.1:8001")->tls);
    CHECK(of("\"https://[fd00::1]:6443\"")->host == "fd00::1");
    CHECK(of("\"https://[fd00::1]:6443\"")->port == 6443);
    for (const char* bad :
         {"example.com",
          "ftp://x",
          "https://",
          "https://user@host",
          "https://host:port",
          "https://host:70000",
          "https://host/path?query",
          "\"https://[fd00::1\""}) {
        CAPTURE(bad);
        CHECK_FALSE(of(bad));
    }
}

TEST_CASE("kubeconfig: another context by name") {
    const std::string text = config(server, "token: t");
    CHECK(load(text, {"second", "", ""})->namespace_name == "default");
    CHECK_FALSE(load(text, {"second", "", ""})->context_names_namespace);
    const auto missing = load(text, {"third", "", ""});
    REQUIRE_FALSE(missing);
    CHECK(missing.error().message.find("there is none named \"third\"") != std::string::npos);
}

TEST_CASE("kubeconfig: another cluster and another user than the context's") {
    const std::string text =
        "contexts: [{name: m, context: {cluster: c, user: u, namespace: team}}]\n"
        "clusters: [{name: c, cluster: {server: 'https://one'}}, "
        "{name: d, cluster: {server: 'https://two'}}]\n"
        "users: [{name: u, user: {token: first}}, {name: v, user: {token: second}}]\n";
    const auto chosen = load(text, {"m", "d", "v"});
    REQUIRE(chosen);
    CHECK(chosen->host == "two");
    CHECK(chosen->token == "second");
    CHECK(chosen->namespace_name == "team");
    CHECK(load(text, {"m", "", "v"})->host == "one");
    CHECK_FALSE(load(text));  // no current-context
    // As kubectl: with a cluster there need not be a context, nor a user.
    CHECK(load(text, {"", "d", "u"})->token == "first");
    CHECK(load(text, {"", "d", ""})->token.empty());
    CHECK_FALSE(load(text, {"m", "x", ""}));
    CHECK_FALSE(load(text, {"m", "", "x"}));
}

TEST_CASE("kubeconfig: the names of several files, each once") {
    const Folder folder;
    const std::string one = folder.write(
        "one",
        "contexts: [{name: b}, {name: a}]\nclusters: [{name: c}]\nusers: [{name: u}, {x: y}]");
    const std::string two = folder.write("two", "contexts: [{name: z}, {name: b}]\nusers: null");
    const auto names = kubeconfig_names({one, two});
    REQUIRE(names);
    using Names = std::vector<std::string>;
    CHECK(names->contexts == Names{"b", "a", "z"});
    CHECK(names->clusters == Names{"c"});
    CHECK(names->users == Names{"u"});
    CHECK_FALSE(kubeconfig_names({(folder.path / "absent").string()}));
}

TEST_CASE("C8: what is not implemented is refused by name") {
    for (const char* field :
         {"auth-provider: {name: gcp}",
          "username: admin",
          "password: secret",
          "as: somebody",
          "as-groups: [g]"}) {
        CAPTURE(field);
        const std::string why = problem(config(server, field));
        const std::string name = std::string(field).substr(0, std::string(field).find(':'));
        CHECK(why.find(name + " is not supported") != std::string::npos);
        CHECK(why.find("secret") == std::string::npos);
    }
    CHECK(problem(config(server + "\nproxy-url: socks5://u:secret@proxy", "token: t"))
              .ends_with(
                  ": cluster: proxy-url: expected http://host:port; proxies by https or socks5 "
                  "are not supported"));
}

TEST_CASE("kubeconfig: an empty field that is not implemented does no harm") {
    CHECK(problem(config(server + "\nproxy-url: \"\"", "as: \"\"\ntoken: t")) == "accepted");
}

TEST_CASE("C6: trust is never loosened by accident") {
    CHECK(
        problem(config(
                    server + "\ncertificate-authority: ca.pem\ninsecure-skip-tls-verify: true",
                    "token: t"))
            .find("exclude each other") != std::string::npos);
    CHECK(load(config(server + "\ninsecure-skip-tls-verify: true", "token: t"))
              ->insecure_skip_verify);
    CHECK_FALSE(load(config(server + "\ninsecure-skip-tls-verify: yes", "token: t")));
    CHECK_FALSE(load(config(server + "\ncertificate-authority: absent.pem", "token: t")));
    CHECK_FALSE(load(config(server + "\ncertificate-authority-data: '***'", "token: t")));
}

TEST_CASE("kubeconfig: a certificate needs its key, a token its characters") {
    CHECK_FALSE(load(config(server, "client-certificate-data: Q0VSVCBQRU0=")));
    CHECK_FALSE(load(config(server, "token: \"a\\r\\nb\"")));
}

TEST_CASE("kubeconfig: no YAML, no map, no file; texts never quote the content") {
    const std::string why = problem("users: [token: hunter2\n  - {");
    CHECK(why.find("this is not YAML") != std::string::npos);
    CHECK(why.find("hunter2") == std::string::npos);
    CHECK(problem("just text").find("expected a map") != std::string::npos);
    CHECK(problem("kind: Config").find("no current-context") != std::string::npos);
    CHECK_FALSE(load_kubeconfig({"/nonexistent/config"}));
}

TEST_CASE("access: which kubeconfig is meant") {
    const Folder folder;
    const Environment home("HOME", folder.path.c_str());
    const Environment none("KUBECONFIG", nullptr);
    using Files = std::vector<std::string>;
    CHECK(find_kubeconfig("/a/flag") == Files{"/a/flag"});
    CHECK(find_kubeconfig("").empty());
    std::filesystem::create_directory(folder.path / ".kube");
    folder.write(".kube/config", "x");
    CHECK(find_kubeconfig("") == Files{(folder.path / ".kube/config").string()});
    const Environment one("KUBECONFIG", "/from/environment");
    CHECK(find_kubeconfig("") == Files{"/from/environment"});
    const Environment several("KUBECONFIG", ":/one::/two:");
    CHECK(find_kubeconfig("") == Files{"/one", "/two"});
}

TEST_CASE("C5: in a cluster it fails closed without its mounts") {
    const Environment host("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    const Environment port("KUBERNETES_SERVICE_PORT", "443");
    CHECK(is_in_cluster());
    const auto access = in_cluster_access();
    REQUIRE_FALSE(access);
    CHECK(access.error().message.find("ca.crt") != std::string::npos);
    const Environment bad("KUBERNETES_SERVICE_PORT", "https");
    CHECK_FALSE(in_cluster_access());
}

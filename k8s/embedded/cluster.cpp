#include "k8s/embedded/cluster.hpp"

#include "k8s/embedded/http/http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace k8s::embedded {

namespace {

ServerOptions server_options(boost::asio::io_context& io, const ClusterOptions& options) {
    ServerOptions result;
    result.limits = options.limits;
    result.defer = [&io](std::function<void()> work) { boost::asio::post(io, std::move(work)); };
    return result;
}

}  // namespace

Cluster::Cluster(boost::asio::io_context& io, ClusterOptions options)
    : options_(std::move(options)),
      api_(server_options(io, options_)),
      http_(std::make_unique<HttpServer>(io, api_)) {}

Cluster::~Cluster() = default;

core::Result<std::uint16_t> Cluster::start() {
    auto port = http_->listen(options_.address, options_.port);
    if (port) {
        port_ = *port;
    }
    return port;
}

void Cluster::stop() {
    http_->stop();
}

std::string Cluster::url() const {
    const bool is_v6 = options_.address.find(':') != std::string::npos;
    const auto host = is_v6 ? "[" + options_.address + "]" : options_.address;
    return "http://" + host + ":" + std::to_string(port_);
}

std::string Cluster::kubeconfig() const {
    return "apiVersion: v1\n"
           "kind: Config\n"
           "clusters:\n"
           "- name: embedded\n"
           "  cluster:\n"
           "    server: " +
           url() +
           "\n"
           "users:\n"
           "- name: embedded\n"
           "  user: {}\n"
           "contexts:\n"
           "- name: embedded\n"
           "  context:\n"
           "    cluster: embedded\n"
           "    user: embedded\n"
           "current-context: embedded\n";
}

core::Result<core::Done> Cluster::write_kubeconfig(const std::string& path) const {
    const auto beside = path + ".new";
    std::ofstream file(beside, std::ios::trunc);
    file << kubeconfig();
    file.close();
    if (!file || std::rename(beside.c_str(), path.c_str()) != 0) {
        const std::string why = std::strerror(errno);
        std::remove(beside.c_str());
        return core::Error{"cannot write " + path + ": " + why};
    }
    return core::Done{};
}

}  // namespace k8s::embedded

#pragma once
// Plays the drivers of other people's spark-submit on the embedded cluster: once a driver runs, the executors that its
// conf asks for are made, in Spark's batches. They run until their driver ends. No JVM is started and no work is done.

#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}
namespace k8s::embedded {
class ApiServer;
class Json;
}  // namespace k8s::embedded

namespace gang::app {

class SparkPlayer {
public:
    /// `io` and `api` must outlive this. `say`: for people, what cannot be played, and why.
    SparkPlayer(
        boost::asio::io_context& io,
        k8s::embedded::ApiServer& api,
        std::function<void(const std::string&)> say);
    ~SparkPlayer();
    SparkPlayer(const SparkPlayer&) = delete;
    SparkPlayer& operator=(const SparkPlayer&) = delete;

    /// To be called by the kubelets.
    void on_running(const k8s::embedded::Json& pod);
    void on_gone(const k8s::embedded::Json& pod);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace gang::app

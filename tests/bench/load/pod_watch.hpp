#pragma once
// Watches pods on a thread of its own and stamps when each was first seen and first seen bound: the
// judge of every rate, whoever bound the pod. More watches of all pods can run beside it, read and
// thrown away, so that the API server serves as many watchers in every run of a comparison.

#include "tests/bench/load/session.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <thread>

namespace load {

struct SeenPod {
    std::int64_t seen_us = 0;   ///< see clock.hpp; of the first event of the pod
    std::int64_t bound_us = 0;  ///< 0: not seen bound
    std::string node;
};

struct PodWatchOptions {
    std::string path;  ///< of the pods, without query
    int idle_watches = 0;
    /// Called on the watch's thread, once per pod.
    std::function<void(std::string name)> bound;
    /// Called on the watch's thread, once, when a watch broke; one that ends in order goes on.
    std::function<void(std::exception_ptr why)> failed;
};

class PodWatch {
public:
    PodWatch(const Target& target, PodWatchOptions options);
    ~PodWatch();
    PodWatch(const PodWatch&) = delete;
    PodWatch& operator=(const PodWatch&) = delete;

    /// Blocks until all watches are open; throws what prevented it.
    void start();
    /// Ends the thread; then the pods may be read.
    void stop();
    const std::map<std::string, SeenPod>& pods() const { return pods_; }

private:
    boost::asio::awaitable<void> follow();
    boost::asio::awaitable<void> drain();
    boost::asio::awaitable<std::string> list(std::string path);
    /// Watches from this version on, which it moves forward.
    boost::asio::awaitable<void> watch_once(std::string& version);
    void note_open();
    void take(std::string_view line, std::string& version);
    void ended(std::exception_ptr why);

    Target target_;
    PodWatchOptions options_;
    boost::asio::io_context io_{1};
    std::map<std::string, SeenPod> pods_;
    int opening_ = 0;
    std::promise<void> opened_;
    std::thread thread_;
};

}  // namespace load

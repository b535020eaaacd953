#pragma once
// Keeps in view the persistent volumes that are there and that no claim has, or had (object_watch.hpp):
// those that a claim which waits for its first consumer may get.

#include "k8s/codec/volume/codec_volume.hpp"
#include "k8s/watch/object_watch.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace k8s {

struct VolumeWatchOptions {
    // Called on the loop's thread, never from inside start(), never after stop().
    /// Whether there are some is known now, or that they cannot be listed.
    std::function<void()> known;
    /// One has come, gone or changed; told with both states, if there are two.
    std::function<void(const VolumeObject&)> changed;
    NoticeSink notice;
    std::int64_t pause_ms_min = 1'000;
    std::int64_t pause_ms_max = 30'000;
};

class VolumeWatch {
public:
    VolumeWatch(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        VolumeWatchOptions options);

    /// Again it changes nothing.
    void start() { watch_.start(); }
    void stop() { watch_.stop(); }

    /// Whether a list has come, or has failed, since start().
    bool is_known() const { return is_known_; }
    /// Why they cannot be listed; empty: they can.
    const std::string& problem() const { return problem_; }
    const Volumes& volumes() const { return volumes_; }
    /// A state that was read otherwise, until the watch tells another. Tells nobody.
    void note(VolumeObject volume);

private:
    core::Result<PageEnd> take_page(std::string body, bool is_first);
    core::Result<bool> take_line(std::string line);
    void listed();
    void tell_missing_in(const Volumes& some, const Volumes& others) const;
    void failed(const std::string& why);
    void become_known(std::string problem);
    void put(VolumeObject volume);
    void drop(const std::string& name);

    VolumeWatchOptions options_;
    Volumes volumes_;
    Volumes listed_;  ///< so far
    std::string problem_;
    bool is_known_ = false;
    ObjectWatch watch_;
};

}  // namespace k8s

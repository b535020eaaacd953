#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace k8s {

/// What our own writes have made of a pod, for a while: the watch may show it later than our next
/// write to the same pod is made.
class PodVersions {
public:
    static constexpr std::size_t kept_max = 8'192;

    void wrote(const std::string& uid, const std::string& version);
    /// `shown`, or what our own last write made of it since.
    std::string newest(const std::string& uid, const std::string& shown) const;
    /// We have set PodScheduled=False; call it after wrote().
    void wrote_condition(const std::string& uid);
    bool has_condition(const std::string& uid) const;

private:
    struct Written {
        std::string version;
        bool has_condition = false;
    };
    std::map<std::string, Written> pods_;
    std::deque<std::string> order_;  ///< uids, oldest first; each once
};

}  // namespace k8s

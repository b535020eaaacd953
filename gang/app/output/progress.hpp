#pragma once
// A line on standard error that says how far something is. It appears after two seconds, changes
// twice a second, and is gone at the end; where standard error is no terminal there is none.

#include <cstdint>
#include <functional>
#include <string>

namespace gang::app {

class Progress {
public:
    using Sink = std::function<void(const std::string& text)>;

    /// `total` in `unit`s; 0: nobody knows. `sink` empty: the terminal, if there is one.
    Progress(std::string name, std::int64_t total, std::string unit, Sink sink = {});
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// So many units are done, at this monotonic time.
    void update(std::int64_t done, std::int64_t now_ms);

    /// The line goes, before something else is printed.
    void end();

private:
    std::string name_;
    std::int64_t total_;
    std::string unit_;
    Sink sink_;
    std::int64_t began_ms_ = 0;
    std::int64_t shown_ms_ = 0;  ///< 0: not yet
};

}  // namespace gang::app

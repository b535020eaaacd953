#pragma once
// Reads the configuration file again when it may be another one, or when a signal asks for it. A
// file that is right is taken over as a whole, as far as a running process can (config/reload); of
// one that is not the log says where and why, and what held before holds.

#include "config/loader.hpp"
#include "core/base/result.hpp"
#include "gang/app/base/log.hpp"
#include "gang/app/base/reload_stats.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gang::app {

class ConfigReloader {
public:
    struct Wiring {
        std::string path;        ///< empty: there is no file
        bool is_stream = false;  ///< standard input: it can be read once
        /// The file's text.
        std::function<core::Result<std::string>()> read;
        /// What it says, flags of the command line included.
        std::function<core::Result<config::Loaded>(std::string_view text)> load;
        std::function<void(const config::Schema&)> apply;
        std::function<std::int64_t()> unix_ms;
        const Log* log;  ///< outlives this
    };
    /// `running`: what the process has begun with.
    ConfigReloader(Wiring wiring, config::Schema running);

    /// The file may be another one.
    void look();
    /// A signal asks for it: an answer is due even if nothing has changed.
    void look_now();

    bool has_file() const { return !wiring_.path.empty() && !wiring_.is_stream; }
    const ReloadStats& stats() const { return stats_; }

private:
    void look(bool is_asked);
    void refuse(const std::string& why);
    void take(const config::Loaded& loaded);

    Wiring wiring_;
    config::Schema running_;
    std::string text_;    ///< as last looked at
    std::string unread_;  ///< why it could not be read last; empty: it could
    bool began_blank_ = false;
    ReloadStats stats_;
};

}  // namespace gang::app

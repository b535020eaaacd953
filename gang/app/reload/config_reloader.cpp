#include "gang/app/reload/config_reloader.hpp"

#include "config/reload/reload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;

/// FNV-1a, cut to what a double holds.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char byte : text) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
    return hash >> 16U;
}

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

ConfigReloader::ConfigReloader(Wiring wiring, config::Schema running)
    : wiring_(std::move(wiring)), running_(std::move(running)) {
    stats_.success_ms = wiring_.unix_ms();
    if (!has_file()) {
        return;
    }
    if (auto text = wiring_.read()) {
        text_ = *std::move(text);
        stats_.hash = hash_of(text_);
        began_blank_ = is_blank(text_);
    }
}

void ConfigReloader::look() {
    look(false);
}

void ConfigReloader::look_now() {
    look(true);
}

void ConfigReloader::look(bool is_asked) {
    if (!has_file()) {
        wiring_.log->write(
            LogLevel::info, "no configuration file was given, there is nothing to read again");
        return;
    }
    auto text = wiring_.read();
    if (!text) {
        if (is_asked || unread_ != text.error().message) {
            unread_ = text.error().message;
            refuse(unread_);
        }
        return;
    }
    // What was refused is not refused again for a link that moved. After a file that could not be
    // read the same text is judged again: it may be right.
    const bool is_back = !std::exchange(unread_, {}).empty();
    if (!is_asked && !is_back && *text == text_) {
        return;
    }
    text_ = *std::move(text);
    if (!began_blank_ && is_blank(text_)) {
        // As a rule a file that is being written, or a full disk.
        refuse(wiring_.path + ": it is empty; write {} if all defaults are meant");
        return;
    }
    const auto loaded = wiring_.load(text_);
    if (!loaded) {
        refuse(loaded.error().message);
    } else if (loaded->policy_map) {
        refuse(
            wiring_.path + ": its policy is in a config map, which is read at the start alone: "
                           "restart to take it over");
    } else {
        take(*loaded);
    }
}

void ConfigReloader::refuse(const std::string& why) {
    ++stats_.refused;
    stats_.last_was_refused = true;
    for (std::size_t from = 0; from < why.size();) {
        const std::size_t end = std::min(why.find('\n', from), why.size());
        wiring_.log->write(
            LogLevel::error, "configuration refused", {{"why", why.substr(from, end - from)}});
        from = end + 1;
    }
    wiring_.log->write(
        LogLevel::error, "configuration refused, the one before holds", {{"file", wiring_.path}});
}

void ConfigReloader::take(const config::Loaded& loaded) {
    for (const std::string& warning : loaded.warnings) {
        wiring_.log->write(LogLevel::warning, warning);
    }
    config::Reload change = config::reload(running_, loaded.schema);
    for (const std::string& key : change.after_restart) {
        wiring_.log->write(LogLevel::warning, "takes effect after a restart", {{"key", key}});
    }
    stats_.success_ms = wiring_.unix_ms();
    stats_.hash = hash_of(text_);
    stats_.last_was_refused = false;
    if (change.taken.empty()) {
        ++stats_.unchanged;
        wiring_.log->write(
            LogLevel::info, "configuration read again, nothing to change", {{"file", wiring_.path}});
        return;
    }
    ++stats_.applied;
    running_ = std::move(change.schema);
    wiring_.apply(running_);
    wiring_.log->write(
        LogLevel::info,
        "configuration changed",
        {{"file", wiring_.path}, {"keys", fmt::format("{}", fmt::join(change.taken, ","))}});
}

}  // namespace gang::app

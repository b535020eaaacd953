#include "gang/app/daemon/recorder.hpp"

#include "gang/app/base/version.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

namespace fs = std::filesystem;
using config::LogLevel;

constexpr std::size_t buffer_bytes = 64 * 1024;

std::string why(int error) {
    return std::generic_category().message(error);
}

/// A file that is closed with its last owner.
class File {
public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() { ::close(descriptor_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    core::Result<core::Done> write(std::string_view text) const {
        while (!text.empty()) {
            const ssize_t written = ::write(descriptor_, text.data(), text.size());
            if (written < 0 && errno == EINTR) {
                continue;
            }
            if (written < 0) {
                return core::Error{why(errno)};
            }
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return core::Done{};
    }

private:
    int descriptor_;
};

bool is_recording_name(const std::string& name) {
    return name.starts_with("events-") && name.ends_with(".jsonl");
}

/// All but the newest `keep` recordings go. Other files are not ours to touch.
void remove_oldest(const std::string& directory, std::size_t keep, const Log& log) {
    std::vector<std::string> names;
    std::error_code ec;
    for (fs::directory_iterator it(directory, ec), end; !ec && it != end; it.increment(ec)) {
        if (is_recording_name(it->path().filename().string())) {
            names.push_back(it->path().filename().string());
        }
    }
    std::sort(names.begin(), names.end());
    const std::size_t gone = names.size() - std::min(names.size(), keep);
    for (std::size_t i = 0; i < gone; ++i) {
        const std::string path = (fs::path(directory) / names[i]).string();
        if (!fs::remove(path, ec)) {
            log.write(
                LogLevel::warning,
                "old recording not removed",
                {{"file", path}, {"why", ec.message()}});
        }
    }
}

}  // namespace

std::string recording_name(std::int64_t unix_ms, std::int64_t process) {
    const std::time_t seconds = unix_ms / 1'000;
    return fmt::format(
        "events-{:%Y%m%dT%H%M%S}.{:03}Z-{}.jsonl", fmt::gmtime(seconds), unix_ms % 1'000, process);
}

core::Result<std::unique_ptr<Recorder>> Recorder::open(
    const RecorderOptions& options,
    std::int64_t unix_ms,
    const config::Schema& config,
    const Log& log) {
    std::error_code ec;
    fs::create_directories(options.directory, ec);
    if (ec) {
        return core::Error{fmt::format("{}: {}", options.directory, ec.message())};
    }
    remove_oldest(options.directory, static_cast<std::size_t>(options.files_max) - 1, log);
    const std::string path =
        (fs::path(options.directory) / recording_name(unix_ms, ::getpid())).string();
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return core::Error{fmt::format("{}: {}", path, why(errno))};
    }
    log.write(LogLevel::info, "recording", {{"file", path}});
    Sink sink = [file = std::make_shared<File>(descriptor)](std::string_view text) {
        return file->write(text);
    };
    return std::make_unique<Recorder>(std::move(sink), options.file_bytes_max, config, log);
}

Recorder::Recorder(Sink sink, std::uint64_t bytes_max, const config::Schema& config, const Log& log)
    : sink_(std::move(sink)), bytes_left_(bytes_max), log_(log) {
    add(recording_.begin(version, config));
    flush();
}

void Recorder::before(const StampedEvent& event) {
    if (!sink_) {
        return;
    }
    add(recording_.before(event));
    if (std::holds_alternative<Tick>(event.event)) {
        flush();
    }
}

void Recorder::after(const StampedEvent& event, Decisions decisions, const Scheduler& scheduler) {
    if (!sink_) {
        return;
    }
    add(recording_.after(event, decisions, scheduler));
    if (std::holds_alternative<Tick>(event.event)) {
        flush();
    }
}

void Recorder::add(std::string lines) {
    if (!sink_) {
        return;
    }
    if (lines.size() > bytes_left_) {
        buffer_ += encode(LogEnd{"the recording has reached its bound"});
        flush();
        fail("it has reached its bound, see --record-size");
        return;
    }
    bytes_left_ -= lines.size();
    buffer_ += lines;
    if (buffer_.size() >= buffer_bytes) {
        flush();
    }
}

void Recorder::flush() {
    if (!sink_ || buffer_.empty()) {
        return;
    }
    const auto written = sink_(buffer_);
    buffer_.clear();
    if (!written) {
        fail(written.error().message);
    }
}

void Recorder::fail(const std::string& why_not) {
    if (!sink_) {
        return;
    }
    sink_ = nullptr;
    buffer_.clear();
    buffer_.shrink_to_fit();
    log_.write(LogLevel::error, "recording has ended, scheduling goes on", {{"why", why_not}});
}

}  // namespace gang::app

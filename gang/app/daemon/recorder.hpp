#pragma once
// `run --record DIR`: the recording of this process in a file of its own, so that what somebody saw
// can be lived through again (gang/record/recording.hpp, docs/manage/recording.md).
//
// One file per process, for a replay needs the whole life from the first event on: a file cannot be
// continued by another. When it has reached its bound, or cannot be written, recording ends,
// loudly, and scheduling goes on. Of the files of earlier processes the oldest are removed at the
// start.
//
// Writes are plain ones into the page cache: a disk that stalls, stalls the scheduler.

#include "gang/app/base/log.hpp"
#include "gang/record/recording.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gang::app {

struct RecorderOptions {
    std::string directory;                              ///< made if it is not there
    std::uint64_t file_bytes_max = 256U * 1024 * 1024;  ///< of one recording
    std::int64_t files_max = 4;                         ///< in the directory, this one included
};

class Recorder {
public:
    /// Takes whole lines; an error ends the recording.
    using Sink = std::function<core::Result<core::Done>(std::string_view)>;

    /// Removes what is too old and begins a new file, readable for its owner alone. An error: there
    /// is no directory or no file to be had.
    static core::Result<std::unique_ptr<Recorder>> open(
        const RecorderOptions& options,
        std::int64_t unix_ms,
        const config::Schema& config,
        const Log& log);

    Recorder(Sink sink, std::uint64_t bytes_max, const config::Schema& config, const Log& log);
    ~Recorder() { flush(); }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    /// Around each step of the scheduler. All of it is with the operating system before a Tick is
    /// stepped and after it.
    void before(const StampedEvent& event);
    void after(const StampedEvent& event, Decisions decisions, const Scheduler& scheduler);
    /// Nothing comes after this.
    void flush();

    bool is_recording() const { return sink_ != nullptr; }

private:
    void add(std::string lines);
    void fail(const std::string& why);

    Sink sink_;  ///< empty: recording has ended
    std::uint64_t bytes_left_;
    const Log& log_;
    Recording recording_;
    std::string buffer_;
};

/// "events-20261121T203104.123Z-4711.jsonl": sorts by time.
std::string recording_name(std::int64_t unix_ms, std::int64_t process);

}  // namespace gang::app

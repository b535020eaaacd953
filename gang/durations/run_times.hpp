#pragma once
// Gangs and lone pods that wait or run, and how long each is expected to run: by its own word, or
// by earlier runs of the same name in the same queue. Empty unless backfill is on.
//
//   waits (start_ms 0) --bound--> runs --ended well--> its time is in the book
//                                      --failed, gone--> nothing is learned

#include "core/base/text.hpp"
#include "gang/durations/run_time_book.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gang {

/// One of them.
struct Run {
    std::string name;           ///< in the book: queue and name
    std::int64_t said_ms = 0;   ///< its own word; 0: none
    std::int64_t start_ms = 0;  ///< Unix ms; 0: it waits
    bool is_overdue = false;    ///< ran past its safe time while others waited for room
};

class RunTimes {
public:
    /// By uid.
    using Runs = std::map<std::string, Run, std::less<>>;

    const Run* find(std::string_view uid) const;
    Run* find(std::string_view uid);
    /// Made if it is not there.
    Run& ensure(std::string_view uid);
    void erase(std::string_view uid);
    const Runs& all() const { return runs_; }
    Runs& all() { return runs_; }

    /// Nothing: for ever, as far as anybody knows.
    std::optional<RunTime> expected(const Run& run) const;
    std::optional<RunTime> expected(std::string_view uid) const;

    RunTimeBook& book() { return book_; }
    const RunTimeBook& book() const { return book_; }
    /// Grows when anything here changes.
    std::uint64_t version() const { return version_; }
    void note_change() { ++version_; }
    /// Of pods that are there: the book stays when all have gone.
    std::size_t size() const { return runs_.size(); }

private:
    Runs runs_;
    RunTimeBook book_;
    std::uint64_t version_ = 0;
};

}  // namespace gang

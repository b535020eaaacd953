// gang-sim: runs seeds of gang/sim, says what came of them, and with one command repeats one that
// failed. Its exit code is 1 when a seed failed (or, with --all-faults, a kind of fault or of an
// orderly end was never seen; with --expect, a seed lives another life), 2 when it was called wrongly.

#include "core/base/progress_text.hpp"
#include "tests/sim/mutants.hpp"
#include "tests/sim/options.hpp"
#include "tests/sim/outcome.hpp"
#include "tests/sim/recorded_lives.hpp"
#include "tests/sim/workers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using sim_tool::Outcome;

class Report {
public:
    explicit Report(const sim_tool::Options& options) : options_(options) {
        if (!options.digests.empty()) {
            digests_.open(options.digests);
        }
        if (!options.expect.empty()) {
            lives_ = sim_tool::RecordedLives::read(options.expect);
        }
        if (!options.failed_seeds.empty()) {
            failed_seeds_.open(options.failed_seeds, std::ios::app);
        }
    }

    bool can_compare() const { return options_.expect.empty() || lives_; }

    void take(const Outcome& outcome) {
        totals_.add(outcome);
        show_progress();
        digests_ << fmt::format("{} {:016x}\n", outcome.seed, outcome.digest);
        const bool is_as_recorded = !lives_ || lives_->is_life_of(outcome.seed, outcome.digest);
        if (!is_as_recorded) {
            other_lives_.push_back(outcome.seed);
        }
        if (!outcome.has_failed) {
            return;
        }
        hide_progress();
        failed_seeds_ << outcome.seed << std::endl;
        std::cout << fmt::format(
            "FAILED seed {} {}\n  repeat: {}\n",
            outcome.seed,
            outcome.text,
            sim_tool::how_to_repeat(outcome.seed, options_));
        std::cout.flush();
    }

    /// The exit code.
    int end(double seconds) {
        hide_progress();
        std::cout << totals_.describe(seconds, options_.jobs);
        bool is_fine = totals_.failed.empty();
        for (const std::string& name : totals_.never_seen()) {
            if (options_.all_faults) {
                std::cout << "FAILED: never seen: " << name << "\n";
                is_fine = false;
            }
        }
        for (const std::uint64_t seed : other_lives_) {
            std::cout << fmt::format("FAILED: seed {} lives another life than is recorded\n", seed);
            is_fine = false;
        }
        std::cout << fmt::format("{} seeds, {} failed\n", totals_.seeds, totals_.failed.size());
        return is_fine ? 0 : 1;
    }

private:
    /// Twice a second, on a terminal, once it has taken two seconds.
    void show_progress() {
        using std::chrono::milliseconds;
        const auto now = std::chrono::steady_clock::now();
        if (isatty(STDERR_FILENO) != 1 || now - began_ < milliseconds(2'000) ||
            now - shown_ < milliseconds(500)) {
            return;
        }
        shown_ = now;
        const auto passed_ms = std::chrono::duration_cast<milliseconds>(now - began_).count();
        const bool is_by_time = options_.seconds > 0;
        const std::int64_t total =
            is_by_time ? 0 : static_cast<std::int64_t>(options_.to - options_.from + 1);
        std::cerr << "\r\x1b[K"
                  << core::progress_text(
                         static_cast<std::int64_t>(totals_.seeds), total, passed_ms, "seeds");
        if (is_by_time) {
            const double left = options_.seconds - static_cast<double>(passed_ms) / 1'000;
            std::cerr << fmt::format(", {:.0f}s left", left > 0 ? left : 0.0);
        }
        std::cerr << fmt::format(", {} failed", totals_.failed.size()) << std::flush;
        is_shown_ = true;
    }
    void hide_progress() {
        if (is_shown_) {
            std::cerr << "\r\x1b[K" << std::flush;
            is_shown_ = false;
        }
    }

    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point shown_;
    bool is_shown_ = false;
    const sim_tool::Options& options_;
    sim_tool::Totals totals_;
    std::ofstream digests_;
    std::optional<sim_tool::RecordedLives> lives_;
    std::vector<std::uint64_t> other_lives_;  ///< seeds
    std::ofstream failed_seeds_;
};

}  // namespace

int main(int argc, char** argv) {
    const auto options = sim_tool::read_options(argc, argv);
    if (!options) {
        std::cerr << sim_tool::usage;
        return 2;
    }
    if (!options->mutants.empty()) {
        return sim_tool::run_mutants(sim_tool::read_mutants(options->mutants), options->jobs);
    }
    if (options->matrix) {
        return sim_tool::print_matrix(options->from, options->to, options->jobs);
    }
    const auto began = std::chrono::steady_clock::now();
    Report report(*options);
    if (!report.can_compare()) {
        std::cerr << options->expect << ": no file of recorded lives\n";
        return 2;
    }
    const bool is_one = options->from == options->to && options->seconds <= 0;
    if (is_one) {
        const auto trace =
            options->trace
                ? gang::sim::Trace([](const std::string& line) { std::puts(line.c_str()); })
                : gang::sim::Trace();
        const Outcome outcome = sim_tool::run_seed(options->from, *options, trace);
        report.take(outcome);
        std::cout << fmt::format("digest                {:016x}\n", outcome.digest);
    } else {
        sim_tool::run_all(*options, [&report](const Outcome& outcome) { report.take(outcome); });
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    return report.end(took.count());
}

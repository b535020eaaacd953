#include "gang/app/output/progress.hpp"

#include "config/printable.hpp"
#include "core/base/progress_text.hpp"

#include <unistd.h>

#include <utility>

namespace gang::app {
namespace {

constexpr std::int64_t silent_ms = 2'000;
constexpr std::int64_t between_ms = 500;

void to_terminal(const std::string& text) {
    const auto ignored = ::write(STDERR_FILENO, text.data(), text.size());
    static_cast<void>(ignored);
}

}  // namespace

Progress::Progress(std::string name, std::int64_t total, std::string unit, Sink sink)
    : name_(config::printable(name, 60)),
      total_(total),
      unit_(std::move(unit)),
      sink_(std::move(sink)) {
    if (!sink_ && isatty(STDERR_FILENO) == 1) {
        sink_ = to_terminal;
    }
}

Progress::~Progress() {
    end();
}

void Progress::end() {
    if (sink_ && shown_ms_ != 0) {
        sink_("\r\x1b[K");
        shown_ms_ = 0;
    }
}

void Progress::update(std::int64_t done, std::int64_t now_ms) {
    began_ms_ = began_ms_ == 0 ? now_ms : began_ms_;
    const bool is_due =
        now_ms - began_ms_ >= silent_ms && (shown_ms_ == 0 || now_ms - shown_ms_ >= between_ms);
    if (sink_ && is_due) {
        shown_ms_ = now_ms;
        sink_(
            "\r\x1b[K" + name_ + ": " +
            core::progress_text(done, total_, now_ms - began_ms_, unit_));
    }
}

}  // namespace gang::app

#pragma once
// WriterContext: what all parts of one writer share: the loop, its options, chance, what it has
// counted, and whether it still goes on.

#include "k8s/write/writer.hpp"

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

namespace k8s {

enum class WriterPhase : std::uint8_t {
    serving,
    draining,  ///< nothing new is taken; what was taken is finished
    closed     ///< callbacks are over: their owner may be gone
};

struct WriterContext {
    WriterContext(boost::asio::io_context& loop, WriterOptions given)
        : io(loop), options(std::move(given)), random(std::random_device()()) {}

    boost::asio::io_context& io;
    WriterOptions options;
    WriterStats stats;  ///< all but the numbers of the moment
    std::minstd_rand random;
    WriterPhase phase = WriterPhase::serving;

    bool is_stopping() const { return phase != WriterPhase::serving; }
    bool is_closed() const { return phase == WriterPhase::closed; }
    void enter(WriterPhase next) { phase = std::max(phase, next); }

    std::uint32_t chance() { return static_cast<std::uint32_t>(random()); }
    bool may_write() const { return !is_closed() && (!options.may_write || options.may_write()); }
    void notice(NoticeLevel level, const std::string& text) const {
        if (options.notice && !is_closed()) options.notice(level, text);
    }
};

}  // namespace k8s

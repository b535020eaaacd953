#include "gang/record/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang {
namespace {

/// FNV-1a, a separator after each value.
class Digest {
public:
    void add(std::string_view text) {
        for (const char byte : text) {
            add_byte(static_cast<unsigned char>(byte));
        }
        add_byte(0xff);
    }
    void add(std::int64_t number) {
        for (int shift = 0; shift < 64; shift += 8) {
            add_byte(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> shift));
        }
    }
    void add(const core::Resources& resources) {
        add(resources.cpu_milli);
        add(resources.memory_bytes);
        add(resources.ephemeral_bytes);
        for (const core::ExtendedResource& entry : resources.extended) {
            add(entry.name);
            add(entry.amount);
        }
    }
    std::uint64_t value() const { return value_; }

private:
    void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }

    std::uint64_t value_ = 0xcbf29ce484222325;
};

void add(Digest& digest, const NodeLedger& node) {
    digest.add(node.name);
    digest.add(node.allocatable);
    digest.add(node.bound);
    digest.add(node.held);
    digest.add(node.free);
    digest.add(node.pods_free);
    for (const HeldUnit& unit : node.units) {
        digest.add(to_string(unit.state));
        digest.add(unit.driver_uid);
        digest.add(unit.slot);
        digest.add(unit.requests);
    }
}

void add(Digest& digest, const GangView& gang) {
    digest.add(gang.driver_uid);
    digest.add(to_string(gang.state));
    digest.add(to_string(gang.code));
    digest.add(gang.position);
    digest.add(gang.slots_open);
    digest.add(gang.slots_assumed);
    digest.add(gang.slots_bound);
    digest.add(gang.message);
}

std::string first_difference(
    const std::vector<Decision>& recorded, const std::vector<Decision>& replayed) {
    const std::size_t common = std::min(recorded.size(), replayed.size());
    for (std::size_t i = 0; i < common; ++i) {
        const std::string then = encode(recorded[i]);
        const std::string now = encode(replayed[i]);
        if (then != now) {
            return fmt::format("decision {}: recorded {}, replayed {}", i + 1, then, now);
        }
    }
    if (recorded.size() > common) {
        return fmt::format(
            "decision {}: recorded {}, replayed none", common + 1, encode(recorded[common]));
    }
    if (replayed.size() > common) {
        return fmt::format(
            "decision {}: recorded none, replayed {}", common + 1, encode(replayed[common]));
    }
    return {};
}

}  // namespace

std::uint64_t state_digest(
    const std::vector<NodeLedger>& nodes, const std::vector<GangView>& gangs) {
    Digest digest;
    for (const NodeLedger& node : nodes) {
        add(digest, node);
    }
    for (const GangView& gang : gangs) {
        add(digest, gang);
    }
    return digest.value();
}

std::string Recording::begin(std::string_view program, const config::Schema& config) {
    digest_ = 0;
    state_at_ms_.reset();
    return encode(LogHeader{recording_format, std::string(program), config});
}

std::string Recording::after(
    const StampedEvent& event, Decisions decisions, const Scheduler& scheduler) {
    const bool is_tick = std::holds_alternative<Tick>(event.event);
    if (!is_tick && decisions.empty()) {
        return {};
    }
    digest_ = add_to_digest(digest_, event.sequence, decisions);
    LogCheck check{event.sequence, {decisions.begin(), decisions.end()}, digest_, std::nullopt};
    if (is_tick && (!state_at_ms_ || event.time_ms - *state_at_ms_ >= state_every_ms)) {
        state_at_ms_ = event.time_ms;
        check.state = state_digest(scheduler.ledger(), scheduler.gangs());
    }
    return encode(check);
}

core::Result<core::Done> Replay::feed(std::string_view text) {
    if (difference_) {
        return core::Done{};
    }
    core::Result<LogLine> line = decode_line(text);
    if (!line) {
        return line.error();
    }
    if (!header_ && !std::holds_alternative<LogHeader>(*line)) {
        return core::Error{"a recording begins with its header"};
    }
    if (!end_.empty()) {
        return core::Error{"a line after the end of the recording"};
    }
    return std::visit(
        [this](auto&& one) { return take(std::forward<decltype(one)>(one)); }, *std::move(line));
}

core::Result<core::Done> Replay::take(LogHeader header) {
    if (header_) {
        return core::Error{"a second header: two recordings in one file"};
    }
    scheduler_.emplace(header.config);
    header_ = std::move(header);
    return core::Done{};
}

core::Result<core::Done> Replay::take(const StampedEvent& event) {
    if (event.sequence != last_sequence_ + 1) {
        return core::Error{fmt::format(
            "event {} follows event {}: lines are missing", event.sequence, last_sequence_)};
    }
    if (must_check_) {
        return core::Error{fmt::format("what event {} led to is missing", last_sequence_)};
    }
    last_sequence_ = event.sequence;
    const Decisions decisions = scheduler_->step(event);
    const bool is_tick = std::holds_alternative<Tick>(event.event);
    decided_.assign(decisions.begin(), decisions.end());
    digest_ = add_to_digest(digest_, event.sequence, decisions);
    must_check_ = is_tick;
    ++counts_.events;
    counts_.ticks += is_tick ? 1 : 0;
    counts_.decisions += decisions.size();
    if (watcher_) {
        watcher_(event, decisions);
    }
    return core::Done{};
}

core::Result<core::Done> Replay::take(const LogCheck& check) {
    if (check.after != last_sequence_) {
        return core::Error{fmt::format(
            "what event {} led to stands behind event {}", check.after, last_sequence_)};
    }
    must_check_ = false;
    compare(check);
    decided_.clear();
    return core::Done{};
}

void Replay::compare(const LogCheck& check) {
    ++counts_.checks;
    std::string what = first_difference(check.decisions, decided_);
    if (what.empty() && check.digest != digest_) {
        what =
            "the digest of all decisions so far differs, those of this step are the same: lines "
            "were changed or are missing";
    }
    if (what.empty() && check.state) {
        ++counts_.states;
        const std::uint64_t state = state_digest(scheduler_->ledger(), scheduler_->gangs());
        if (state != *check.state) {
            what = fmt::format(
                "the ledger or the queue: recorded {:016x}, replayed {:016x}", *check.state, state);
        }
    }
    if (!what.empty()) {
        differ(std::move(what));
    }
}

core::Result<core::Done> Replay::take(const LogEnd& end) {
    end_ = end.why.empty() ? "it does not say why" : end.why;
    return core::Done{};
}

}  // namespace gang

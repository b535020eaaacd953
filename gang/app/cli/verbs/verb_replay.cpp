// `replay`: what `run --record` wrote, folded through a fresh scheduler and compared.
#include "config/printable.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/base/version.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/output/progress.hpp"
#include "gang/app/show/report.hpp"
#include "gang/record/recording.hpp"
#include "k8s/base/time.hpp"
#include "k8s/protocol/line_splitter.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iostream>
#include <ostream>

namespace gang::app {
namespace {

std::string full_name(const PodRef& pod) {
    return pod.namespace_name + "/" + pod.name;
}

std::string describe(const BindPod& decision) {
    return fmt::format(
        "bind {} to {}{}",
        full_name(decision.pod),
        decision.node,
        decision.starts_gang ? ", with its gang" : "");
}
std::string describe(const FetchSparkConf& decision) {
    return fmt::format(
        "fetch conf of {} from {}", full_name(decision.driver), decision.properties.config_map);
}
std::string describe(const SetCondition& decision) {
    return fmt::format(
        "{} on {}: {}: {}",
        decision.fence ? "fence" : "condition",
        full_name(decision.pod),
        decision.reason,
        decision.message);
}
std::string describe(const UpdateReservation& decision) {
    std::string out = "reservation of " + full_name(decision.driver);
    for (const auto& [key, value] : decision.annotations) {
        out += fmt::format(" {}={}", key, value);
    }
    return out;
}
std::string describe(const FetchClaim& decision) {
    return "fetch claim " + decision.namespace_name + "/" + decision.name;
}

std::string describe(const WatchVolumeLimits&) {
    return "watch the volume limits of nodes";
}
std::string describe(const WatchStorage&) {
    return "watch how much storage is left";
}
std::string describe(const WatchNamespaces&) {
    return "watch namespaces";
}
std::string describe(const FetchPodGroup& decision) {
    return "ask for pod group " + decision.namespace_name + "/" + decision.name;
}
std::string describe(const FetchQuotas& decision) {
    return "ask for quotas of namespace " + decision.namespace_name;
}

std::string describe(const WriteGroupStatus& decision) {
    const core::PodGroupStatus& status = decision.status;
    return fmt::format(
        "status of pod group {}/{}: {} {}, {} running, {} succeeded, {} failed{}{}",
        decision.namespace_name,
        decision.name,
        core::word(status.phase),
        core::word(status.condition),
        status.running,
        status.succeeded,
        status.failed,
        status.message.empty() ? "" : ": ",
        status.message);
}
std::string describe(const EvictPod& decision) {
    return fmt::format(
        "evict {} ({})",
        full_name(decision.pod),
        decision.reason == EvictReason::reclaim ? "reclaim" : "preempt");
}
std::string describe(const ListPods&) {
    return "list pods for their labels";
}
std::string describe(const RecordEvent& decision) {
    return fmt::format(
        "event on {}: {}: {}", full_name(decision.pod), decision.reason, decision.message);
}
std::string describe(const WantCapacity& decision) {
    std::string out = "ask the autoscaler for " + full_name(decision.driver);
    for (const core::CapacityShape& shape : decision.shapes) {
        out += fmt::format(": {} of {}", shape.count, core::describe(shape.requests));
    }
    return out;
}
std::string describe(const DropCapacity& decision) {
    return "ask the autoscaler no more for " + full_name(decision.driver);
}
std::string describe(const ListCapacity&) {
    return "list what the autoscaler is asked for";
}
std::string describe(const AskExtenders& decision) {
    return fmt::format(
        "ask {} extenders about {} of {}, {} nodes",
        decision.extenders.size(),
        decision.is_to_come ? "executors" : "the pod",
        full_name(decision.pod),
        decision.nodes.size());
}
std::string describe(const AnswerExtender& decision) {
    return decision.nodes.empty()
               ? "tell kube-scheduler: " + decision.message
               : fmt::format("tell kube-scheduler: {}", fmt::join(decision.nodes, ", "));
}
std::string describe(const WakeAt& decision) {
    return "wake at " + k8s::format_micro_time(decision.time_ms);
}
std::string describe(const StepDown& decision) {
    return "step down: " + decision.why;
}

/// How the reading of one file went.
struct Outcome {
    std::string problem;      ///< not empty: it is not (only) a recording
    bool is_cut = false;      ///< its last line has no end
    bool is_partial = false;  ///< --until came first
};

class Reading {
public:
    Reading(
        std::istream& in, std::uint64_t until, Replay::Watcher watcher, Progress& progress)
        : in_(in), until_(until), replay_(std::move(watcher)), progress_(progress) {}

    Outcome run() {
        std::array<char, 64 * 1024> chunk;
        while (in_.read(chunk.data(), chunk.size()) || in_.gcount() > 0) {
            const std::string_view bytes(chunk.data(), static_cast<std::size_t>(in_.gcount()));
            outcome_.is_cut = bytes.back() != '\n';
            kib_read_ += static_cast<std::int64_t>(bytes.size()) / 1'024;
            progress_.update(kib_read_, k8s::monotonic_ms());
            if (!splitter_.add(bytes)) {
                outcome_.problem = "a line of more than 16 MiB";
                return outcome_;
            }
            if (!feed_lines()) {
                return outcome_;
            }
        }
        if (in_.bad()) {
            outcome_.problem = "cannot be read";
        } else if (!replay_.header()) {
            outcome_.problem = "there is no recording in it";
        }
        return outcome_;
    }

    const Replay& replay() const { return replay_; }

private:
    bool feed_lines() {
        while (const auto line = splitter_.next()) {
            ++line_number_;
            // Only an event of the next sequence number goes further than `until`.
            if (replay_.last_sequence() >= until_ && line->starts_with("{\"seq\":")) {
                outcome_.is_partial = true;
                outcome_.is_cut = false;
                return false;
            }
            const auto fed = replay_.feed(*line);
            if (!fed) {
                outcome_.problem = fmt::format("line {}: {}", line_number_, fed.error().message);
                return false;
            }
            if (replay_.difference()) {
                outcome_.is_cut = false;
                return false;
            }
        }
        return true;
    }

    std::istream& in_;
    std::uint64_t until_;
    k8s::protocol::LineSplitter splitter_{recording_line_bytes_max + 1};
    Replay replay_;
    Progress& progress_;
    std::int64_t kib_read_ = 0;
    Outcome outcome_;
    std::uint64_t line_number_ = 0;
};

std::string to_text(const std::string& file, const Replay& replay, const Outcome& outcome) {
    const Replay::Counts& counts = replay.counts();
    std::string out;
    if (replay.header()) {
        const std::string& program = replay.header()->program;
        out += fmt::format(
            "{}: recorded by version {}{}\n",
            file,
            config::printable(program, 100),
            program == version
                ? ""
                : fmt::format(", this is {}: what differs may have been changed since", version));
        out += fmt::format(
            "{}: {} events, {} ticks, {} decisions; compared: {} steps, {} states\n",
            file,
            counts.events,
            counts.ticks,
            counts.decisions,
            counts.checks,
            counts.states);
    }
    if (outcome.is_cut) {
        out += file + ": the last line is cut off and left out\n";
    }
    if (!replay.end().empty()) {
        out += fmt::format("{}: ended early: {}\n", file, config::printable(replay.end()));
    }
    if (!outcome.problem.empty()) {
        return out + fmt::format("{}: {}\n", file, config::printable(outcome.problem));
    }
    if (const auto& difference = replay.difference()) {
        return out + fmt::format(
                         "{}: DIFFERS after event {}: {}\n",
                         file,
                         difference->sequence,
                         config::printable(difference->what, 64 * 1024));
    }
    return out + fmt::format(
                     "{}: {}\n",
                     file,
                     outcome.is_partial
                         ? fmt::format("the same up to event {}", replay.last_sequence())
                         : "the same");
}

std::string to_json(const std::string& file, const Replay& replay, const Outcome& outcome) {
    const Replay::Counts& counts = replay.counts();
    const auto& difference = replay.difference();
    return fmt::format(
        R"({{"file":{},"recordedBy":{},"events":{},"ticks":{},"decisions":{},"steps":{},)"
        R"("states":{},"last":{},"same":{},"difference":{},"problem":{},"ended":{},"cut":{}}})"
        "\n",
        json_string(file),
        json_string(replay.header() ? replay.header()->program : ""),
        counts.events,
        counts.ticks,
        counts.decisions,
        counts.checks,
        counts.states,
        replay.last_sequence(),
        !difference && outcome.problem.empty(),
        difference ? fmt::format(
                         R"({{"after":{},"what":{}}})",
                         difference->sequence,
                         json_string(difference->what))
                   : "null",
        outcome.problem.empty() ? "null" : json_string(outcome.problem),
        replay.end().empty() ? "null" : json_string(replay.end()),
        outcome.is_cut);
}

/// In bytes; 0: it cannot be known, as of a pipe.
std::int64_t size_of(std::istream& in) {
    const auto here = in.tellg();
    if (here < 0 || !in.seekg(0, std::ios::end)) {
        in.clear();
        return 0;
    }
    const auto end = in.tellg();
    in.seekg(here);
    return static_cast<std::int64_t>(end - here);
}

class Verdicts {
public:
    Verdicts(
        const CommandLine& line, std::uint64_t until, std::ostream& out, std::ostream& err)
        : line_(line), until_(until), out_(out), err_(err) {}

    /// Whether this one is a recording and the same.
    bool judge(const std::string& file) {
        if (file == "-") {
            return judge("standard input", std::cin);
        }
        std::ifstream in(file, std::ios::binary);
        if (!in) {
            err_ << fmt::format("gang-scheduler replay: {}: {}\n", file, std::strerror(errno));
            return false;
        }
        return judge(file, in);
    }

private:
    bool judge(const std::string& file, std::istream& in) {
        std::int64_t time_ms = 0;
        Progress progress(file, size_of(in) / 1'024, "KiB");
        const auto watch = [&](const StampedEvent& event, Decisions decisions) {
            time_ms = event.time_ms;
            if (line_.has("print")) {
                print(event, decisions);
            }
        };
        Reading reading(in, until_, watch, progress);
        const Outcome outcome = reading.run();
        progress.end();
        const Replay& replay = reading.replay();
        if (line_.wants_json()) {
            out_ << to_json(file, replay, outcome);
        } else if (!replay.header()) {
            err_ << fmt::format(
                "gang-scheduler replay: {}: {}\n",
                file,
                outcome.problem.empty() ? "it is empty" : outcome.problem);
        } else {
            out_ << to_text(file, replay, outcome);
        }
        if (line_.has("until") && replay.header() && !line_.wants_json()) {
            out_ << gangs_table(GangList{"recording", "", replay.scheduler().gangs()}, time_ms);
        }
        return replay.header() && outcome.problem.empty() && !replay.difference();
    }

    void print(const StampedEvent& event, Decisions decisions) {
        for (const Decision& decision : decisions) {
            const std::string text =
                std::visit([](const auto& one) { return describe(one); }, decision);
            out_ << fmt::format(
                "{} {} {}\n",
                event.sequence,
                k8s::format_micro_time(event.time_ms),
                config::printable(text));
        }
    }

    const CommandLine& line_;
    std::uint64_t until_;
    std::ostream& out_;
    std::ostream& err_;
};

int replay(const CommandLine& line, std::ostream& out, std::ostream& err) {
    std::uint64_t until = UINT64_MAX;
    if (line.has("until")) {
        const std::string text = line.text("until");
        const char* end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, until);
        if (read.ec != std::errc() || read.ptr != end) {
            return usage_error(
                err,
                "replay",
                fmt::format(
                    "--until: found \"{}\", expected a sequence number",
                    config::printable(text, 100)));
        }
    }
    if (line.has("print") && line.wants_json()) {
        return usage_error(err, "replay", "--print is for people, -o json is not");
    }
    Verdicts verdicts(line, until, out, err);
    bool all_same = true;
    for (const std::string& file : line.arguments) {
        all_same = verdicts.judge(file) && all_same;
    }
    return all_same ? exit_done : exit_error;
}

}  // namespace

Verb replay_verb() {
    return Verb{
        "replay",
        "live through recordings of `run --record` again, and say where decisions differ",
        "FILE...",
        {Flag{"until", 0, "SEQ", "stop after the event of this number and show the gangs then"},
         Flag{"print", 0, "", "show every decision", {}, "true"},
         output_flag()},
        {"gang-scheduler replay events-20261121T203104.123Z-7.jsonl",
         "gunzip -c recording.gz | gang-scheduler replay --print -"},
        replay};
}

}  // namespace gang::app

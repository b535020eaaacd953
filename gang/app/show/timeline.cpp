#include "gang/app/show/timeline.hpp"

#include "config/printable.hpp"
#include "core/base/suggest.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/base/text.hpp"
#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace gang::app {
namespace {

using k8s::PodHistory;

constexpr std::size_t ends_shown_max = 20;

std::string full_name(const PodHistory& pod) {
    return pod.namespace_name + "/" + pod.name;
}

void add(Timeline& to, std::int64_t time_ms, std::string step, std::string text) {
    if (time_ms > 0) {
        to.entries.push_back({time_ms, std::move(step), std::move(text)});
    }
}

/// The natural order of what happened within one second: the API server knows no finer time.
int rank_of(std::string_view step) {
    constexpr std::array<std::string_view, 11> order = {
        "Created",
        "Sized",
        "FailedScheduling",
        "Admitted",
        "Scheduled",
        "DriverBound",
        "DriverRunning",
        "ExecutorsAsked",
        "ExecutorsBound",
        "ExecutorFailed",
        "Deleting"};
    const auto* const at = std::find(order.begin(), order.end(), step);
    if (at != order.end()) {
        return static_cast<int>(at - order.begin());
    }
    return step == "Ended" ? 20 : 10;
}

bool happened_before(const TimelineEntry& a, const TimelineEntry& b) {
    return std::tuple(a.time_ms / 1'000, rank_of(a.step), a.time_ms) <
           std::tuple(b.time_ms / 1'000, rank_of(b.step), b.time_ms);
}

/// Of one second: what is known to the millisecond stands in the order of its times. What is known
/// to the second alone keeps the place that its step has.
void order_exact_times(std::vector<TimelineEntry>& entries) {
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
        std::vector<std::size_t> places;
        std::vector<TimelineEntry> exact;
        const std::int64_t second = entries[begin].time_ms / 1'000;
        for (; end < entries.size() && entries[end].time_ms / 1'000 == second; ++end) {
            if (!entries[end].is_whole_second()) {
                places.push_back(end);
                exact.push_back(entries[end]);
            }
        }
        std::stable_sort(exact.begin(), exact.end(), [](const auto& a, const auto& b) {
            return a.time_ms < b.time_ms;
        });
        for (std::size_t i = 0; i < places.size(); ++i) {
            entries[places[i]] = std::move(exact[i]);
        }
    }
}

bool has_ended(const PodHistory& pod) {
    return pod.phase == core::PodPhase::succeeded || pod.phase == core::PodPhase::failed;
}

std::string end_text(const PodHistory& pod) {
    const char* phase = pod.phase == core::PodPhase::succeeded ? "Succeeded" : "Failed";
    return pod.end_reason.empty() ? phase : fmt::format("{} ({})", phase, pod.end_reason);
}

/// Our own millisecond where the API server's whole second is the same moment.
std::int64_t finer(std::int64_t whole_second_ms, std::int64_t seen_ms) {
    const std::int64_t apart = seen_ms - whole_second_ms;
    return seen_ms > 0 && (whole_second_ms == 0 || (apart >= 0 && apart < 2'000)) ? seen_ms
                                                                                  : whole_second_ms;
}

void add_driver(Timeline& to, const PodHistory& driver, const Milestones& seen) {
    const std::string_view who = driver.is_of_spark ? "driver" : "pod";
    add(to, driver.created_ms, "Created", fmt::format("{} created", who));
    add(to, seen.sized_ms, "Sized", "the size of its gang is known");
    add(to, seen.admitted_ms, "Admitted", "the whole gang fits: room reserved for all of it");
    add(to,
        finer(driver.bound_ms, seen.driver_bound_ms),
        "DriverBound",
        driver.node.empty() ? fmt::format("{} bound", who)
                            : fmt::format("{} bound to {}", who, driver.node));
    add(to, driver.started_ms, "DriverRunning", fmt::format("{} running", who));
    add(to, driver.deleting_ms, "Deleting", fmt::format("{} being deleted", who));
    if (has_ended(driver)) {
        add(to,
            finer(driver.ended_ms, seen.ended_ms),
            "Ended",
            fmt::format("{} ended: {}", who, end_text(driver)));
    }
}

void add_events(Timeline& to, const std::vector<k8s::RecordedEvent>& events) {
    for (const k8s::RecordedEvent& event : events) {
        add(to, event.time_ms, event.reason, fmt::format("{}: {}", event.reason, event.message));
    }
}

/// The first executor, half of them, four fifths, all.
void add_bound_counts(
    Timeline& to, std::vector<std::int64_t> times, std::int32_t declared, const Milestones& seen) {
    std::sort(times.begin(), times.end());
    const std::size_t all = std::max<std::size_t>(times.size(), static_cast<std::size_t>(declared));
    const std::string of = declared > 0 ? fmt::format(" of {}", declared) : "";
    std::vector<std::size_t> marks = {1, (all + 1) / 2, (all * 4 + 4) / 5, all};
    marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
    for (const std::size_t mark : marks) {
        if (mark >= 1 && mark <= times.size()) {
            add(to,
                times[mark - 1],
                "ExecutorsBound",
                fmt::format(
                    "{}{} {} bound", mark, of, all == 1 ? "executor" : "executors"));
        }
    }
    if (times.empty()) {  // they are gone already: what the daemon remembers
        add(to,
            seen.first_executor_ms,
            "ExecutorsBound",
            fmt::format("1{} {} bound", of, declared > 1 ? "executors" : "executor"));
        add(to,
            seen.all_executors_ms,
            "ExecutorsBound",
            fmt::format("all{} executors bound", declared > 0 ? fmt::format(" {}", declared) : ""));
    }
}

void add_executors(
    Timeline& to,
    const std::vector<PodHistory>& executors,
    std::int32_t declared,
    const Milestones& seen) {
    std::vector<std::int64_t> created;
    std::vector<std::int64_t> bound;
    std::size_t ends = 0;
    for (const PodHistory& executor : executors) {
        created.push_back(executor.created_ms);
        if (executor.bound_ms > 0) {
            bound.push_back(executor.bound_ms);
        }
        if (executor.phase == core::PodPhase::failed && ++ends <= ends_shown_max) {
            add(to,
                executor.ended_ms > 0 ? executor.ended_ms : executor.created_ms,
                "ExecutorFailed",
                fmt::format("executor {} ended: {}", executor.name, end_text(executor)));
        }
    }
    if (!created.empty()) {
        add(to,
            *std::min_element(created.begin(), created.end()),
            "ExecutorsAsked",
            "the driver asks for its first executor");
    }
    add_bound_counts(to, std::move(bound), declared, seen);
    if (ends > ends_shown_max) {
        add(to,
            to.entries.back().time_ms,
            "ExecutorFailed",
            fmt::format("{} more executors failed", ends - ends_shown_max));
    }
}

using ApplicationKey = std::pair<std::string_view, std::string_view>;

/// Namespace and application, as views of the pod's own text.
ApplicationKey key_of(const PodHistory& pod) {
    return {pod.namespace_name, pod.application};
}

bool is_named(const PodHistory& pod, std::string_view question) {
    return pod.uid == question || pod.name == question || full_name(pod) == question ||
           (!question.empty() && (pod.application == question || pod.app_name == question));
}

std::string shown(std::string_view text) {
    return config::printable(text, 2048);
}

/// ", did you mean ...?" of pods that start a gang or are alone, and of their applications.
std::string suggestion(const std::vector<PodHistory>& pods, std::string_view question) {
    std::vector<std::string> names;
    for (const PodHistory& pod : pods) {
        if (pod.controller_uid.empty()) {
            names.insert(
                names.end(), {pod.name, full_name(pod), pod.application, pod.app_name});
        }
    }
    std::erase(names, "");
    return core::did_you_mean(question, names);
}

std::string clock_time(std::int64_t time_ms) {
    return k8s::format_time(time_ms).substr(11, 8);
}

}  // namespace

core::Result<GangHistory> find_gang(
    const std::vector<PodHistory>& pods, std::string_view pod_or_app) {
    std::map<std::string_view, const PodHistory*> by_uid;
    std::map<ApplicationKey, const PodHistory*> by_application;
    for (const PodHistory& pod : pods) {
        by_uid.emplace(pod.uid, &pod);
        if (pod.controller_uid.empty() && !pod.application.empty()) {
            by_application.emplace(key_of(pod), &pod);
        }
    }
    // Spark's executors belong to the driver pod, or to a set that the driver pod owns.
    const auto start_of = [&](const PodHistory& pod) -> const PodHistory& {
        if (const auto it = by_uid.find(pod.controller_uid); it != by_uid.end()) {
            return *it->second;
        }
        const auto it = by_application.find(key_of(pod));
        return !pod.controller_uid.empty() && it != by_application.end() ? *it->second : pod;
    };
    std::map<std::string, const PodHistory*> found;
    for (const PodHistory& pod : pods) {
        if (is_named(pod, pod_or_app)) {
            const PodHistory& start = start_of(pod);
            found.emplace(full_name(start), &start);
        }
    }
    if (found.empty()) {
        return core::Error{fmt::format(
            "no pod or application is called {}{}",
            shown(pod_or_app),
            suggestion(pods, pod_or_app))};
    }
    // A job that runs each night has one name each time.
    const bool is_any_there = std::any_of(
        found.begin(), found.end(), [](const auto& one) { return !has_ended(*one.second); });
    if (is_any_there) {
        std::erase_if(found, [](const auto& one) { return has_ended(*one.second); });
    }
    if (found.size() > 1) {
        std::vector<std::string> names;
        for (const auto& [name, pod] : found) {
            names.push_back(shown(name));
        }
        return core::Error{fmt::format(
            "{} names several: {}; ask with namespace/name",
            shown(pod_or_app),
            fmt::join(names, ", "))};
    }
    GangHistory out{*found.begin()->second, {}};
    for (const PodHistory& pod : pods) {
        if (pod.uid != out.driver.uid && &start_of(pod) == found.begin()->second) {
            out.executors.push_back(pod);
        }
    }
    return out;
}

Timeline make_timeline(
    const GangHistory& gang,
    const std::vector<k8s::RecordedEvent>& events,
    std::int32_t declared,
    const std::optional<Milestones>& milestones) {
    const Milestones seen = milestones.value_or(Milestones());
    Timeline out{gang.driver.namespace_name, gang.driver.name, gang.driver.application, {}};
    add_driver(out, gang.driver, seen);
    add_events(out, events);
    add_executors(out, gang.executors, declared, seen);
    std::stable_sort(out.entries.begin(), out.entries.end(), happened_before);
    order_exact_times(out.entries);
    return out;
}

std::string timeline_text(const Timeline& timeline) {
    std::string out = fmt::format("{}/{}", shown(timeline.namespace_name), shown(timeline.driver));
    if (!timeline.application.empty()) {
        out += fmt::format(", application {}", shown(timeline.application));
    }
    if (timeline.entries.empty()) {
        return out + ": nothing is known of it\n";
    }
    const std::int64_t begin = timeline.entries.front().time_ms;
    out += fmt::format(", since {}\n", k8s::format_time(begin));
    out += fmt::format("{:<8}  {:<6}  {}\n", "TIME", "AFTER", "WHAT");
    for (const TimelineEntry& entry : timeline.entries) {
        const std::string after = format_age(std::max<std::int64_t>(0, entry.time_ms - begin));
        out +=
            fmt::format("{:<8}  {:<6}  {}\n", clock_time(entry.time_ms), after, shown(entry.text));
    }
    return out;
}

std::string to_json(const Timeline& timeline) {
    std::string entries;
    for (const TimelineEntry& entry : timeline.entries) {
        entries += fmt::format(
            R"({}{{"timeMs":{},"timePrecision":"{}","step":{},"text":{}}})",
            entries.empty() ? "" : ",",
            entry.time_ms,
            entry.is_whole_second() ? "second" : "millisecond",
            json_string(entry.step),
            json_string(entry.text));
    }
    return fmt::format(
        "{{\"namespace\":{},\"driver\":{},\"application\":{},\"entries\":[{}]}}",
        json_string(timeline.namespace_name),
        json_string(timeline.driver),
        json_string(timeline.application),
        entries);
}

}  // namespace gang::app

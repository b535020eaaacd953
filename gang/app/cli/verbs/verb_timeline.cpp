// `timeline`: the life of one gang, step by step.
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/data_output.hpp"
#include "gang/app/cli/service/leader_service.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/show/pod_view.hpp"
#include "gang/app/show/timeline.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <optional>
#include <ostream>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

/// Executors that the gang reserved, as its driver says; 0: it does not.
std::int32_t reserved_executors(const k8s::PodHistory& driver) {
    const std::string* text =
        core::find_value(driver.annotations, std::string(reservation_annotation));
    const auto reservation = text == nullptr ? core::Result<Reservation>(core::Error())
                                             : decode_reservation(*text, shown_slots_max);
    return reservation ? static_cast<std::int32_t>(slot_count(*reservation)) : 0;
}

core::Result<Timeline> find_timeline_within(
    const Sources& sources, const std::string& question, std::string& note) {
    auto reader = make_reader(sources);
    if (!reader) {
        return reader.error();
    }
    // A name with its namespace needs no list of the whole cluster.
    const auto slash = question.find('/');
    const std::string within =
        slash == std::string::npos ? sources.namespace_name : question.substr(0, slash);
    const auto pods = reader->list_pod_histories(within);
    if (!pods) {
        return with_hint(pods.error(), within);
    }
    auto gang = find_gang(*pods, question);
    if (!gang) {
        return gang.error();
    }
    const k8s::PodHistory& driver = gang->driver;
    // Much is known without them, and who runs the scheduler may not read them.
    const auto listed = reader->list_events(driver.namespace_name, driver.uid);
    if (!listed) {
        note = "without events: " + listed.error().message;
    }
    const auto events = listed ? *listed : std::vector<k8s::RecordedEvent>();
    std::optional<Milestones> milestones;
    std::string standby;  // it has seen no decision: the Events alone tell of them
    auto answer = explain_by_daemon(sources, driver.uid, standby);
    if (!answer) {
        answer = explain_by_service(sources, driver.namespace_name + "/" + driver.name, standby);
    }
    if (answer && answer->explanation.gang.driver_uid == driver.uid) {
        milestones = answer->explanation.milestones;
    }
    return make_timeline(*gang, events, reserved_executors(driver), milestones);
}

core::Result<Timeline> find_timeline(
    const Sources& sources, const std::string& words, std::string& note) {
    const std::string question = without_kind(words);
    return find_widely(
        sources, [&](const Sources& within) {
            return find_timeline_within(within, question, note);
        });
}

int timeline(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        return usage_error(err, "timeline", sources.error().message);
    }
    std::string note;
    const auto found = find_timeline(*sources, line.arguments.front(), note);
    if (found && !note.empty()) {
        err << "gang-scheduler timeline: " << note << '\n';
    }
    if (!found) {
        return failure(err, "timeline", found.error().message);
    }
    if (!print_data(line, out, [&] { return to_json(*found); })) {
        out << timeline_text(*found);
    }
    return exit_done;
}

}  // namespace

Verb timeline_verb() {
    return Verb{
        "timeline",
        "show the life of an application step by step",
        "POD|NAMESPACE/POD|APPLICATION",
        ask_flags(),
        {"gang-scheduler timeline etl/pi-driver", "gang-scheduler timeline spark-9f3c2a -o json"},
        timeline};
}

}  // namespace gang::app

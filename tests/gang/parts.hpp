#pragma once
// A model with a few things in it, for tests of one part of the scheduler without the others.

#include "config/schema.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"
#include "tests/gang/builders.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tests {

struct Known {
    explicit Known(config::Schema schema = {}) : model(std::move(schema)) {
        model.term.leads = true;
    }

    gang::Model model;
    gang::StepContext step;
    gang::StatusReporter reporter;

    void add_node(const std::string& name, std::int64_t cpu = 16) {
        model.cluster_model.upsert_node(node(name, cpu, 65'536));
    }

    /// A pod of ours whose uid is its name.
    gang::PodEntry& add(core::Pod pod) {
        pod.uid = pod.name;
        gang::PodEntry& entry = model.pods.add(pod.uid);
        entry.profile = gang::profile_of(pod);
        entry.is_driver = model.reader.is_driver(pod);
        entry.is_executor = !entry.is_driver && model.reader.is_executor(pod);
        entry.pod = std::move(pod);
        return entry;
    }

    /// A driver that runs on `where`, with so many slots of 1 cpu there, open, and written.
    gang::Application& add_gang(const std::string& name, const std::string& where, int slots) {
        core::Pod made = driver(name);
        made.node_name = where;
        gang::PodEntry& entry = add(made);
        gang::Application& app = model.gangs.ensure(entry, true);
        app.declared.conf_needed = false;
        app.phase = gang::Phase::running;
        app.published.reserved = true;
        app.published.is_shown = true;
        app.published.generation = app.published.stored = app.published.first_generation = 1;
        const core::Pod like = pod("like", 1000, 1408);
        model.shapes.add(app, {0, slots, 0, {}, false}, like.requests, like.constraints);
        model.shapes.set_driver(app, made);
        model.ledger.pod_allocations().settle(entry);
        model.ledger.add_open(app, 0, *model.cluster.nodes().find(where), slots);
        return app;
    }

    /// An executor of the gang, on `where`; empty: it waits.
    gang::PodEntry& add_executor(
        const std::string& name, gang::Application& of, const std::string& where = {}) {
        core::Pod made = executor(name, model.pods.at(of.uid).pod);
        made.node_name = where;
        gang::PodEntry& entry = add(made);
        model.pods.owners().join(entry, of.uid);
        if (where.empty()) {
            of.pending.make().insert(entry.rank());
        }
        return entry;
    }

    /// The reasons of the events that were sent since this was last asked.
    std::vector<std::string> events() {
        std::vector<gang::Decision> decisions;
        reporter.flush(decisions, step.now_ms, [this](const std::string& uid) {
            return gang::ref_of(model.pods.at(uid).pod);
        });
        std::vector<std::string> reasons;
        for (const gang::Decision& decision : decisions) {
            if (const auto* event = std::get_if<gang::RecordEvent>(&decision)) {
                reasons.push_back(event->reason);
            }
        }
        return reasons;
    }
};

}  // namespace tests

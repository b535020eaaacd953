// The configuration file: a schema, or a bounded list of complaints that can be printed.
#include "config/loader.hpp"
#include "tests/fuzz/property.hpp"

#include <algorithm>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string yaml = fuzz::text(data, size);
    const auto loaded = config::load(yaml, "f");
    PROPERTY(config::load(yaml, "f") == loaded);
    if (!loaded) {
        const std::string& text = loaded.error().message;
        PROPERTY(!text.empty());
        const auto lines = std::count(text.begin(), text.end(), '\n');
        PROPERTY(static_cast<std::size_t>(lines) <= config::complaints_max);
        PROPERTY(std::all_of(text.begin(), text.end(), [](char c) {
            return static_cast<unsigned char>(c) >= ' ' || c == '\n';
        }));
        return 0;
    }
    PROPERTY(std::all_of(
        loaded->warnings.begin(), loaded->warnings.end(), [](const std::string& warning) {
            return std::all_of(warning.begin(), warning.end(), [](char c) {
                return static_cast<unsigned char>(c) >= ' ';
            });
        }));
    const config::Schema& schema = loaded->schema;
    for (const config::Profile& profile : schema.profiles) {
        PROPERTY(!profile.left_out.contains(core::FilterId::node_resources_fit));
        PROPERTY(std::all_of(
            profile.scores.begin(), profile.scores.end(), [](const core::WeightedScore& score) {
                return score.weight > 0 && score.weight <= core::score_weight_max;
            }));
    }
    PROPERTY(!schema.profiles.empty());
    PROPERTY(schema.gang.max_gang_size > 0);
    PROPERTY(schema.nodes.headroom_cpu_milli >= 0 && schema.nodes.headroom_memory_bytes >= 0);
    PROPERTY(
        schema.leader_election.lease_duration_ms >=
        schema.leader_election.renew_deadline_ms + config::lease_margin_ms_min);
    return 0;
}

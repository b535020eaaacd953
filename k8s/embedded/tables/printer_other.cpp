// Printers of the small groups.
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/tables/printer.hpp"

namespace k8s::embedded {
namespace {

Json::Array lease_cells(const Json& lease, std::int64_t now_ms) {
    return {name_cell(lease), lease.text({"spec", "holderIdentity"}), age_cell(lease, now_ms)};
}

Json::Array priority_class_cells(const Json& priority, std::int64_t now_ms) {
    return {
        name_cell(priority),
        int_at(priority, {"value"}),
        true_at(priority, {"globalDefault"}),
        age_cell(priority, now_ms),
        priority.text({"preemptionPolicy"})};
}

}  // namespace

const Printer* find_other_printer(const Kind& kind) {
    static const Printer leases{{{"Name"}, {"Holder"}, {"Age"}}, lease_cells};
    static const Printer priority_classes{
        {{"Name"},
         {"Value", "integer"},
         {"Global-Default", "boolean"},
         {"Age"},
         {"PreemptionPolicy"}},
        priority_class_cells};
    if (kind.group == "coordination.k8s.io" && kind.plural == "leases") return &leases;
    const bool scheduling = kind.group == "scheduling.k8s.io";
    if (scheduling && kind.plural == "priorityclasses") return &priority_classes;
    return nullptr;
}

}  // namespace k8s::embedded

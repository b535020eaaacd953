#pragma once
// How one kind is printed: its columns and the cells of one object, as the real API server's
// printers do (kubernetes pkg/printers/internalversion).

#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::embedded {

struct Column {
    const char* name;
    const char* type = "string";
    int priority = 0;  ///< 1: only shown by -o wide
};

struct Printer {
    std::vector<Column> columns;
    /// One cell per column; `now_ms` is Unix time.
    Json::Array (*cells)(const Json& object, std::int64_t now_ms) = nullptr;
};

/// The printer of a kind; Name and Age for kinds without one of their own.
const Printer& find_printer(const Kind& kind);

/// Printers by plural name, one function per family of kinds; nullptr when it is not of the family.
const Printer* find_core_printer(std::string_view resource);
const Printer* find_workload_printer(std::string_view resource);
const Printer* find_storage_printer(std::string_view resource);
const Printer* find_other_printer(const Kind& kind);

/// Of these storage classes the one that claims without a class get: the newest of those that are marked
/// as the default. Empty: none.
std::string default_class_of(const Json::Array& classes);

/// metadata.name, and the age of metadata.creationTimestamp: the first and last cells of most
/// kinds.
Json name_cell(const Json& object);
Json age_cell(const Json& object, std::int64_t now_ms);

/// "a=b,c=d" in order of keys, "<none>" for no labels.
std::string format_labels(const Json* labels);

/// A LabelSelector in kubectl's text form; "<none>" when there is none or it selects everything.
std::string format_selector(const Json* selector);

/// The texts of an array of strings, joined by ",".
std::string join_texts(const Json* texts);

/// Ready, Status, Restarts and the wide columns of a pod.
Json::Array pod_cells(const Json& pod, std::int64_t now_ms);

}  // namespace k8s::embedded

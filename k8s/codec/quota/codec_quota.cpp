#include "k8s/codec/quota/codec_quota.hpp"

#include "core/value/quantity.hpp"
#include "k8s/json/json_fields.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace k8s {
namespace {

using rapidjson::Value;
using Amounts = std::map<std::string, std::int64_t>;

/// What is larger than 64 bits is the largest that fits: nobody reaches it.
std::optional<std::int64_t> parse_amount(std::string_view text, bool in_thousandths) {
    const auto exact = in_thousandths ? core::parse_milli(text) : core::parse_whole(text);
    if (exact) return *exact;
    // A quantity that does not fit as it is may fit in a coarser unit: then it is one.
    const bool is_number = !text.empty() && std::any_of(text.begin(), text.end(), [](char c) {
        return c >= '0' && c <= '9';
    });
    const bool is_quantity =
        is_number && std::all_of(text.begin(), text.end(), [](char c) {
            return (c >= '0' && c <= '9') ||
                   std::string_view("+-.eEinumkKMGTP").find(c) != std::string_view::npos;
        });
    if (!is_quantity) return std::nullopt;
    return text.front() == '-' ? std::numeric_limits<std::int64_t>::min()
                               : std::numeric_limits<std::int64_t>::max();
}

/// A map of quantities; in thousandths: all of them, else those of CPU.
Amounts read_amounts(
    Fields& fields, const Value& object, const char* name, bool in_thousandths = false) {
    Amounts amounts;
    const Value* const map = fields.object(object, name);
    if (map == nullptr) return amounts;
    for (const auto& member : map->GetObject()) {
        const std::string resource(view(member.name));
        std::optional<std::int64_t> amount;
        if (member.value.IsString()) {
            amount = parse_amount(
                view(member.value), in_thousandths || core::is_cpu_resource(resource));
        }
        if (!amount) {
            fields.wrong(std::string(name) + "." + resource, "a quantity");
            continue;
        }
        amounts[resource] = *amount;
    }
    return amounts;
}

std::optional<core::ScopeOperator> parse_operator(std::string_view text) {
    if (text == "In") return core::ScopeOperator::in;
    if (text == "NotIn") return core::ScopeOperator::not_in;
    if (text == "Exists") return core::ScopeOperator::exists;
    if (text == "DoesNotExist") return core::ScopeOperator::does_not_exist;
    return std::nullopt;
}

bool is_never_about_executors(std::string_view scope) {
    return scope == "Terminating" || scope == "BestEffort" ||
           scope == "CrossNamespacePodAffinity" || scope == "VolumeAttributesClass";
}

/// False: the quota is about other pods.
bool read_scopes(Fields& fields, const Value& spec, core::ResourceQuota& quota) {
    for (const std::string& scope : fields.texts(spec, "scopes")) {
        if (is_never_about_executors(scope)) return false;
        if (scope == "PriorityClass") quota.classes.push_back({core::ScopeOperator::exists, {}});
    }
    const Value* const selector = fields.object(spec, "scopeSelector");
    if (selector == nullptr) return true;
    for (const Value& term : fields.objects(*selector, "matchExpressions")) {
        const std::string scope = fields.text(term, "scopeName");
        if (is_never_about_executors(scope)) return false;
        if (scope != "PriorityClass") continue;
        const auto op = parse_operator(fields.text(term, "operator"));
        if (!op) {
            fields.wrong("operator of a scope", "In, NotIn, Exists or DoesNotExist");
            continue;
        }
        quota.classes.push_back({*op, fields.texts(term, "values")});
    }
    return true;
}

std::optional<core::ResourceQuota> read_quota(Fields& fields, const Value& object) {
    core::ResourceQuota quota;
    const Value* const metadata = fields.object(object, "metadata");
    quota.name = metadata == nullptr ? std::string() : fields.text(*metadata, "name");
    Amounts hard;
    Amounts used;
    if (const Value* const spec = fields.object(object, "spec")) {
        hard = read_amounts(fields, *spec, "hard");
        if (!read_scopes(fields, *spec, quota)) return std::nullopt;
    }
    if (const Value* const status = fields.object(object, "status")) {
        for (const auto& [resource, amount] : read_amounts(fields, *status, "hard")) {
            hard[resource] = amount;
        }
        used = read_amounts(fields, *status, "used");
    }
    for (const auto& [resource, amount] : hard) {
        quota.amounts.push_back({resource, amount, used[resource]});
    }
    return quota;
}

/// Their maps, as the field that each fills.
struct Maps {
    Amounts min;
    Amounts max;
    Amounts limit;
    Amounts request;
    Amounts ratio;
};

std::optional<std::int64_t> find_amount(const Amounts& amounts, const std::string& resource) {
    const auto found = amounts.find(resource);
    return found == amounts.end() ? std::nullopt : std::optional(found->second);
}

/// SetDefaults_LimitRangeItem: the largest is the default limit, and that the default request, or
/// the least.
void complete(core::LimitBounds& bounds) {
    if (bounds.is_pod) {
        bounds.default_limit.reset();
        bounds.default_request.reset();
        return;
    }
    if (!bounds.default_limit) bounds.default_limit = bounds.max;
    if (!bounds.default_request) bounds.default_request = bounds.default_limit;
    if (!bounds.default_request) bounds.default_request = bounds.min;
}

void read_item(
    Fields& fields,
    const Value& item,
    const std::string& range,
    std::vector<core::LimitBounds>& into) {
    const std::string type = fields.text(item, "type");
    if (type != "Container" && type != "Pod") return;
    const Maps maps{
        read_amounts(fields, item, "min"),
        read_amounts(fields, item, "max"),
        read_amounts(fields, item, "default"),
        read_amounts(fields, item, "defaultRequest"),
        read_amounts(fields, item, "maxLimitRequestRatio", true)};
    Amounts resources;
    for (const Amounts* map : {&maps.min, &maps.max, &maps.limit, &maps.request, &maps.ratio}) {
        resources.insert(map->begin(), map->end());
    }
    for (const auto& [resource, amount] : resources) {
        core::LimitBounds bounds;
        bounds.range = range;
        bounds.is_pod = type == "Pod";
        bounds.resource = resource;
        bounds.min = find_amount(maps.min, resource);
        bounds.max = find_amount(maps.max, resource);
        bounds.default_limit = find_amount(maps.limit, resource);
        bounds.default_request = find_amount(maps.request, resource);
        bounds.ratio_milli = find_amount(maps.ratio, resource);
        complete(bounds);
        into.push_back(std::move(bounds));
    }
}

core::Result<core::Done> parse_list(
    std::string& json, rapidjson::Document& into, const char* what) {
    auto parsed = parse_in_place(json, into);
    if (parsed && !into.IsObject()) return core::Error{std::string(what) + ": expected a list"};
    return parsed;
}

/// One that makes no sense is named.
core::Result<core::Done> check(const Fields& fields, const char* kind, const std::string& name) {
    if (fields.problem().empty()) return core::Done{};
    return core::Error{std::string(kind) + " " + name + ": " + fields.problem()};
}

}  // namespace

core::Result<std::vector<core::ResourceQuota>> decode_resource_quotas(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_list(json, document, "ResourceQuotas"); !parsed) {
        return parsed.error();
    }
    Fields fields;
    std::vector<core::ResourceQuota> quotas;
    for (const Value& object : fields.objects(document, "items")) {
        auto quota = read_quota(fields, object);
        const std::string name = quota ? quota->name : std::string();
        if (auto fine = check(fields, "ResourceQuota", name); !fine) return fine.error();
        if (quota) quotas.push_back(*std::move(quota));
    }
    if (auto fine = check(fields, "ResourceQuotas", ""); !fine) return fine.error();
    std::sort(quotas.begin(), quotas.end(), [](const auto& a, const auto& b) {
        return a.name < b.name;
    });
    return quotas;
}

core::Result<std::vector<core::LimitBounds>> decode_limit_ranges(std::string json) {
    rapidjson::Document document;
    if (auto parsed = parse_list(json, document, "LimitRanges"); !parsed) return parsed.error();
    Fields fields;
    std::vector<core::LimitBounds> bounds;
    for (const Value& object : fields.objects(document, "items")) {
        const Value* const metadata = fields.object(object, "metadata");
        const std::string name =
            metadata == nullptr ? std::string() : fields.text(*metadata, "name");
        const Value* const spec = fields.object(object, "spec");
        if (spec != nullptr) {
            for (const Value& item : fields.objects(*spec, "limits")) {
                read_item(fields, item, name, bounds);
            }
        }
        if (auto fine = check(fields, "LimitRange", name); !fine) return fine.error();
    }
    if (auto fine = check(fields, "LimitRanges", ""); !fine) return fine.error();
    std::stable_sort(bounds.begin(), bounds.end(), [](const auto& a, const auto& b) {
        return a.range < b.range;
    });
    return bounds;
}

}  // namespace k8s

#include "k8s/codec/queue/read_amounts.hpp"

#include "core/value/quantity.hpp"

#include <algorithm>
#include <string>

namespace k8s {
namespace {

/// Whole numbers need no quotes in these objects.
std::string quantity_text(const rapidjson::Value& value) {
    if (value.IsString()) return std::string(view(value));
    return value.IsInt64() ? std::to_string(value.GetInt64()) : std::string();
}

}  // namespace

std::vector<core::ExtendedResource> read_amounts(
    Fields& fields, const rapidjson::Value& object, const char* name) {
    std::vector<core::ExtendedResource> amounts;
    const rapidjson::Value* const map = fields.object(object, name);
    if (map == nullptr) return amounts;
    for (const auto& member : map->GetObject()) {
        const std::string resource(view(member.name));
        const std::string text = quantity_text(member.value);
        const auto amount = resource == "cpu" ? core::parse_milli(text) : core::parse_whole(text);
        if (!amount || *amount < 0) {
            fields.wrong(std::string(name) + "." + resource, "a quantity that is not negative");
            continue;
        }
        amounts.push_back({resource, *amount});
    }
    std::sort(amounts.begin(), amounts.end());
    return amounts;
}

}  // namespace k8s

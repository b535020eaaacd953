#include "k8s/embedded/schema/schema_types.hpp"

#include "k8s/embedded/schema/schema_data.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace k8s::embedded {

namespace {

constexpr std::string_view end_of_name = " =";

SchemaType read_type(std::string_view line) {
    SchemaType type;
    auto at = std::min(line.find(' '), line.size());
    const auto title = line.substr(0, at);
    type.name = title.substr(0, title.find_first_of(end_of_name));
    if (type.name.size() < title.size()) {
        type.kind = title.substr(type.name.size() + 1);
    }
    while (at < line.size()) {
        const auto begin = at + 1;
        at = std::min(line.find(' ', begin), line.size());
        const auto word = line.substr(begin, at - begin);
        const auto colon = word.find(':');
        type.fields.push_back({word.substr(0, colon), word.substr(colon + 1)});
    }
    std::sort(
        type.fields.begin(),
        type.fields.end(),
        [](const SchemaField& left, const SchemaField& right) { return left.name < right.name; });
    return type;
}

std::vector<SchemaType> read_types() {
    std::vector<SchemaType> types;
    for (const auto line : schema_lines()) types.push_back(read_type(line));
    return types;
}

std::map<std::string_view, std::size_t> number_kinds() {
    std::map<std::string_view, std::size_t> numbers;
    const auto types = schema_types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        if (!types[i].kind.empty()) numbers.emplace(types[i].kind, i);
    }
    return numbers;
}

}  // namespace

const SchemaField* SchemaType::find(std::string_view field) const {
    const auto found = std::lower_bound(
        fields.begin(), fields.end(), field, [](const SchemaField& one, std::string_view key) {
            return one.name < key;
        });
    return found != fields.end() && found->name == field ? &*found : nullptr;
}

std::span<const SchemaType> schema_types() {
    static const auto types = read_types();
    return types;
}

std::optional<std::size_t> find_schema(const Kind& kind) {
    static const auto numbers = number_kinds();
    const std::string name = std::string(kind.group) + "/" + std::string(kind.version) + "/" +
                             std::string(kind.kind);
    const auto found = numbers.find(name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace k8s::embedded

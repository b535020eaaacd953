#include "k8s/embedded/store/json_value.hpp"

#include "k8s/json/json.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace k8s::embedded {

namespace {

constexpr std::size_t text_bytes_max = 64U << 20U;
constexpr std::size_t depth_max = 200;
constexpr std::size_t few_members = 16;

constinit const std::string no_text;
constinit const Json::Array no_items;
constinit const Json::Object no_members;

/// A duplicate key keeps its first place and its last value. Big objects are indexed, or a body of
/// many thousand keys would cost the square of that.
void drop_duplicates(Json::Object& members) {
    Json::Object kept;
    if (members.size() <= few_members) {
        for (auto& member : members) {
            auto same = std::find_if(kept.begin(), kept.end(), [&](const Json::Member& other) {
                return other.first == member.first;
            });
            if (same == kept.end()) {
                kept.push_back(std::move(member));
            } else {
                same->second = std::move(member.second);
            }
        }
    } else {
        std::unordered_map<std::string, std::size_t> places;
        kept.reserve(members.size());
        for (auto& member : members) {
            const auto [place, is_new] = places.try_emplace(member.first, kept.size());
            if (is_new) {
                kept.push_back(std::move(member));
            } else {
                kept[place->second].second = std::move(member.second);
            }
        }
    }
    members = std::move(kept);
}

/// Builds the tree from the reader's events; the names are RapidJSON's.
class TreeBuilder {
public:
    bool Null() { return put(Json()); }                                                // NOLINT
    bool Bool(bool value) { return put(Json(value)); }                                 // NOLINT
    bool Int(int value) { return put(Json(static_cast<std::int64_t>(value))); }        // NOLINT
    bool Uint(unsigned value) { return put(Json(static_cast<std::int64_t>(value))); }  // NOLINT
    bool Int64(std::int64_t value) { return put(Json(value)); }                        // NOLINT
    bool Uint64(std::uint64_t value) {                                                 // NOLINT
        if (value <= static_cast<std::uint64_t>(INT64_MAX)) {
            return put(Json(static_cast<std::int64_t>(value)));
        }
        return put(Json(static_cast<double>(value)));
    }
    bool Double(double value) { return put(Json(value)); }                    // NOLINT
    bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }  // NOLINT
    bool String(const char* text, rapidjson::SizeType length, bool) {         // NOLINT
        return put(Json(std::string(text, length)));
    }
    bool StartObject() {  // NOLINT
        frames_.push_back(Frame{Json(Json::Object()), std::string()});
        return frames_.size() <= depth_max;
    }
    bool Key(const char* text, rapidjson::SizeType length, bool) {  // NOLINT
        frames_.back().key.assign(text, length);
        return true;
    }
    bool EndObject(rapidjson::SizeType) {  // NOLINT
        drop_duplicates(frames_.back().value.members());
        return close();
    }
    bool StartArray() {  // NOLINT
        frames_.push_back(Frame{Json(Json::Array()), std::string()});
        return frames_.size() <= depth_max;
    }
    bool EndArray(rapidjson::SizeType) { return close(); }  // NOLINT

    Json take() { return std::move(root_); }

private:
    struct Frame {
        Json value;
        std::string key;
    };

    bool close() {
        Json done = std::move(frames_.back().value);
        frames_.pop_back();
        return put(std::move(done));
    }
    bool put(Json value) {
        if (frames_.empty()) {
            root_ = std::move(value);
        } else if (frames_.back().value.is_array()) {
            frames_.back().value.items().push_back(std::move(value));
        } else {
            frames_.back().value.members().emplace_back(
                std::move(frames_.back().key), std::move(value));
        }
        return true;
    }

    std::vector<Frame> frames_;
    Json root_;
};

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void write_text(Writer& writer, const std::string& text) {
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void write(Writer& writer, const Json& value) {
    if (value.is_object()) {
        writer.StartObject();
        for (const auto& [key, member] : value.members()) {
            writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
            write(writer, member);
        }
        writer.EndObject();
    } else if (value.is_array()) {
        writer.StartArray();
        for (const auto& item : value.items()) {
            write(writer, item);
        }
        writer.EndArray();
    } else if (value.is_string()) {
        write_text(writer, value.as_string());
    } else if (value.is_bool()) {
        writer.Bool(value.as_bool());
    } else if (value.is_int()) {
        writer.Int64(value.as_int());
    } else if (value.is_null()) {
        writer.Null();
    } else {
        writer.Double(value.as_double());
    }
}

}  // namespace

core::Result<Json> Json::parse(std::string_view text) {
    if (text.size() > text_bytes_max) {
        return core::Error{"JSON text is too long"};
    }
    rapidjson::MemoryStream stream(text.data(), text.size());
    rapidjson::Reader reader;
    TreeBuilder builder;
    constexpr unsigned flags =
        rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
    const auto outcome = reader.Parse<flags>(stream, builder);
    if (outcome.IsError()) {
        return core::Error{
            std::string(rapidjson::GetParseError_En(outcome.Code())) + " (at byte " +
            std::to_string(outcome.Offset()) + ")"};
    }
    return builder.take();
}

std::string Json::dump() const {
    rapidjson::StringBuffer buffer;
    Writer writer(buffer);
    write(writer, *this);
    return {buffer.GetString(), buffer.GetSize()};
}

bool Json::as_bool(bool fallback) const {
    const auto* value = std::get_if<bool>(&value_);
    return value == nullptr ? fallback : *value;
}

std::int64_t Json::as_int(std::int64_t fallback) const {
    const auto* value = std::get_if<std::int64_t>(&value_);
    return value == nullptr ? fallback : *value;
}

double Json::as_double(double fallback) const {
    if (is_int()) {
        return static_cast<double>(as_int());
    }
    const auto* value = std::get_if<double>(&value_);
    return value == nullptr ? fallback : *value;
}

const std::string& Json::as_string() const {
    const auto* value = std::get_if<std::string>(&value_);
    return value == nullptr ? no_text : *value;
}

const Json::Array& Json::items() const {
    const auto* value = std::get_if<Array>(&value_);
    return value == nullptr ? no_items : *value;
}

Json::Array& Json::items() {
    if (!is_array()) {
        value_ = Array();
    }
    return std::get<Array>(value_);
}

const Json::Object& Json::members() const {
    const auto* value = std::get_if<Object>(&value_);
    return value == nullptr ? no_members : *value;
}

Json::Object& Json::members() {
    if (!is_object()) {
        value_ = Object();
    }
    return std::get<Object>(value_);
}

const Json* Json::find(std::string_view key) const {
    for (const auto& member : members()) {
        if (member.first == key) {
            return &member.second;
        }
    }
    return nullptr;
}

Json* Json::find(std::string_view key) {
    return const_cast<Json*>(std::as_const(*this).find(key));  // NOLINT: one search for both
}

const Json* Json::find_path(std::initializer_list<std::string_view> path) const {
    const Json* here = this;
    for (const auto key : path) {
        here = here->find(key);
        if (here == nullptr) {
            return nullptr;
        }
    }
    return here;
}

const std::string& Json::text(std::initializer_list<std::string_view> path) const {
    const Json* value = find_path(path);
    return value == nullptr ? no_text : value->as_string();
}

Json& Json::set(std::string_view key, Json value) {
    (*this)[key] = std::move(value);
    return *this;
}

Json& Json::operator[](std::string_view key) {
    if (Json* known = find(key)) {
        return *known;
    }
    return members().emplace_back(std::string(key), Json()).second;
}

bool Json::erase(std::string_view key) {
    if (!is_object()) {
        return false;
    }
    auto& all = members();
    const auto gone =
        std::find_if(all.begin(), all.end(), [&](const Member& one) { return one.first == key; });
    if (gone == all.end()) {
        return false;
    }
    all.erase(gone);
    return true;
}

}  // namespace k8s::embedded

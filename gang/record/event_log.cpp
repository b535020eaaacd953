#include "gang/record/event_log.hpp"

#include "gang/record/event_fields.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <charconv>
#include <type_traits>
#include <utility>

// GCC 12 takes a member of a variant that is not the active one for read when it inlines the destructor.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace gang {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
using rapidjson::Value;

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsOptional<core::Boxed<T>> : std::true_type {};
template <typename T>
struct IsShared : std::false_type {};
template <typename T>
struct IsShared<core::Shared<T>> : std::true_type {};
template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
concept IsOneOfKinds = requires { typename T::Kinds; };
using Entry = std::pair<std::string, std::string>;

template <typename T>
void write_fields(Writer& out, const T& value);

template <typename T>
void write(Writer& out, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        out.Bool(value);
    } else if constexpr (std::is_enum_v<T>) {
        out.Int64(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_unsigned_v<T>) {
        out.Uint64(value);
    } else if constexpr (std::is_integral_v<T>) {
        out.Int64(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
        out.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
    } else if constexpr (std::is_same_v<T, Entry>) {
        out.StartArray();
        write(out, value.first);
        write(out, value.second);
        out.EndArray();
    } else if constexpr (IsOptional<T>::value) {
        write(out, *value);  // an empty one is the default, which is left out
    } else if constexpr (IsShared<T>::value) {
        write(out, *value);
    } else if constexpr (IsVector<T>::value) {
        out.StartArray();
        for (const auto& element : value) {
            write(out, element);
        }
        out.EndArray();
    } else if constexpr (IsOneOfKinds<T>) {
        out.StartObject();
        std::visit(
            [&out](const auto& chosen) {
                out.Key(fields::Of<std::decay_t<decltype(chosen)>>::name);
                write(out, chosen);
            },
            value);
        out.EndObject();
    } else {
        out.StartObject();
        write_fields(out, value);
        out.EndObject();
    }
}

template <typename T>
void write_fields(Writer& out, const T& value) {
    fields::check_rows(value);
    [[maybe_unused]] static const T unset{};
    std::apply(
        [&](const auto&... field) {
            [[maybe_unused]] const auto one = [&](const auto& each) {
                if (!(value.*each.member == unset.*each.member)) {
                    out.Key(each.name);
                    write(out, value.*each.member);
                }
            };
            (one(field), ...);
        },
        fields::Of<T>::list);
}

/// Reads into a value; the first thing that is wrong stays in `problem`.
class Reader {
public:
    template <typename T>
    bool read(const Value& from, T& into) {
        if constexpr (std::is_same_v<T, bool>) {
            return from.IsBool() && (into = from.GetBool(), true);
        } else if constexpr (std::is_enum_v<T>) {
            constexpr auto most = static_cast<unsigned>(fields::last<T>);
            static_assert(most > 0, "an enumeration has no `last` in gang/record/event_fields.hpp");
            return from.IsUint() && from.GetUint() <= most &&
                   (into = static_cast<T>(from.GetUint()), true);
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            return from.IsUint64() && (into = from.GetUint64(), true);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
            return from.IsInt64() && (into = from.GetInt64(), true);
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
            return from.IsInt() && (into = from.GetInt(), true);
        } else if constexpr (std::is_same_v<T, std::int16_t>) {
            std::int32_t whole = 0;
            return read(from, whole) && std::in_range<T>(whole) &&
                   (into = static_cast<T>(whole), true);
        } else if constexpr (std::is_same_v<T, std::string>) {
            return from.IsString() && (into.assign(from.GetString(), from.GetStringLength()), true);
        } else if constexpr (std::is_same_v<T, Entry>) {
            return from.IsArray() && from.Size() == 2 && read(from[0], into.first) &&
                   read(from[1], into.second);
        } else if constexpr (IsOptional<T>::value) {
            return read(from, into.emplace());
        } else if constexpr (IsShared<T>::value) {
            return read(from, into.edit());
        } else if constexpr (IsVector<T>::value) {
            return read_list(from, into);
        } else if constexpr (IsOneOfKinds<T>) {
            return read_variant(from, into, std::make_index_sequence<std::variant_size_v<typename T::Kinds>>());
        } else {
            return read_fields(from, into);
        }
    }

    /// A member that must be there.
    template <typename T>
    bool read_member(const Value& object, const char* name, T& into) {
        const auto found = object.FindMember(name);
        return (found != object.MemberEnd() && read(found->value, into)) || fail(name);
    }

    const std::string& problem() const { return problem_; }

private:
    bool fail(std::string_view member) {
        problem_ = problem_.empty() ? member : fmt::format("{}.{}", member, problem_);
        return false;
    }

    template <typename T>
    bool read_list(const Value& from, std::vector<T>& into) {
        if (!from.IsArray()) {
            return false;
        }
        into.resize(from.Size());
        for (rapidjson::SizeType i = 0; i < from.Size(); ++i) {
            if (!read(from[i], into[i])) {
                return fail(std::to_string(i));
            }
        }
        return true;
    }

    template <typename T>
    bool read_fields(const Value& from, T& into) {
        if (!from.IsObject()) {
            return false;
        }
        for (const auto& member : from.GetObject()) {
            const std::string_view name(member.name.GetString(), member.name.GetStringLength());
            bool known = false;
            bool right = true;
            [[maybe_unused]] const auto one = [&](const auto& field) {
                if (!known && name == field.name) {
                    known = true;
                    right = read(member.value, into.*field.member);
                }
            };
            std::apply([&one](const auto&... field) { (one(field), ...); }, fields::Of<T>::list);
            if (!known || !right) {
                return fail(name);
            }
        }
        return true;
    }

    template <typename T, std::size_t... Index>
    bool read_variant(const Value& from, T& into, std::index_sequence<Index...>) {
        if (!from.IsObject() || from.MemberCount() != 1) {
            return false;
        }
        const auto member = from.MemberBegin();
        const std::string_view name(member->name.GetString(), member->name.GetStringLength());
        bool known = false;
        bool right = false;
        const auto one = [&](auto index) {
            if (name == fields::Of<std::variant_alternative_t<index, typename T::Kinds>>::name) {
                known = true;
                right = read(member->value, into.template emplace<index>());
            }
        };
        (one(std::integral_constant<std::size_t, Index>()), ...);
        return (known && right) || fail(name);
    }

    std::string problem_;
};

template <typename Fill>
std::string line(const Fill& fill) {
    rapidjson::StringBuffer buffer;
    Writer out(buffer);
    out.StartObject();
    fill(out);
    out.EndObject();
    std::string text(buffer.GetString(), buffer.GetSize());
    text += '\n';
    return text;
}

void write_hex(Writer& out, const char* name, std::uint64_t value) {
    out.Key(name);
    write(out, fmt::format("{:016x}", value));
}

std::optional<std::uint64_t> find_hex(const Value& object, const char* name) {
    const auto found = object.FindMember(name);
    if (found == object.MemberEnd() || !found->value.IsString()) {
        return std::nullopt;
    }
    const char* text = found->value.GetString();
    const char* end = text + found->value.GetStringLength();
    std::uint64_t value = 0;
    const auto read = std::from_chars(text, end, value, 16);
    return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

core::Error wrong(const std::string& what) {
    return core::Error{fmt::format("\"{}\" is not what a recording has there", what)};
}

core::Result<LogLine> read_header(const Value& from) {
    LogHeader header;
    Reader reader;
    if (!reader.read_member(from, "recording", header.format)) {
        return wrong(reader.problem());
    }
    // Of another format nothing else is known, not even what its configuration looks like.
    if (header.format != recording_format) {
        return core::Error{fmt::format(
            "the recording has format {}, this program reads format {}",
            header.format,
            recording_format)};
    }
    if (!reader.read_member(from, "program", header.program)) {
        return wrong(reader.problem());
    }
    if (!reader.read_member(from, "config", header.config)) {
        return core::Error{fmt::format(
            "recorded by version \"{}\", and \"{}\" is unknown here",
            header.program,
            reader.problem())};
    }
    return LogLine{std::move(header)};
}

core::Result<LogLine> read_event(const Value& from) {
    StampedEvent event;
    Reader reader;
    if (!reader.read_member(from, "seq", event.sequence) ||
        !reader.read_member(from, "ms", event.time_ms) ||
        !reader.read_member(from, "event", event.event)) {
        return wrong(reader.problem());
    }
    return LogLine{std::move(event)};
}

core::Result<LogLine> read_check(const Value& from) {
    LogCheck check;
    Reader reader;
    if (!reader.read_member(from, "after", check.after) ||
        (from.HasMember("decisions") && !reader.read_member(from, "decisions", check.decisions))) {
        return wrong(reader.problem());
    }
    const auto digest = find_hex(from, "digest");
    check.state = find_hex(from, "state");
    if (!digest || from.HasMember("state") != check.state.has_value()) {
        return wrong(digest ? "state" : "digest");
    }
    check.digest = *digest;
    return LogLine{std::move(check)};
}

core::Result<LogLine> read_end(const Value& from) {
    LogEnd end;
    Reader reader;
    if (!reader.read_member(from, "end", end.why)) {
        return wrong(reader.problem());
    }
    return LogLine{std::move(end)};
}

}  // namespace

std::string encode(const LogHeader& header) {
    LogHeader kept = header;
    kept.config.kubeconfig.clear();
    return line([&kept](Writer& out) {
        out.Key("recording");
        write(out, kept.format);
        out.Key("program");
        write(out, kept.program);
        out.Key("config");
        write(out, kept.config);
    });
}

std::string encode(const StampedEvent& event) {
    // What a user wrote about volumes may name anything, and no decision reads it.
    if (const auto* found = std::get_if<SparkConfFound>(&event.event);
        found != nullptr && found->conf.executor_template &&
        !found->conf.executor_template->volumes_json.empty()) {
        StampedEvent kept = event;
        std::get<SparkConfFound>(kept.event).conf.executor_template->volumes_json.clear();
        return encode(kept);
    }
    return line([&event](Writer& out) {
        out.Key("seq");
        write(out, event.sequence);
        out.Key("ms");
        write(out, event.time_ms);
        out.Key("event");
        write(out, event.event);
    });
}

std::string encode(const LogCheck& check) {
    return line([&check](Writer& out) {
        out.Key("after");
        write(out, check.after);
        if (!check.decisions.empty()) {
            out.Key("decisions");
            write(out, check.decisions);
        }
        write_hex(out, "digest", check.digest);
        if (check.state) {
            write_hex(out, "state", *check.state);
        }
    });
}

std::string encode(const LogEnd& end) {
    return line([&end](Writer& out) {
        out.Key("end");
        write(out, end.why);
    });
}

std::string encode(const Decision& decision) {
    rapidjson::StringBuffer buffer;
    Writer out(buffer);
    write(out, decision);
    return {buffer.GetString(), buffer.GetSize()};
}

core::Result<LogLine> decode_line(std::string_view text) {
    if (text.size() > recording_line_bytes_max) {
        return core::Error{fmt::format("longer than {} bytes", recording_line_bytes_max)};
    }
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
    if (document.HasParseError()) {
        return core::Error{fmt::format(
            "not JSON at byte {}: {}",
            document.GetErrorOffset(),
            rapidjson::GetParseError_En(document.GetParseError()))};
    }
    if (!document.IsObject() || document.MemberCount() == 0) {
        return core::Error{"not an object"};
    }
    const Value& first = document.MemberBegin()->name;
    const std::string_view kind(first.GetString(), first.GetStringLength());
    if (kind == "seq") {
        return read_event(document);
    }
    if (kind == "after") {
        return read_check(document);
    }
    if (kind == "end") {
        return read_end(document);
    }
    return kind == "recording" ? read_header(document) : core::Error{"not a line of a recording"};
}

// FNV-1a over the text that the recording shows: fast, and good enough against chance.
std::uint64_t add_to_digest(std::uint64_t digest, std::uint64_t sequence, Decisions decisions) {
    const auto add = [&digest](std::string_view text) {
        for (const char byte : text) {
            digest = (digest ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
        }
    };
    digest = digest == 0 ? 0xcbf29ce484222325 : digest;
    for (const Decision& decision : decisions) {
        add(fmt::format("{}", sequence));
        add(encode(decision));
    }
    return digest;
}

}  // namespace gang

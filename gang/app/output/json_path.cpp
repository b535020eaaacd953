#include "gang/app/output/json_path.hpp"

#include "config/printable.hpp"
#include "k8s/json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace gang::app {
namespace {

using rapidjson::Value;

constexpr std::size_t depth_max = 16;  ///< of range in range
constexpr std::size_t text_max = 64 * 1024;

struct Step {
    enum class Kind : std::uint8_t { member, index, all };
    Kind kind = Kind::member;
    std::string name;
    std::int64_t index = 0;  ///< negative: from the end
};

struct Path {
    bool is_from_root = false;
    std::vector<Step> steps;
};

}  // namespace

struct JsonPath::Part {
    enum class Kind : std::uint8_t { text, path, range };
    Kind kind = Kind::text;
    std::string text;
    Path path;
    std::vector<Part> body;  ///< of a range
};

namespace {

using Part = JsonPath::Part;
using Parts = std::vector<Part>;

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    core::Result<Parts> parse() {
        auto parts = parts_until_end(0);
        if (problem_.empty() && at_ < text_.size()) {
            complain("{end} without {range}");
        }
        return problem_.empty() ? core::Result<Parts>(std::move(parts))
                                : core::Result<Parts>(core::Error{problem_});
    }

private:
    void complain(const std::string& what) {
        if (problem_.empty()) {
            problem_ = fmt::format(
                "jsonpath, character {}: {}", at_ + 1, config::printable(what, 200));
        }
    }

    bool is_at(std::string_view word) const { return text_.substr(at_).starts_with(word); }

    bool take(std::string_view word) {
        if (!is_at(word)) {
            return false;
        }
        at_ += word.size();
        return true;
    }

    void skip_spaces() {
        while (at_ < text_.size() && text_[at_] == ' ') {
            ++at_;
        }
    }

    /// Of the whole template, or up to the {end} of a range, which is not taken.
    Parts parts_until_end(std::size_t depth) {
        Parts parts;
        while (problem_.empty() && at_ < text_.size() && !is_at("{end}")) {
            if (text_[at_] == '{') {
                parts.push_back(braces(depth));
            } else {
                const std::size_t next = std::min(text_.find('{', at_), text_.size());
                parts.push_back({Part::Kind::text, std::string(text_.substr(at_, next - at_)), {}, {}});
                at_ = next;
            }
        }
        return parts;
    }

    Part braces(std::size_t depth) {
        ++at_;
        skip_spaces();
        Part part;
        if (is_at("\"") || is_at("'")) {
            part.text = quoted();
        } else if (take("range ")) {
            return range(depth);
        } else {
            part.kind = Part::Kind::path;
            part.path = path();
        }
        close();
        return part;
    }

    Part range(std::size_t depth) {
        Part part;
        part.kind = Part::Kind::range;
        skip_spaces();
        part.path = path();
        close();
        if (depth >= depth_max) {
            complain("too many ranges within each other");
        }
        if (problem_.empty()) {
            part.body = parts_until_end(depth + 1);
        }
        if (problem_.empty() && !take("{end}")) {
            complain("{range} without {end}");
        }
        return part;
    }

    void close() {
        skip_spaces();
        if (problem_.empty() && !take("}")) {
            complain(at_ < text_.size() ? "expected }" : "a { without }");
        }
    }

    /// "..." or '...', with \n, \t, \\ and the quote escaped.
    std::string quoted() {
        const char quote = text_[at_++];
        std::string out;
        while (at_ < text_.size() && text_[at_] != quote) {
            char next = text_[at_++];
            if (next == '\\' && at_ < text_.size()) {
                next = text_[at_++];
                next = next == 'n' ? '\n' : next == 't' ? '\t' : next;
            }
            out += next;
        }
        if (at_ == text_.size()) {
            complain("a quote without its end");
        } else {
            ++at_;
        }
        return out;
    }

    Path path() {
        Path out;
        out.is_from_root = take("$");
        const bool begins = out.is_from_root || take("@") || is_at(".") || is_at("[");
        if (!begins) {
            complain("expected a path such as .gangs[*].driver, a text in quotes, range or end");
        }
        if (take("..")) {
            complain("recursive descent (..) is not supported");
        }
        while (problem_.empty() && (is_at(".") || is_at("["))) {
            if (take(".")) {
                dotted(out);
            } else {
                ++at_;
                out.steps.push_back(brackets());
            }
        }
        return out;
    }

    /// "{.}" is the same as "{@}".
    void dotted(Path& out) {
        if (is_at(".")) {
            return complain("recursive descent (..) is not supported");
        }
        if (take("*")) {
            out.steps.push_back({Step::Kind::all, {}, 0});
            return;
        }
        std::string name;
        while (at_ < text_.size() && std::string_view(".[]{} ()\"'").find(text_[at_]) == std::string_view::npos) {
            const bool is_escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
            at_ += is_escaped ? 1 : 0;
            name += text_[at_++];
        }
        if (!name.empty()) {
            out.steps.push_back({Step::Kind::member, std::move(name), 0});
        } else if (!out.steps.empty() || !(is_at("}") || is_at(" "))) {
            complain("expected a name behind the dot");
        }
    }

    Step brackets() {
        Step step;
        if (is_at("\"") || is_at("'")) {
            step.name = quoted();
        } else if (take("*")) {
            step.kind = Step::Kind::all;
        } else if (is_at("?")) {
            complain("filters [?(...)] are not supported");
        } else {
            step.kind = Step::Kind::index;
            const char* const begin = text_.data() + at_;
            const auto [end, ec] = std::from_chars(begin, text_.data() + text_.size(), step.index);
            if (ec != std::errc{}) {
                complain("expected a number, * or a name in quotes between [ and ]");
            }
            at_ += static_cast<std::size_t>(end - begin);
        }
        if (is_at(":") || is_at(",")) {
            complain("slices and unions in [ ] are not supported");
        } else if (!take("]")) {
            complain("expected ]");
        }
        return step;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string problem_;
};

void follow(const Value& value, const Step& step, std::vector<const Value*>& found) {
    if (step.kind == Step::Kind::member && value.IsObject()) {
        const auto it = value.FindMember(step.name);
        if (it != value.MemberEnd()) {
            found.push_back(&it->value);
        }
    } else if (step.kind == Step::Kind::all && value.IsObject()) {
        for (const auto& member : value.GetObject()) {
            found.push_back(&member.value);
        }
    } else if (step.kind == Step::Kind::all && value.IsArray()) {
        for (const Value& item : value.GetArray()) {
            found.push_back(&item);
        }
    } else if (step.kind == Step::Kind::index && value.IsArray()) {
        const auto size = static_cast<std::int64_t>(value.Size());
        const std::int64_t index = step.index < 0 ? size + step.index : step.index;
        if (index >= 0 && index < size) {
            found.push_back(&value[static_cast<rapidjson::SizeType>(index)]);
        }
    }
}

std::vector<const Value*> find_all(const Path& path, const Value& root, const Value& current) {
    std::vector<const Value*> found = {path.is_from_root ? &root : &current};
    for (const Step& step : path.steps) {
        std::vector<const Value*> next;
        for (const Value* value : found) {
            follow(*value, step, next);
        }
        found = std::move(next);
    }
    return found;
}

std::string text_of(const Value& value) {
    if (value.IsString()) {
        return config::printable({value.GetString(), value.GetStringLength()}, text_max);
    }
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    value.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

void apply_parts(const Parts& parts, const Value& root, const Value& current, std::string& out) {
    for (const Part& part : parts) {
        if (part.kind == Part::Kind::text) {
            out += part.text;
            continue;
        }
        bool is_first = true;
        for (const Value* value : find_all(part.path, root, current)) {
            if (part.kind == Part::Kind::range) {
                apply_parts(part.body, root, *value, out);
            } else {
                out += (is_first ? "" : " ") + text_of(*value);
            }
            is_first = false;
        }
    }
}

}  // namespace

JsonPath::JsonPath(std::vector<Part> parts)
    : parts_(std::make_shared<const std::vector<Part>>(std::move(parts))) {}

core::Result<JsonPath> JsonPath::parse(std::string_view text) {
    auto parts = Parser(text).parse();
    if (!parts) {
        return parts.error();
    }
    return JsonPath(*std::move(parts));
}

core::Result<std::string> JsonPath::apply(std::string_view json) const {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    if (document.HasParseError()) {
        return core::Error{"the answer is not JSON"};
    }
    std::string out;
    apply_parts(*parts_, document, document, out);
    return out;
}

}  // namespace gang::app

#include "config/loader.hpp"

#include "config/fields.hpp"
#include "config/kube/reader.hpp"
#include "config/tree.hpp"
#include "config/validate.hpp"
#include "config/words/complaints.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace config {
namespace {

Mark to_mark(const YAML::Mark& mark) {
    return mark.is_null() ? Mark{} : Mark{mark.line + 1, mark.column + 1};
}

/// Builds the tree from yaml-cpp's events. Its Node would be shorter, but has already resolved
/// aliases and forgotten them.
class Builder : public YAML::EventHandler {
public:
    ParsedTree result;
    int documents = 0;

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents == 2) {
            complain(mark, "found a second document, expected one");
        }
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        check(mark, "", anchor);
        add(Tree{Tree::Kind::null, to_mark(mark), {}, {}, {}});
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        complain(
            mark, "found an alias (*), expected a value: aliases are not supported, write it out");
        add(Tree{Tree::Kind::null, to_mark(mark), {}, {}, {}});
    }
    void OnScalar(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        const std::string& value) override {
        check(mark, tag, anchor);
        const auto kind = tag == "?" ? Tree::Kind::plain : Tree::Kind::quoted;
        add(Tree{kind, to_mark(mark), value, {}, {}});
    }
    void OnSequenceStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value) override {
        check(mark, tag, anchor);
        open_.push_back(Tree{Tree::Kind::sequence, to_mark(mark), {}, {}, {}});
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value) override {
        check(mark, tag, anchor);
        open_.push_back(Tree{Tree::Kind::map, to_mark(mark), {}, {}, {}});
    }
    void OnMapEnd() override { close(); }

private:
    void complain(const YAML::Mark& mark, std::string text) {
        result.complaints.push_back(Complaint{to_mark(mark), std::move(text)});
    }

    void check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        if (anchor != YAML::NullAnchor) {
            complain(mark, "found an anchor (&), expected plain values: anchors are not supported");
        }
        if (!tag.empty() && tag != "?" && tag != "!") {
            complain(mark, "found a tag (!), expected plain values: tags are not supported");
        }
    }

    void close() {
        Tree done = std::move(open_.back());
        open_.pop_back();
        add(std::move(done));
    }

    /// Keys and values of a map arrive alternately; a key waits on the stack beside its map.
    void add(Tree tree) {
        if (open_.empty()) {
            if (documents == 1) {
                result.tree = std::move(tree);
            }
            return;
        }
        Tree& parent = open_.back();
        if (parent.kind == Tree::Kind::sequence) {
            parent.items.push_back(std::move(tree));
            return;
        }
        if (!parent.items.empty()) {
            parent.pairs.push_back({std::move(parent.items.back()), std::move(tree)});
            parent.items.clear();
            return;
        }
        parent.items.push_back(std::move(tree));
    }

    std::vector<Tree> open_;
};

/// yaml-cpp takes byte 0x04 for the end of the text and reads past other control characters.
std::vector<Complaint> check_bytes(std::string_view text) {
    Mark mark;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F) {
            return {Complaint{
                mark, fmt::format("found control character 0x{:02x}, expected YAML text", byte)}};
        }
        mark = c == '\n' ? Mark{mark.line + 1, 1} : Mark{mark.line, mark.column + 1};
    }
    return {};
}

}  // namespace

ParsedTree parse_tree(std::string_view text) {
    Builder builder;
    builder.result.complaints = check_bytes(text);
    if (!builder.result.complaints.empty()) {
        return std::move(builder.result);
    }
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        while (builder.documents < 2 && parser.HandleNextDocument(builder)) {
        }
    } catch (const YAML::Exception& e) {
        builder.result.complaints.push_back(
            Complaint{to_mark(e.mark), fmt::format("found no valid YAML: {}", e.msg)});
    }
    return std::move(builder.result);
}

core::Result<Loaded> load(
    std::string_view text, std::string_view file_name, const ReadFile& read_file) {
    if (text.size() > file_bytes_max) {
        return report(
            {Complaint{
                {},
                fmt::format("found {} bytes, expected at most {}", text.size(), file_bytes_max)}},
            file_name);
    }
    ParsedTree parsed = parse_tree(text);
    if (!parsed.complaints.empty()) {
        return report(std::move(parsed.complaints), file_name);
    }
    if (kube::is_kube_file(parsed.tree)) {
        return kube::read(parsed.tree, file_name, read_file);
    }
    Reading reading = read_fields(parsed.tree);
    if (reading.complaints.empty()) {
        reading.complaints = validate(reading);
    }
    if (!reading.complaints.empty()) {
        return report(std::move(reading.complaints), file_name);
    }
    return Loaded{
        std::move(reading.schema), std::nullopt, lines(std::move(reading.warnings), file_name)};
}

}  // namespace config

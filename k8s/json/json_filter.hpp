#pragma once
// JSON text becomes a small document that holds only what a shape names (json_shape.hpp). A walker
// (json_walker.hpp) goes through the text from quote to quote and from bracket to bracket (json_scan.hpp) and knows
// where in the document it is; what nobody reads it passes over. What it keeps becomes a tape, the
// tape on demand a RapidJSON document: an object that is known already is never made. Tape,
// document and memory are used again and again: after warm-up a parse allocates nothing. Included
// only from .cpp files, because RapidJSON's types are in it.
//
// What the decoders find in the small document is what they would find in the whole one, member by
// member: the first of equal members, the kind of a value of a wrong kind, an element that is no
// object. What is JSON and what is not is decided as RapidJSON's reader does, which is asked for
// every scalar that is not plain; only objects and arrays that are passed over are not checked
// beyond their brackets and strings.

#include "core/base/result.hpp"
#include "k8s/json/json.hpp"
#include "k8s/json/json_shape.hpp"
#include "k8s/json/scan/json_tape.hpp"
#include "k8s/protocol/fingerprint.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace k8s {

struct JsonMemory;
class JsonWalker;

class FilteredParser {
public:
    explicit FilteredParser(std::uint64_t fingerprint_seed);
    ~FilteredParser();
    FilteredParser(const FilteredParser&) = delete;
    FilteredParser& operator=(const FilteredParser&) = delete;

    /// The whole text. Tape and document are valid until the next parse and as long as the text.
    core::Result<core::Done> parse(std::string_view text, const Shape& shape);

    /// The text up to the root's late array, if all other members of the shape come before it; else
    /// the whole text. What comes behind is then for for_each_object() to judge.
    core::Result<core::Done> parse_head(std::string_view text, const Shape& shape);

    /// Visits the elements of the late array that the last parse of this text has found, each as if
    /// it had been parsed by itself; an error of the visitor ends it. Elements that are no objects
    /// are an error, and so is whatever stands between them, and behind the array.
    core::Result<core::Done> for_each_object(
        std::string_view text,
        const Shape& element,
        const std::function<core::Result<core::Done>()>& visit);

    const JsonTape& tape() const;
    /// Made of the tape at the first call.
    const rapidjson::Value& root() const;
    /// Of the contents, apart from their resourceVersion; never 0. Equal ones mean that the texts
    /// of all that is kept are equal.
    std::uint64_t fingerprint() const;
    /// Of the contents: all keys and values.
    std::size_t annotation_bytes() const { return annotation_bytes_; }
    /// The root's late array; nullptr if it has none.
    const char* late() const { return root_late_; }

private:
    void clear();
    void take_root(const JsonWalker& walker);

    std::unique_ptr<JsonMemory> memory_;
    protocol::Fingerprint fingerprint_;
    std::size_t annotation_bytes_ = 0;
    const char* root_late_ = nullptr;
    const Shape* head_ = nullptr;  ///< what parse_head() has not read to the end
};

}  // namespace k8s

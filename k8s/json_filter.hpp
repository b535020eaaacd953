#pragma once
// JSON text becomes a small document that holds only what a shape names (json_shape.hpp). A walker
// goes through the text from quote to quote and from bracket to bracket (json_scan.hpp) and knows
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

#include "core/result.hpp"
#include "k8s/json.hpp"
#include "k8s/json_shape.hpp"
#include "k8s/json_tape.hpp"
#include "k8s/protocol/fingerprint.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace k8s {

class FilteredParser {
public:
    explicit FilteredParser(std::uint64_t fingerprint_seed);
    ~FilteredParser();
    FilteredParser(const FilteredParser&) = delete;
    FilteredParser& operator=(const FilteredParser&) = delete;

    /// The whole text. Tape and document are valid until the next parse and as long as the text.
    core::Result<core::Done> parse(std::string_view text, const Shape& shape);

    /// Visits the elements of the array that begins at `at` in the text, each as if it had been
    /// parsed by itself; an error of the visitor ends it. Elements that are no objects are an
    /// error, and so is whatever stands between them.
    core::Result<core::Done> for_each_object(
        std::string_view text,
        const char* at,
        const Shape& shape,
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
    class Walker;
    struct Memory;

    void clear();

    std::unique_ptr<Memory> memory_;
    protocol::Fingerprint fingerprint_;
    std::size_t annotation_bytes_ = 0;
    const char* root_late_ = nullptr;
};

}  // namespace k8s

#pragma once
// Which parts of a JSON document a codec reads, as a tree of tables: what the tables do not name is
// passed over while parsing, see json_filter.hpp.

#include "k8s/json/json_word.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace k8s {

enum class ShapeKind : std::uint8_t {
    scalar,  ///< an object or array in its place stays one, but an empty one
    object,  ///< the named members
    map,     ///< all members, each a scalar
    array    ///< all elements
};

/// What the filter does besides keeping.
enum class ShapeRole : std::uint8_t {
    none,
    contents,          ///< an object: what its metadata, spec and status hold is its fingerprint
    metadata,          ///< the contents' metadata
    version,           ///< no part of the fingerprint
    node_annotations,  ///< a map: only those that say something of cards
    annotations,       ///< a map: only those that scheduling reads, and the bytes of all
    condition,         ///< an object whose `type` comes first and is not `detail` is left out
    spec,              ///< owns `volumes` below
    container,         ///< owns `mounts` below
    arguments,  ///< an array: empty unless its first text is `detail`, which makes its container
                ///< a driver
    late        ///< an array: left out, and read at the end of its owner if that has a driver, or
                ///< if one word of `detail` is somewhere in it
};

struct Shape;

struct ShapeMember {
    constexpr ShapeMember(std::string_view its_name, const Shape* its_shape)
        : name(its_name), shape(its_shape), word(first_word(its_name)) {}

    std::string_view name;
    const Shape* shape;
    std::uint64_t word;  ///< most names differ in length or here
};

/// One bit for a name that begins and is as long like this.
constexpr std::uint64_t name_bit(std::uint64_t word, std::size_t size) {
    return std::uint64_t{1} << ((word + size) * 0x9e3779b97f4a7c15 >> 58);
}

struct Shape {
    /// The member of this name, whose beginning is `word`; nullptr: nobody reads it.
    const ShapeMember* find(std::uint64_t word, std::string_view name) const {
        if ((names & name_bit(word, name.size())) == 0) return nullptr;
        for (const ShapeMember& member : members) {
            if (member.word == word && member.name == name) return &member;
        }
        return nullptr;
    }

    ShapeKind kind = ShapeKind::scalar;
    std::span<const ShapeMember> members = {};  ///< of an object
    const Shape* element = nullptr;             ///< of an array
    ShapeRole role = ShapeRole::none;
    std::string_view detail = {};
    std::uint64_t names = 0;  ///< the bits of all members' names: most others' are not among them
};

/// One line of a watch of pods or of nodes, whose object may also be a Status.
extern const Shape pod_line_shape;
extern const Shape node_line_shape;
/// The same with the images of containers, and those that nodes have.
extern const Shape pod_line_shape_with_images;
extern const Shape node_line_shape_with_images;
/// The object alone.
extern const Shape pod_shape;
extern const Shape node_shape;
extern const Shape pod_shape_with_images;
extern const Shape node_shape_with_images;
/// A list without its items.
extern const Shape list_head_shape;

}  // namespace k8s

#include "k8s/embedded/protobuf/protobuf_reader.hpp"

namespace k8s::embedded {
namespace {

constexpr std::uint64_t wire_varint = 0;
constexpr std::uint64_t wire_fixed64 = 1;
constexpr std::uint64_t wire_bytes = 2;
constexpr std::uint64_t wire_fixed32 = 5;
constexpr std::uint64_t field_number_max = (1U << 29U) - 1;

}  // namespace

std::optional<std::uint64_t> ProtobufReader::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (rest_.empty()) return std::nullopt;
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) return value;
    }
    return std::nullopt;
}

std::optional<std::string_view> ProtobufReader::take(std::uint64_t length) {
    if (length > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
}

std::optional<ProtobufField> ProtobufReader::fail() {
    is_good_ = false;
    rest_ = {};
    return std::nullopt;
}

std::optional<ProtobufField> ProtobufReader::next() {
    while (!rest_.empty()) {
        const auto tag = varint();
        if (!tag || (*tag >> 3U) == 0 || (*tag >> 3U) > field_number_max) return fail();
        const std::uint64_t wire = *tag & 7U;
        ProtobufField field;
        field.number = static_cast<std::uint32_t>(*tag >> 3U);
        if (wire == wire_fixed64 || wire == wire_fixed32) {
            if (!take(wire == wire_fixed64 ? 8 : 4)) return fail();
            continue;
        }
        if (wire != wire_varint && wire != wire_bytes) return fail();
        const auto number = varint();
        if (!number) return fail();
        if (wire == wire_varint) {
            field.value = *number;
            return field;
        }
        const auto bytes = take(*number);
        if (!bytes) return fail();
        field.is_bytes = true;
        field.bytes = *bytes;
        return field;
    }
    return std::nullopt;
}

}  // namespace k8s::embedded

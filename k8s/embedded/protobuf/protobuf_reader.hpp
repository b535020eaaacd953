#pragma once
// The wire format of protobuf, read field by field from bytes that nobody trusts. Knows no message.

#include <cstdint>
#include <optional>
#include <string_view>

namespace k8s::embedded {

struct ProtobufField {
    std::uint32_t number = 0;
    bool is_bytes = false;    ///< length-delimited: text, bytes or a message
    std::uint64_t value = 0;  ///< of a varint
    std::string_view bytes;   ///< points into the input
};

/// Takes a message apart. Varints and length-delimited fields are delivered, fixed-size ones are
/// passed over; anything else, or a length past the end, makes the reader bad.
class ProtobufReader {
public:
    explicit ProtobufReader(std::string_view message) : rest_(message) {}

    /// The next field; nothing at the end or at the first fault.
    std::optional<ProtobufField> next();
    /// False once a fault was met: then nothing of the message may be used.
    bool is_good() const { return is_good_; }

private:
    std::optional<std::uint64_t> varint();
    std::optional<std::string_view> take(std::uint64_t length);
    std::optional<ProtobufField> fail();

    std::string_view rest_;
    bool is_good_ = true;
};

}  // namespace k8s::embedded

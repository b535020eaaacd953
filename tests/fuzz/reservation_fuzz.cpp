// The reservation's annotation, as a tenant might write it.
#include "gang/reservation/format/reservation.hpp"
#include "gang/reservation/format/reservation_text.hpp"
#include "tests/fuzz/invariants.hpp"

namespace {
constexpr std::int64_t slots_max = 1'000;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = fuzz::text(data, size);
    PROPERTY(gang::text::unescape(gang::text::escape(text)) == text);
    const auto read = gang::decode_reservation(text, slots_max);
    if (!read) {
        return 0;
    }
    PROPERTY(gang::slot_count(*read) >= 0 && gang::slot_count(*read) <= slots_max);
    PROPERTY(read->shapes.size() <= gang::reservation_shapes_max);
    for (const gang::ReservedShape& shape : read->shapes) {
        fuzz::check(shape.requests);
        fuzz::check(shape.constraints);
        for (const auto& [node, count] : shape.slots_per_node) {
            PROPERTY(!node.empty() && count > 0);
        }
    }
    const std::string written = gang::encode_reservation(*read);
    if (written.size() <= gang::reservation_bytes_max) {
        PROPERTY(gang::decode_reservation(written, slots_max) == read);
    }
    return 0;
}

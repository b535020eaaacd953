// Quantities and durations: read exactly, and what is printed is read back as the same number.
#include "config/duration.hpp"
#include "core/value/quantity.hpp"
#include "gang/declare/declaration_values.hpp"
#include "tests/fuzz/property.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = fuzz::text(data, size);
    const auto milli = core::parse_milli(text);
    const auto whole = core::parse_whole(text);
    if (milli && whole && *milli >= 0) {
        // Both round up.
        PROPERTY(*whole == *milli / 1000 + (*milli % 1000 != 0 ? 1 : 0));
    }
    if (milli) {
        PROPERTY(whole.has_value());  // a smaller number of the same text
    }
    if (milli && *milli >= 0) {
        PROPERTY(core::parse_milli(core::format_cpu(*milli)) == milli);
    }
    if (whole && *whole >= 0) {
        PROPERTY(core::parse_whole(core::format_bytes(*whole)) == whole);
    }
    if (const auto duration = config::parse_duration(text)) {
        PROPERTY(*duration >= 0);
        PROPERTY(config::parse_duration(config::format_duration(*duration)) == duration);
    }
    for (const auto& amount :
         {gang::read_cpu(text), gang::read_count(text), gang::read_devices(text)}) {
        PROPERTY(!amount || *amount >= 0);
    }
    return 0;
}

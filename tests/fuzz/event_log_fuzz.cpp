// Lines of a recording: what is read is written as a line that is read as the same.
#include "tests/fuzz/invariants.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto encoded = [](const gang::LogLine& line) {
        return std::visit([](const auto& one) { return encode(one); }, line);
    };
    const std::string text = fuzz::text(data, size);
    const auto line = gang::decode_line(text);
    if (!line) {
        PROPERTY(!line.error().message.empty());
        return 0;
    }
    const std::string written = encoded(*line);
    PROPERTY(written.find('\n') == written.size() - 1);
    const auto again = gang::decode_line({written.data(), written.size() - 1});
    PROPERTY(again.has_value());
    PROPERTY(encoded(*again) == written);
    return 0;
}

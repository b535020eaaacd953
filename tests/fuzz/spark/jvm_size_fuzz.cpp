// JVM sizes as Spark reads them, and memory as declarations have it.
#include "gang/declare/declaration_values.hpp"
#include "gang/declare/spark/memory.hpp"
#include "tests/fuzz/property.hpp"

namespace spark = gang::spark;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = fuzz::text(data, size);
    for (const auto unit : {spark::SizeUnit::bytes, spark::SizeUnit::mebibytes}) {
        for (const auto suffixes : {spark::Suffixes::jvm, spark::Suffixes::jvm_and_binary}) {
            const auto bytes = spark::parse_bytes(text, unit, suffixes);
            const auto mebibytes = spark::parse_mebibytes(text, unit, suffixes);
            if (bytes) {
                PROPERTY(*bytes >= 0);
                PROPERTY(mebibytes.has_value() && *mebibytes == *bytes / (1024 * 1024));
                // A number of bytes says the same with its suffix.
                PROPERTY(spark::parse_bytes(std::to_string(*bytes) + "b", unit) == bytes);
            }
            PROPERTY(!mebibytes || *mebibytes >= 0);
        }
        const auto narrow = spark::parse_bytes(text, unit, spark::Suffixes::jvm);
        if (narrow) {  // what was readable stays readable, and the same
            PROPERTY(spark::parse_bytes(text, unit, spark::Suffixes::jvm_and_binary) == narrow);
        }
    }
    return 0;
}

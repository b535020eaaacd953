// A Spark conf: Java properties are read, what is kept is bounded, survives being written and read
// again, and a gang is derived from it or a problem said.
#include "gang/declare/spark/executor/derive.hpp"
#include "gang/declare/spark/memory.hpp"
#include "gang/declare/spark/properties.hpp"
#include "tests/fuzz/invariants.hpp"

#include <cctype>
#include <optional>

namespace {

namespace spark = gang::spark;

constexpr std::int64_t gang_size_max = 50;

/// As java.util.Properties.store() could write it: everything but letters and digits escaped.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && std::isalnum(byte) == 0) {
            char unit[8];
            std::snprintf(unit, sizeof unit, "\\u%04x", byte);
            out += unit;
        } else {
            out += c;
        }
    }
    return out;
}

void check(const spark::ExecutorShape& shape) {
    fuzz::check(shape.requests);
    fuzz::check(shape.constraints);
    fuzz::check(shape.labels);
    PROPERTY(shape.count >= 0 && shape.count <= gang_size_max);
    PROPERTY(shape.max >= shape.count || shape.max == spark::unlimited_executors);
}

void derive(const core::StringMap& properties, const std::string& version) {
    core::Pod driver;
    driver.namespace_name = "etl";
    driver.name = "pi-driver";
    driver.scheduler_name = "gang-scheduler";
    driver.requests = {1'000, 1'476'395'008, 0, {}};
    spark::Limits limits;
    limits.max_gang_size = gang_size_max;
    limits.scheduler_names = {"gang-scheduler"};
    const auto derived =
        spark::derive(spark::Conf{properties, version, std::nullopt}, driver, limits);
    for (const spark::ExecutorShape& shape : derived.executors) {
        check(shape);
    }
    PROPERTY(derived.problem.empty() || derived.executors.empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text = fuzz::text(data, size);
    const auto properties = spark::read_properties(text);
    if (!properties) {
        return 0;
    }
    fuzz::check(*properties);
    PROPERTY(properties->size() <= spark::relevant_keys_max);
    std::string written = "spark.app.name=again\n";
    for (const auto& [key, value] : *properties) {
        PROPERTY(spark::is_relevant(key));
        PROPERTY(value.size() <= spark::relevant_value_max);
        written += escaped(key) + "=" + escaped(value) + "\n";
    }
    PROPERTY(spark::read_properties(written) == properties);
    for (const char* version : {"", "3.3.4", "3.5.9", "4.0.0", "4.2.0"}) {
        derive(*properties, version);
    }
    return 0;
}

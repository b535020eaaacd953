#include "core/value/device/gpu_wish.hpp"

#include "core/value/exclusive.hpp"
#include "core/value/pod.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace core;

namespace {

GpuWish wish_read(const StringMap& labels, const StringMap& annotations = {}) {
    const auto wish = read_gpu_wish(labels, annotations);
    REQUIRE(wish);
    REQUIRE(wish->has_value());
    return **wish;
}

std::string wish_error(const StringMap& labels, const StringMap& annotations = {}) {
    const auto wish = read_gpu_wish(labels, annotations);
    return wish ? "" : wish.error().message;
}

}  // namespace

TEST_CASE("a wish is read from labels, and from annotations before them") {
    CHECK_FALSE(read_gpu_wish({{"app", "x"}}, {})->has_value());
    CHECK(wish_read({{"genius/gpu-number", "2"}}) == GpuWish{2, 0, 0, ""});
    const StringMap all = {
        {"genius/gpu-memory-each", "4000"},
        {"genius/gpu-memory-total", "11000"},
        {"genius/gpu-model", "1070.Ti"},
        {"genius/gpu-number", "2"}};
    CHECK(wish_read(all) == GpuWish{2, 4000, 11000, "1070.Ti"});
    CHECK(wish_read(all, {{"genius/gpu-model", "GTX 1070 Ti"}}).model == "GTX 1070 Ti");
    // GEN-6: one card where only something else is said.
    CHECK(wish_read({{"genius/gpu-memory-each", "4000"}}) == GpuWish{1, 4000, 0, ""});
    CHECK(is_kept_annotation("genius/gpu-model"));
}

TEST_CASE("E-15: a value that is none is an error that names the key") {
    CHECK(
        wish_error({{"genius/gpu-number", "two"}}) ==
        "genius/gpu-number is \"two\", expected a whole number from 1 to 64");
    CHECK(wish_error({{"genius/gpu-number", "0"}}) != "");
    CHECK(wish_error({{"genius/gpu-number", "65"}}) != "");
    CHECK(wish_error({{"genius/gpu-number", "1.5"}}) != "");
    CHECK(wish_error({{"genius/gpu-memory-each", "4Gi"}}).starts_with("genius/gpu-memory-each"));
    CHECK(wish_error({{"genius/gpu-memory-total", "99999999999999999999"}})
              .starts_with("genius/gpu-memory-total"));
    CHECK(
        wish_error({}, {{"genius/gpu-model", "["}}) ==
        "genius/gpu-model is \"[\": the expression has a [ without ]");
    CHECK(read_gpu_priority({{"genius/priority", "high"}}, {})
              .error()
              .message.starts_with("genius/priority is \"high\""));
    CHECK(*read_gpu_priority({{"genius/priority", "-3"}}, {}) == -3);
    CHECK(*read_gpu_priority({}, {}) == 0);
}

TEST_CASE("GEN-4: a model has other names") {
    const ModelAliases aliases = {{"rtx", "NVIDIA GeForce RTX 3090 (24GB)"}};
    const auto wish = read_gpu_wish({{"genius/gpu-model", "RTX"}}, {}, aliases);
    REQUIRE(wish);
    CHECK((**wish).model == "NVIDIA GeForce RTX 3090 \\(24GB\\)");
    CHECK((**read_gpu_wish({{"genius/gpu-model", "rt"}}, {}, aliases)).model == "rt");
}

TEST_CASE("a wish is a resource of its own, and can be read from its name") {
    const GpuWish wish{2, 4000, 11000, "GTX 1070, or [x]=%"};
    CHECK(
        name_of(wish) ==
        "genius/gpu-number=2,gpu-memory-each=4000,gpu-memory-total=11000,"
        "gpu-model=GTX%201070%2c%20or%20%5bx%5d%3d%25");
    CHECK(wish_of(name_of(wish)) == wish);
    CHECK(wish_of(name_of({1, 0, 0, ""})) == GpuWish{1, 0, 0, ""});
    CHECK_FALSE(wish_of("genius/gpu-number"));
    CHECK_FALSE(wish_of("genius/gpu-number=0"));
    CHECK_FALSE(wish_of("genius/gpu-number=1,gpu-memory-each=-1"));
    CHECK_FALSE(wish_of("genius/gpu-number=1,other=2"));
    CHECK_FALSE(wish_of("genius/gpu-number=1,gpu-model=%5b"));
    CHECK_FALSE(wish_of("genius/gpu-number=1,gpu-model=%"));
    Resources resources{1000, 0, 0, {{"nvidia.com/gpu", 1}}};
    add_gpu_wish(resources, {1, 4000, 0, ""});
    CHECK(*find_gpu_wish(resources) == "genius/gpu-number=1,gpu-memory-each=4000");
    CHECK(describe(resources) == "1 cpu, 1 x 1 GPU with 4000 MiB free, 1 nvidia.com/gpu");
    const Resources plain{1000, 0, 0, {{"nvidia.com/gpu", 1}}};
    CHECK(without_gpu_wishes(resources) == plain);
    CHECK(without_exclusives(resources) == plain);
}

TEST_CASE("other names of a model count whatever the case of their letters, and of letters alone") {
    const auto is_named = [](const std::string& name, const std::string& said) {
        const auto wish = read_gpu_wish({{"genius/gpu-model", said}}, {}, {{name, "T4"}});
        return wish && wish->has_value() && (*wish)->model == "T4";
    };
    CHECK(is_named("AMZ", "amz"));
    CHECK(is_named("amz", "AMZ"));
    CHECK_FALSE(is_named("a@", "a`"));
    CHECK_FALSE(is_named("a`", "a@"));
    CHECK_FALSE(is_named("a-", "a\r"));
    CHECK_FALSE(is_named("a_", "a\x7f"));
}

TEST_CASE("the model in a wish's name: letters and digits as they are, anything else by its number") {
    GpuWish wish;
    wish.model = "azAZ09.-_";
    CHECK(name_of(wish) == "genius/gpu-number=1,gpu-model=azAZ09.-_");
    wish.model = "`{@[/: %";
    CHECK(name_of(wish) == "genius/gpu-number=1,gpu-model=%60%7b%40%5b%2f%3a%20%25");
    const std::string front = "genius/gpu-number=1,gpu-model=";
    CHECK(wish_of(front + "a%2db")->model == "a-b");
    for (const char* wrong : {"a%", "a%2", "a%g1", "a%1g", "a%gg", "%2db%"}) {
        CAPTURE(wrong);
        CHECK_FALSE(wish_of(front + wrong));
    }
}

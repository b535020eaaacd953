// Who is admitted, and what is too large to be written.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using tests::World;

namespace {

/// A gang whose executors want a node with a label of so many bytes.
struct LongLabel {
    explicit LongLabel(std::size_t bytes) {
        const std::string value(bytes, 'a');
        core::Node node = tests::node("n1", 4, 64 * 1024);
        node.labels = {{"pool", value}};
        world.add_node(node);
        driver = world.submit(
            tests::driver("a"), tests::with(tests::conf(2), "spark.kubernetes.executor.node.selector.pool", value));
        world.settle();
    }
    std::size_t written() const {
        const auto& annotations = world.pod(driver).annotations;
        const std::string* text = core::find_value(annotations, gang::reservation_annotation);
        return text == nullptr ? 0 : text->size();
    }
    World world;
    std::string driver;
};

}  // namespace

TEST_CASE("admitter: a gang whose reservation is too long to be written is not admitted, and told so") {
    const std::size_t beside = LongLabel(1'000).written() - 1'000;
    REQUIRE(beside < 1'000);
    const std::size_t longest = gang::reservation_bytes_max - beside;
    LongLabel fits(longest);
    CHECK(fits.world.is_bound(fits.driver));
    CHECK(fits.written() == gang::reservation_bytes_max);

    LongLabel one(longest + 1);
    World& world = one.world;
    CHECK_FALSE(world.is_bound(one.driver));
    CHECK(world.binds.empty());
    CHECK(world.condition(one.driver) ==
          "0/1 nodes looked at: the gang's reservation would be an annotation of 131073 bytes, more than the "
          "131072 allowed [Misconfigured]");
    // It holds nothing, and up nobody.
    const auto next = world.submit("b", 3, 100);
    world.settle();
    CHECK(world.is_bound(next));
    CHECK_FALSE(world.is_bound(one.driver));
    world.remove_application(one.driver);
    world.remove_application(next);
    world.settle();
    world.check_accounts();
    CHECK(world.violations.empty());
}

#include "core/cluster/node/extended_names.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("extended names: a number is the name's until the last one gives it back") {
    core::ExtendedNames names;
    const core::ExtendedId id = names.hold("nvidia.com/gpu");
    CHECK(names.hold("nvidia.com/gpu") == id);
    const std::uint32_t meaning = names.meaning(id);
    names.release(id);
    CHECK(names.find("nvidia.com/gpu") == id);
    CHECK(names.name(id) == "nvidia.com/gpu");
    CHECK(names.meaning(id) == meaning);
    names.release(id);
    CHECK_FALSE(names.find("nvidia.com/gpu").has_value());
    CHECK(names.hold("amd.com/gpu") == id);
    CHECK(names.meaning(id) > meaning);
    CHECK_FALSE(names.is_offered_by_all(id));
}

TEST_CASE("extended names: what pods have to themselves is offered by every node") {
    core::ExtendedNames names;
    const core::ExtendedId id = names.hold("host port 80");
    CHECK(names.offered_by_all(id) == core::exclusive_all);
    names.release(id);
    CHECK(names.references() == 0);
}

TEST_CASE("extended names: a card holds its resource, and knows whose it is") {
    core::ExtendedNames names;
    const core::ExtendedId card = names.hold(core::card_name("alnair/vgpu-memory", "U1"));
    const core::ExtendedId unknown =
        names.hold(core::card_name("alnair/vgpu-memory", core::unknown_card));
    const auto resource = names.find("alnair/vgpu-memory");
    REQUIRE(resource.has_value());
    CHECK(names.has_cards());
    CHECK(names.resource_of_card(card) == *resource);
    CHECK(names.is_card_of(card, *resource));
    CHECK_FALSE(names.is_card_of(*resource, *resource));
    CHECK_FALSE(names.is_unknown_card(card));
    CHECK(names.is_unknown_card(unknown));
    CHECK(names.held_by_names() == 2);
    CHECK(names.references() == 4);
    names.release(card);
    names.release(unknown);
    CHECK(names.references() == 0);
    CHECK_FALSE(names.has_cards());
    CHECK_FALSE(names.find("alnair/vgpu-memory").has_value());
}

TEST_CASE("extended names: an ask of cards holds what its cards are counted by") {
    core::ExtendedNames names;
    core::CardAsk ask = *core::card_ask_of("volcano.sh/vgpu=2,units=3000,cores=50");
    const core::ExtendedId id = names.hold(core::name_of(ask));
    const core::CountedCardAsk* const asked = names.find_card_ask(id);
    REQUIRE(asked != nullptr);
    CHECK(asked->ask == ask);
    CHECK(names.name(asked->units) == ask.family->counted_units);
    CHECK(names.is_offered_by_all(id));
    CHECK(names.held_by_names() + 1 == names.references());
    names.release(id);
    CHECK(names.find_card_ask(id) == nullptr);
    CHECK(names.references() == 0);
}

TEST_CASE("extended names: a volume holds its driver's limit") {
    core::ExtendedNames names;
    core::DriverVolume volume;
    volume.driver = "ebs.csi.aws.com";
    volume.handle = "vol-1";
    const core::ExtendedId id = names.hold(core::volume_name(volume));
    const core::ExtendedId limit = names.limit_of_volume(id);
    REQUIRE_FALSE(limit.is_none());
    CHECK(names.has_volumes());
    CHECK(core::is_volume_limit(names.name(limit)));
    CHECK(names.is_offered_by_all(limit));
    names.release(id);
    CHECK_FALSE(names.has_volumes());
    CHECK(names.references() == 0);
}

TEST_CASE("extended names: a wish of GPUs is told once, to whoever wants to know") {
    core::ExtendedNames names;
    core::GpuWish wish;
    wish.number = 1;
    const std::string name = core::name_of(wish);
    const core::ExtendedId before = names.hold(name);
    CHECK_FALSE(names.has_new_gpu_wishes());
    names.release(before);
    names.note_gpu_wishes();
    names.hold(name);
    names.hold(name);
    CHECK(names.take_new_gpu_wishes() == std::vector<std::string>{name});
    CHECK_FALSE(names.has_new_gpu_wishes());
}

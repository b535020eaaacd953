// What `top` shows, without a terminal.
#include "gang/app/output/full_screen.hpp"
#include "gang/app/output/top_picture.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <tuple>

using namespace gang::app;
using gang::GangState;
using gang::GangView;
using tests::contains;

namespace {

GangView gang_of(const std::string& name, GangState state, std::int32_t position = 0) {
    GangView view;
    view.namespace_name = "etl";
    view.driver = name;
    view.state = state;
    view.position = position;
    view.executors = 4;
    view.needs = {9'000, 11LL << 30, 0, {}};
    view.waiting_since_ms = 1'000;
    view.code = state == GangState::waiting ? gang::ReasonCode::waiting_for_capacity
                                            : gang::ReasonCode::none;
    return view;
}

TopPicture picture_of(std::size_t waiting, std::size_t running, std::size_t nodes) {
    TopPicture picture;
    picture.now_ms = 61'000;
    picture.gangs.standing.leader = "pod-a";
    for (std::size_t i = 0; i < waiting; ++i) {
        picture.gangs.gangs.push_back(
            gang_of("w" + std::to_string(i), GangState::waiting, static_cast<std::int32_t>(i + 1)));
    }
    for (std::size_t i = 0; i < running; ++i) {
        picture.gangs.gangs.push_back(gang_of("r" + std::to_string(i), GangState::running));
    }
    for (std::size_t i = 0; i < nodes; ++i) {
        gang::NodeLedger node;
        node.name = "n" + std::to_string(i);
        node.allocatable = {8'000, 16LL << 30, 0, {}};
        node.bound = {4'000, 1LL << 30, 0, {}};
        node.held = {2'000, 1LL << 30, 0, {}};
        node.free = {2'000, 14LL << 30, 0, {}};
        picture.ledger.nodes.push_back(node);
    }
    return picture;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) {
        out += line + "\n";
    }
    return out;
}

std::size_t characters(const std::string& line) {
    return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

}  // namespace

TEST_CASE("top: who waits, who runs, the room and the nodes") {
    TopPicture picture = picture_of(2, 1, 3);
    picture.ledger.nodes[1].state = "cordoned";
    const std::string text = joined(top_lines(picture, {}, {0, 0, false}));
    CHECK(contains(text, "pod-a leads, 2 waiting, 1 running, 0 never fit, oldest 60s"));
    CHECK(contains(text, "12 bound, 6 held of 24"));
    CHECK(contains(text, "WAITING (2)"));
    CHECK(contains(text, "etl/w1"));
    CHECK(contains(text, "WaitingForCapacity"));
    CHECK(contains(text, "RUNNING (1)"));
    CHECK(contains(text, "0 of 4 bound"));
    CHECK(contains(text, "NODES (3)"));
    CHECK(contains(text, "\u2586x\u2586"));
    CHECK_FALSE(contains(text, "\x1b"));
    CHECK_FALSE(contains(text, "q quit"));
}

TEST_CASE("top: the picture fits every terminal, and the chosen one is in it") {
    for (const auto& [waiting, running, nodes] :
         {std::tuple(0, 0, 0), std::tuple(300, 200, 5'000), std::tuple(1, 50, 10)}) {
        const TopPicture picture = picture_of(
            static_cast<std::size_t>(waiting),
            static_cast<std::size_t>(running),
            static_cast<std::size_t>(nodes));
        for (const TopSize& size :
             {TopSize{80, 24, false}, TopSize{200, 60, false}, TopSize{20, 10, false}, TopSize{1, 2, false}}) {
            TopChoice choice;
            choice.move(picture, 1);
            choice.move(picture, 250);
            const auto lines = top_lines(picture, choice, size);
            CHECK(lines.size() == size.height);
            for (const std::string& line : lines) {
                CHECK(characters(line) <= size.width);
            }
            const bool is_large = size.height >= 24 && choice.item();
            if (is_large) {
                CHECK_MESSAGE(contains(joined(lines), "> "), waiting << " " << size.height);
            }
        }
    }
}

TEST_CASE("top: the choice goes over all groups and stays with its gang") {
    TopPicture picture = picture_of(2, 1, 2);
    TopChoice choice;
    CHECK_FALSE(choice.item());
    choice.next_group(picture);
    CHECK(choice.item()->name == "etl/w0");
    choice.move(picture, 1);
    CHECK(choice.item()->name == "etl/w1");
    // The one before it has started: it is still the same.
    picture.gangs.gangs[0].state = GangState::running;
    choice.follow(picture);
    CHECK(choice.item()->name == "etl/w1");
    choice.next_group(picture);
    CHECK(choice.item()->name == "etl/w0");
    choice.next_group(picture);
    CHECK(choice.item() == TopItem{TopItem::Kind::node, "n0"});
    choice.move(picture, 100);
    CHECK(choice.item()->name == "n1");
    choice.next_group(picture);
    CHECK(choice.item()->name == "etl/w1");
    // It is gone: the one in its place.
    picture.gangs.gangs.erase(picture.gangs.gangs.begin() + 1);
    choice.follow(picture);
    CHECK(choice.item()->name == "etl/w0");
    choice.follow(picture_of(0, 0, 0));
    CHECK_FALSE(choice.item());
    choice.move(picture_of(0, 0, 0), 1);
    CHECK_FALSE(choice.item());
}

TEST_CASE("top: no name of a tenant draws on the terminal, and our colours end") {
    TopPicture picture = picture_of(1, 0, 1);
    picture.gangs.gangs[0].driver = "a\x1b[2Jb";
    picture.ledger.nodes[0].name = "n\x1b[2J";
    picture.note = "no\x1b[2J";
    TopChoice choice;
    choice.move(picture, 5);
    for (const bool is_coloured : {false, true}) {
        const std::string text = joined(top_lines(picture, choice, {80, 24, is_coloured}));
        CHECK_FALSE(contains(text, "\x1b[2J"));
        CHECK(contains(text, "\x1b") == is_coloured);
        const auto count = [&text](const std::string& part) {
            std::size_t found = 0;
            for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
                ++found;
            }
            return found;
        };
        CHECK(count("\x1b[") == 2 * count("\x1b[0m"));
    }
}

TEST_CASE("top: a text is wrapped and can be moved through") {
    const auto lines = text_lines("etl/a", "first\n" + std::string(25, 'x') + "\nlast\n", 0, {10, 12, false});
    CHECK(lines.size() == 12);
    CHECK(lines[2] == "first");
    CHECK(lines[3] == std::string(10, 'x'));
    CHECK(lines[5] == "xxxxx");
    CHECK(lines[6] == "last");
    CHECK(text_lines("etl/a", "first\nsecond\n", 1, {10, 12, false})[2] == "second");
}

TEST_CASE("full screen: keys one after the other, and sequences that nobody knows") {
    std::string typed = "jk\x1b[B\x1b[A\x1b[5~\t\r\x1b[99zq";
    std::vector<Key> keys;
    while (!typed.empty()) {
        keys.push_back(take_key(typed));
    }
    CHECK(
        keys == std::vector<Key>{
                    Key::down,
                    Key::up,
                    Key::down,
                    Key::up,
                    Key::page_up,
                    Key::next,
                    Key::enter,
                    Key::none,
                    Key::quit});
    for (const auto& [bytes, key] :
         {std::pair("\x1b", Key::back), std::pair("\x03", Key::quit), std::pair("z", Key::none), std::pair("\x1b[", Key::none)}) {
        std::string one = bytes;
        CHECK(take_key(one) == key);
        CHECK(one.empty());
    }
}

#include "gang/app/output/top_picture.hpp"

#include "config/printable.hpp"
#include "core/value/quantity.hpp"
#include "gang/app/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace gang::app {
namespace {

constexpr std::string_view plain;
constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view chosen = "\x1b[7m";
constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view yellow = "\x1b[33m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view grey = "\x1b[2m";
constexpr std::string_view end_of_colour = "\x1b[0m";

struct Piece {
    std::string text;
    std::string_view colour = plain;
};

using Line = std::vector<Piece>;

bool is_first_byte(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// So many characters of it, however many bytes they have.
std::string_view first_characters(std::string_view text, std::size_t count) {
    std::size_t at = 0;
    while (at < text.size()) {
        if (is_first_byte(text[at])) {
            if (count == 0) {
                break;
            }
            --count;
        }
        ++at;
    }
    return text.substr(0, at);
}

std::size_t characters_in(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_first_byte));
}

std::string drawn(const Line& line, const TopSize& size) {
    std::string out;
    std::size_t left = size.width == 0 ? static_cast<std::size_t>(-1) : size.width;
    for (const Piece& piece : line) {
        const std::string_view text = first_characters(piece.text, left);
        left -= characters_in(text);
        const bool is_coloured = size.is_coloured && !piece.colour.empty() && !text.empty();
        out += is_coloured ? piece.colour : plain;
        out += text;
        out += is_coloured ? end_of_colour : plain;
    }
    return out;
}

bool is_waiting(const GangView& gang) {
    return gang.state == GangState::waiting || gang.state == GangState::waiting_for_conf ||
           gang.state == GangState::parked;
}

bool is_running(const GangView& gang) {
    return !is_waiting(gang) && gang.state != GangState::ended;
}

std::string_view colour_of(const GangView& gang) {
    switch (gang.state) {
        case GangState::parked:
        case GangState::degraded:
            return red;
        case GangState::waiting:
        case GangState::waiting_for_conf:
            return yellow;
        case GangState::admitted:
        case GangState::running:
            return green;
        case GangState::ended:
            break;
    }
    return plain;
}

std::string name_of(const GangView& gang) {
    return gang.namespace_name + "/" + gang.driver;
}

std::array<std::vector<const GangView*>, 2> groups_of(const TopPicture& picture) {
    std::array<std::vector<const GangView*>, 2> groups;
    for (const GangView& gang : picture.gangs.gangs) {
        if (is_waiting(gang)) {
            groups[0].push_back(&gang);
        } else if (is_running(gang)) {
            groups[1].push_back(&gang);
        }
    }
    return groups;
}

std::vector<TopItem> items_of(const TopPicture& picture) {
    std::vector<TopItem> items;
    for (const auto& group : groups_of(picture)) {
        for (const GangView* gang : group) {
            items.push_back({TopItem::Kind::gang, name_of(*gang)});
        }
    }
    for (const NodeLedger& node : picture.ledger.nodes) {
        items.push_back({TopItem::Kind::node, node.name});
    }
    return items;
}

// --- the parts of the picture ----------------------------------------------------------------------

struct Use {
    std::int64_t bound = 0;
    std::int64_t held = 0;
    std::int64_t all = 0;
};

/// "CPU     ####//....  41+9 of 60".
template <typename Text>
Line bar(const char* name, const Use& use, std::size_t width, Text text) {
    const std::size_t cells = std::clamp<std::size_t>(width == 0 ? 40 : width / 2, 10, 60);
    const auto part = [&](std::int64_t amount) {
        const std::int64_t of = std::max<std::int64_t>(use.all, 1);
        const std::int64_t share = std::clamp<std::int64_t>(amount, 0, of);
        return static_cast<std::size_t>(
            static_cast<double>(share) / static_cast<double>(of) * static_cast<double>(cells) + 0.5);
    };
    const std::size_t bound = part(use.bound);
    const std::size_t held = std::min(part(use.held), cells - bound);
    return {
        {fmt::format("{:<8}", name), bold},
        {std::string(bound, '#'), green},
        {std::string(held, '/'), yellow},
        {std::string(cells - bound - held, '.'), grey},
        {fmt::format("  {} bound, {} held of {}", text(use.bound), text(use.held), text(use.all))}};
}

std::vector<Line> head(const TopPicture& picture, std::size_t width) {
    std::int64_t never = 0;
    std::int64_t oldest_ms = 0;
    const auto groups = groups_of(picture);
    for (const GangView* gang : groups[0]) {
        const bool is_never = can_never_run(gang->code);
        never += is_never ? 1 : 0;
        const bool is_older = oldest_ms == 0 || gang->waiting_since_ms < oldest_ms;
        oldest_ms = !is_never && gang->waiting_since_ms > 0 && is_older ? gang->waiting_since_ms
                                                                       : oldest_ms;
    }
    const std::string leader = picture.gangs.standing.leader;
    std::vector<Line> lines = {
        {{"gang-scheduler", bold},
         {fmt::format(
             "  {}{} waiting, {} running, {} never fit{}",
             leader.empty() ? "" : config::printable(leader, 80) + " leads, ",
             groups[0].size() - static_cast<std::size_t>(never),
             groups[1].size(),
             never,
             oldest_ms == 0 ? "" : ", oldest " + format_age(picture.now_ms - oldest_ms))}}};
    Use cpu;
    Use memory;
    for (const NodeLedger& node : picture.ledger.nodes) {
        if (node.is_present) {
            cpu.bound += node.bound.cpu_milli;
            cpu.held += node.held.cpu_milli;
            cpu.all += node.allocatable.cpu_milli;
            memory.bound += node.bound.memory_bytes;
            memory.held += node.held.memory_bytes;
            memory.all += node.allocatable.memory_bytes;
        }
    }
    lines.push_back(bar("CPU", cpu, width, core::format_cpu));
    lines.push_back(bar("Memory", memory, width, core::format_bytes_short));
    if (!picture.note.empty()) {
        lines.push_back({{config::printable(picture.note, 300), red}});
    }
    return lines;
}

/// The table of one group. Cells are escaped by format_table.
std::vector<Line> gang_rows(
    const std::vector<const GangView*>& gangs, const TopPicture& picture, const TopChoice& choice) {
    std::vector<std::vector<std::string>> rows;
    for (const GangView* gang : gangs) {
        const bool waits = is_waiting(*gang);
        const std::string executors =
            gang->executors == executors_unknown ? "?" : std::to_string(gang->executors);
        rows.push_back(
            {waits && gang->position > 0 ? std::to_string(gang->position) : waits ? "-" : " ",
             name_of(*gang),
             std::string(to_string(gang->state)),
             waits ? fmt::format("1+{}", executors)
                   : fmt::format("{} of {} bound", gang->slots_bound, executors),
             core::describe(gang->needs),
             gang->waiting_since_ms == 0 ? "-"
                                         : format_age(picture.now_ms - gang->waiting_since_ms),
             gang->code == ReasonCode::none ? "" : std::string(to_string(gang->code))});
    }
    const std::string table = rows.empty() ? std::string() : format_table(rows);
    std::vector<Line> lines;
    std::size_t at = 0;
    for (const GangView* gang : gangs) {
        const std::size_t end = std::min(table.find('\n', at), table.size());
        const bool is_chosen = choice.item() && choice.item()->kind == TopItem::Kind::gang &&
                               choice.item()->name == name_of(*gang);
        lines.push_back(
            {{is_chosen ? "> " : "  "},
             {table.substr(at, end - at), is_chosen ? chosen : colour_of(*gang)}});
        at = end + 1;
    }
    return lines;
}

/// How full a node is, by what it has least of.
std::size_t fullness(const NodeLedger& node, std::size_t steps) {
    const auto share = [](std::int64_t used, std::int64_t all) {
        return all <= 0 ? 0.0
                        : std::clamp(static_cast<double>(used) / static_cast<double>(all), 0.0, 1.0);
    };
    const double most = std::max(
        share(node.bound.cpu_milli + node.held.cpu_milli, node.allocatable.cpu_milli),
        share(node.bound.memory_bytes + node.held.memory_bytes, node.allocatable.memory_bytes));
    return static_cast<std::size_t>(most * static_cast<double>(steps - 1) + 0.5);
}

Piece block_of(const NodeLedger& node, const TopChoice& choice) {
    static constexpr std::array<std::string_view, 9> blocks = {
        "\u00b7", "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588"};
    const bool is_chosen = choice.item() && choice.item()->kind == TopItem::Kind::node &&
                           choice.item()->name == node.name;
    const bool is_closed = !node.is_present || !node.state.empty();
    const std::string_view block = is_closed ? "x" : blocks[fullness(node, blocks.size())];
    return {std::string(block), is_chosen ? chosen : is_closed ? red : green};
}

std::vector<Line> node_rows(
    const TopPicture& picture, const TopChoice& choice, std::size_t width) {
    const std::size_t in_line = width == 0 ? 100 : std::max<std::size_t>(width, 12) - 2;
    std::vector<Line> lines;
    for (std::size_t i = 0; i < picture.ledger.nodes.size(); ++i) {
        if (i % in_line == 0) {
            lines.push_back({{"  "}});
        }
        lines.back().push_back(block_of(picture.ledger.nodes[i], choice));
    }
    return lines;
}

/// What stands below the blocks, of the node that is chosen.
Line node_line(const TopPicture& picture, const TopChoice& choice) {
    for (const NodeLedger& node : picture.ledger.nodes) {
        if (choice.item() && choice.item()->kind == TopItem::Kind::node &&
            choice.item()->name == node.name) {
            return {
                {"> " + config::printable(node.name, 100), bold},
                {fmt::format(
                    "  free {}, {} pods{}",
                    core::describe(node.free),
                    node.pods_free,
                    node.state.empty() ? "" : "; " + config::printable(node.state, 200))}};
        }
    }
    return {};
}

/// As many of the lines as there is place for, with the chosen one among them.
std::vector<Line> window_of(std::vector<Line> lines, std::size_t place) {
    if (place == 0 || lines.size() <= place) {
        return lines;
    }
    const auto at = std::find_if(lines.begin(), lines.end(), [](const Line& line) {
        return !line.empty() && line.front().text == "> ";
    });
    const auto index = at == lines.end() ? 0 : static_cast<std::size_t>(at - lines.begin());
    const std::size_t first = std::min(index < place ? 0 : index - place + 1, lines.size() - place);
    std::vector<Line> out(
        lines.begin() + static_cast<std::ptrdiff_t>(first),
        lines.begin() + static_cast<std::ptrdiff_t>(first + place));
    return out;
}

Line title_of(const char* name, std::size_t all, std::size_t shown) {
    const std::string count =
        shown < all ? fmt::format(" ({}, {} of them shown)", all, shown) : fmt::format(" ({})", all);
    return {{name + count, bold}};
}

constexpr std::string_view keys =
    "q quit   j k move   Tab next group   Enter why, or what is on the node   Esc back";

std::vector<std::string> all_drawn(std::vector<Line> lines, const TopSize& size) {
    if (size.height > 0) {
        lines.resize(std::max<std::size_t>(size.height, 2) - 1);
        lines.push_back({{std::string(keys), grey}});
    }
    std::vector<std::string> out;
    for (const Line& line : lines) {
        out.push_back(drawn(line, size));
    }
    return out;
}

}  // namespace

void TopChoice::follow(const TopPicture& picture) {
    const auto items = items_of(picture);
    if (items.empty()) {
        item_.reset();
        return;
    }
    const auto at = item_ ? std::find(items.begin(), items.end(), *item_) : items.end();
    place_ = at != items.end() ? static_cast<std::size_t>(at - items.begin())
                               : std::min(place_, items.size() - 1);
    if (item_) {
        item_ = items[place_];
    }
}

void TopChoice::move(const TopPicture& picture, std::ptrdiff_t by) {
    const auto items = items_of(picture);
    if (items.empty()) {
        return;
    }
    const auto last = static_cast<std::ptrdiff_t>(items.size()) - 1;
    const auto from = item_ ? static_cast<std::ptrdiff_t>(place_) : by > 0 ? -1 : last + 1;
    place_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(from + by, 0, last));
    item_ = items[place_];
}

void TopChoice::next_group(const TopPicture& picture) {
    const auto groups = groups_of(picture);
    const std::array<std::size_t, 3> sizes = {
        groups[0].size(), groups[1].size(), picture.ledger.nodes.size()};
    std::size_t first = 0;
    for (const std::size_t size : sizes) {
        if (size > 0 && (!item_ || first > place_)) {
            item_ = items_of(picture)[first];
            place_ = first;
            return;
        }
        first += size;
    }
    if (first > 0) {
        place_ = 0;
        item_ = items_of(picture).front();
    }
}

std::vector<std::string> top_lines(
    const TopPicture& picture, const TopChoice& choice, const TopSize& size) {
    const auto groups = groups_of(picture);
    std::vector<Line> lines = head(picture, size.width);
    std::vector<Line> nodes = node_rows(picture, choice, size.width);
    // Who waits may have half of what is left, the nodes a quarter, and who runs has the rest.
    const std::size_t fixed = lines.size() + 8;
    const std::size_t left = size.height > fixed + 3 ? size.height - fixed : 3;
    const bool is_endless = size.height == 0;
    nodes = window_of(std::move(nodes), is_endless ? 0 : std::max<std::size_t>(left / 4, 1));
    const std::size_t for_gangs = left > nodes.size() + 2 ? left - nodes.size() : 2;
    const std::size_t waiting_place =
        std::max(for_gangs / 2, for_gangs - std::min(for_gangs - 1, groups[1].size()));
    std::vector<Line> waiting = window_of(
        gang_rows(groups[0], picture, choice), is_endless ? 0 : std::max<std::size_t>(waiting_place, 1));
    const std::size_t running_place =
        for_gangs > waiting.size() ? for_gangs - waiting.size() : 1;
    std::vector<Line> running =
        window_of(gang_rows(groups[1], picture, choice), is_endless ? 0 : running_place);
    const auto section = [&lines](const char* name, std::size_t all, std::vector<Line> rows) {
        lines.emplace_back();
        lines.push_back(title_of(name, all, rows.size()));
        std::move(rows.begin(), rows.end(), std::back_inserter(lines));
    };
    section("WAITING", groups[0].size(), std::move(waiting));
    section("RUNNING", groups[1].size(), std::move(running));
    lines.emplace_back();
    lines.push_back({{fmt::format("NODES ({})", picture.ledger.nodes.size()), bold},
                     {"  the higher, the fuller; x: closed", grey}});
    std::move(nodes.begin(), nodes.end(), std::back_inserter(lines));
    lines.push_back(node_line(picture, choice));
    return all_drawn(std::move(lines), size);
}

std::vector<std::string> text_lines(
    std::string_view title, std::string_view text, std::size_t first, const TopSize& size) {
    std::vector<Line> lines = {{{std::string(title), bold}}, {}};
    const std::size_t width = size.width == 0 ? static_cast<std::size_t>(-1) : size.width;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        do {  // long lines go on in the next
            const std::string_view part = first_characters(line, width);
            if (number++ >= first) {
                lines.push_back({{std::string(part)}});
            }
            line.remove_prefix(part.size());
        } while (!line.empty());
    }
    return all_drawn(std::move(lines), size);
}

}  // namespace gang::app

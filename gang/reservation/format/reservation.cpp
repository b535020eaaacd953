#include "gang/reservation/format/reservation.hpp"

#include "core/value/exclusive.hpp"
#include "gang/reservation/format/reservation_text.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace gang {
namespace {

using text::escape;
using text::Fields;

/// Far from where counting on would overflow.
constexpr std::int64_t generation_max = 1'000'000'000'000;

void write_resources(std::string& out, const core::Resources& requests) {
    out += " cpu=" + std::to_string(requests.cpu_milli);
    out += " memory=" + std::to_string(requests.memory_bytes);
    if (requests.ephemeral_bytes > 0) {
        out += " ephemeral=" + std::to_string(requests.ephemeral_bytes);
    }
    std::string_view extended = " extended=";
    std::string exclusive;
    for (const core::ExtendedResource& entry : requests.extended) {
        const std::string item = escape(entry.name) + ':' + std::to_string(entry.amount);
        if (core::is_exclusive(entry.name)) {
            exclusive.append(exclusive.empty() ? " exclusive=" : ",").append(item);
        } else {
            out.append(std::exchange(extended, ",")).append(item);
        }
    }
    out += exclusive;
}

void write_shape(std::string& out, const ReservedShape& shape) {
    out += ";shape profile=" + std::to_string(shape.profile) + " max=" + std::to_string(shape.max);
    if (shape.min) {
        out += " min=" + std::to_string(*shape.min);
    }
    write_resources(out, shape.requests);
    text::write_constraints(out, shape.constraints);
    std::string_view separator = " nodes=";
    for (const auto& [node, count] : shape.slots_per_node) {
        out.append(separator).append(escape(node));
        out += ':' + std::to_string(count);
        separator = ",";
    }
    if (shape.unplaced > 0) {
        out += " unplaced=" + std::to_string(shape.unplaced);
    }
}

bool read_extended(std::string_view list, bool are_exclusive, core::Resources& into) {
    for (const std::string_view item : text::split(list, ',')) {
        const auto parts = text::split(item, ':');
        if (parts.size() != 2) {
            return false;
        }
        const auto name = text::unescape(parts[0]);
        const auto amount = text::number(parts[1]);
        if (!name || name->empty() || !amount || *amount <= 0 ||
            core::is_exclusive(*name) != are_exclusive) {
            return false;
        }
        into.extended.push_back({*name, *amount});
    }
    std::sort(into.extended.begin(), into.extended.end());
    return std::adjacent_find(
               into.extended.begin(), into.extended.end(), [](const auto& a, const auto& b) {
                   return a.name == b.name;
               }) == into.extended.end();
}

bool read_nodes(std::string_view list, ReservedShape& into) {
    for (const std::string_view item : text::split(list, ',')) {
        const auto parts = text::split(item, ':');
        if (parts.size() != 2) {
            return false;
        }
        const auto name = text::unescape(parts[0]);
        const auto count = text::number(parts[1]);
        if (!name || name->empty() || !count || *count <= 0) {
            return false;
        }
        into.slots_per_node.emplace_back(*name, *count);
    }
    std::sort(into.slots_per_node.begin(), into.slots_per_node.end());
    return std::adjacent_find(
               into.slots_per_node.begin(),
               into.slots_per_node.end(),
               [](const auto& a, const auto& b) { return a.first == b.first; }) ==
           into.slots_per_node.end();
}

bool read_shape(const Fields& fields, ReservedShape& into) {
    const auto profile = fields.find_number("profile", 0);
    const auto max = fields.find_number("max", 0);
    const auto cpu = fields.find_number("cpu", 0);
    const auto memory = fields.find_number("memory", 0);
    const auto ephemeral = fields.find_number("ephemeral", 0);
    const auto unplaced = fields.find_number("unplaced", 0);
    const auto min = fields.find_number("min", std::numeric_limits<std::int32_t>::max());
    constexpr std::int64_t int_max = std::numeric_limits<std::int32_t>::max();
    if (!profile || *profile > int_max || !max || *max > int_max || !min || *min > int_max ||
        !cpu || !memory || !ephemeral || !unplaced) {
        return false;
    }
    if (*min != int_max) {
        into.min = static_cast<std::int32_t>(*min);
    }
    into.profile = static_cast<std::int32_t>(*profile);
    into.max = *max;
    into.requests.cpu_milli = *cpu;
    into.requests.memory_bytes = *memory;
    into.requests.ephemeral_bytes = *ephemeral;
    into.unplaced = *unplaced;
    const auto extended = fields.find("extended");
    const auto exclusive = fields.find("exclusive");
    const auto nodes = fields.find("nodes");
    if ((extended && !read_extended(*extended, false, into.requests)) ||
        (exclusive && !read_extended(*exclusive, true, into.requests))) {
        return false;
    }
    into.constraints.has_host_ports = core::takes_host_ports(into.requests);
    return (!nodes || read_nodes(*nodes, into)) && text::read_constraints(fields, into.constraints);
}

bool read_header(const Fields& fields, Reservation& into) {
    const auto generation = fields.find_number("generation", 0);
    const auto epoch = fields.find_number("epoch", 0);
    const auto queue = text::unescape(fields.find("queue").value_or(""));
    const auto profile = text::unescape(fields.find("profile").value_or(""));
    const auto anchor = text::unescape(fields.find("anchor").value_or(""));
    const auto gang = text::unescape(fields.find("gang").value_or(""));
    if (!generation || *generation > generation_max || !epoch || !queue || !profile || !anchor ||
        !gang) {
        return false;
    }
    into = {*generation, *epoch, *queue, *profile, *anchor, {}, *gang};
    return true;
}

/// Sums without overflow: every count is compared with what is still allowed first.
bool within(const Reservation& reservation, std::int64_t slots_max) {
    std::int64_t left = slots_max;
    const auto take = [&left](std::int64_t count) {
        left = count <= left ? left - count : -1;
        return left >= 0;
    };
    for (const ReservedShape& shape : reservation.shapes) {
        if (!take(shape.unplaced) ||
            !std::all_of(
                shape.slots_per_node.begin(),
                shape.slots_per_node.end(),
                [&take](const auto& entry) { return take(entry.second); })) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::int64_t slot_count(const Reservation& reservation) {
    std::int64_t count = 0;
    for (const ReservedShape& shape : reservation.shapes) {
        count += shape.unplaced;
        for (const auto& [node, slots] : shape.slots_per_node) {
            count += slots;
        }
    }
    return count;
}

std::string encode_reservation(const Reservation& reservation) {
    std::string out =
        "v1 generation=" + std::to_string(reservation.generation) +
        " epoch=" + std::to_string(reservation.epoch) + " queue=" + escape(reservation.queue) +
        " profile=" + escape(reservation.profile) + " anchor=" + escape(reservation.anchor);
    if (!reservation.gang.empty()) {
        out += " gang=" + escape(reservation.gang);
    }
    for (const ReservedShape& shape : reservation.shapes) {
        write_shape(out, shape);
    }
    return out;
}

core::Result<Reservation> decode_reservation(std::string_view text, std::int64_t slots_max) {
    const auto refused = [](const char* why) {
        return core::Error{std::string("the reservation annotation is void: ") + why};
    };
    if (text.size() > reservation_bytes_max) {
        return refused("too long");
    }
    const auto records = text::split(text, ';');
    if (text::first_word(records.front()) != "v1") {
        return refused("not format v1");
    }
    Reservation out;
    if (!read_header(Fields(records.front()), out)) {
        return refused("its header does not parse");
    }
    for (std::size_t i = 1; i < records.size(); ++i) {
        if (text::first_word(records[i]) != "shape") {
            continue;
        }
        if (out.shapes.size() == reservation_shapes_max) {
            return refused("too many shapes");
        }
        if (!read_shape(Fields(records[i]), out.shapes.emplace_back())) {
            return refused("a shape does not parse");
        }
    }
    if (!within(out, slots_max)) {
        return refused("more slots than a gang may have");
    }
    return out;
}

}  // namespace gang

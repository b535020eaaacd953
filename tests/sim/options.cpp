#include "tests/sim/options.hpp"

#include "tests/sim/planted.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

namespace sim_tool {
namespace {

bool read_number(std::string_view text, std::uint64_t& into) {
    char* end = nullptr;
    const std::string copy(text);
    into = std::strtoull(copy.c_str(), &end, 10);
    return !copy.empty() && *end == '\0';
}

/// "7", "1..200" or "1..".
bool read_range(std::string_view text, Options& options) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) {
        const bool is_number = read_number(text, options.from);
        options.to = options.from;
        return is_number;
    }
    const std::string_view last = text.substr(dots + 2);
    if (last.empty()) {
        options.to = std::numeric_limits<std::uint64_t>::max();
        return read_number(text.substr(0, dots), options.from);
    }
    return read_number(text.substr(0, dots), options.from) && read_number(last, options.to);
}

struct Flag {
    std::string_view word;
    bool Options::*is_set;
    bool is_of_world = false;  ///< another life is lived with it
};

constexpr Flag flags[] = {
    {"--trace", &Options::trace},
    {"--matrix", &Options::matrix},
    {"--all-faults", &Options::all_faults},
    {"--queues", &Options::queues, true},
    {"--backfill", &Options::backfill, true},
    {"--groups", &Options::groups, true},
    {"--cards", &Options::cards, true},
    {"--volumes", &Options::volumes, true},
    {"--quotas", &Options::quotas, true},
    {"--autoscaler", &Options::autoscaler, true},
};

}  // namespace

std::string how_to_repeat(std::uint64_t seed, const Options& options) {
    std::string words = "gang-sim --seed " + std::to_string(seed);
    for (const Flag& flag : flags) {
        if (flag.is_of_world && options.*(flag.is_set)) {
            words += " " + std::string(flag.word);
        }
    }
    return words + " --trace";
}

std::optional<Options> read_options(int argc, char** argv) {
    Options options;
    bool has_seeds = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (const auto flag = std::find_if(
                std::begin(flags),
                std::end(flags),
                [&](const Flag& one) { return one.word == word; });
            flag != std::end(flags)) {
            options.*(flag->is_set) = true;
            continue;
        }
        if (word == "--everything") {
            for (const Flag& flag : flags) {
                options.*(flag.is_set) = options.*(flag.is_set) || flag.is_of_world;
            }
            continue;
        }
        if (i + 1 == argc) {
            return std::nullopt;
        }
        const std::string value = argv[++i];
        std::uint64_t number = 0;
        bool is_fine = true;
        if (word == "--seed" || word == "--seeds") {
            is_fine = read_range(value, options);
            has_seeds = true;
        } else if (word == "--seconds") {
            is_fine = read_number(value, number) && number > 0;
            options.seconds = static_cast<double>(number);
        } else if (word == "--jobs") {
            is_fine = read_number(value, number) && number > 0 && number <= 1'024;
            options.jobs = static_cast<int>(number);
        } else if (word == "--digests") {
            options.digests = value;
        } else if (word == "--expect") {
            options.expect = value;
        } else if (word == "--mutant") {
            options.mutant = value;
            is_fine = mutants::plant(value);
        } else if (word == "--mutants") {
            options.mutants = value;
        } else if (word == "--failed") {
            options.failed_seeds = value;
        } else {
            is_fine = false;
        }
        if (!is_fine) {
            return std::nullopt;
        }
    }
    const bool is_one = options.from == options.to;
    const bool is_endless = options.to == std::numeric_limits<std::uint64_t>::max();
    const bool has_work =
        options.seconds > 0 || (has_seeds && !is_endless) || !options.mutants.empty();
    if (!has_work || options.to < options.from || (options.trace && !is_one)) {
        return std::nullopt;
    }
    return options;
}

}  // namespace sim_tool

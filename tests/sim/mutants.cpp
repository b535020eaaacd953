#include "tests/sim/mutants.hpp"

#include "gang/sim/world.hpp"
#include "tests/sim/planted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sim_tool {
namespace {

struct RuleCount {
    char name[48] = {};
    std::uint64_t seeds = 0;  ///< in which it was broken
};

/// What is known of one mutant, in memory that its processes share with us.
struct Record {
    std::uint64_t seed = 0;  ///< that it is at
    std::uint64_t noticed = 0;
    std::uint64_t first = 0;  ///< the first seed in which it was noticed
    std::array<RuleCount, 24> rules;

    void broken(std::string_view rule) {
        for (RuleCount& known : rules) {
            if (known.name[0] == '\0') {
                std::memcpy(known.name, rule.data(), std::min(rule.size(), sizeof known.name - 1));
            }
            if (rule == known.name) {
                ++known.seeds;
                return;
            }
        }
    }
    void notice() { first = noticed++ == 0 ? seed : first; }
};

struct Job {
    MutantCase what;
    std::uint64_t from = 1;
    bool stops_at_first = true;
    Record* record = nullptr;
    pid_t pid = -1;
};

[[noreturn]] void work(const Job& job) {
    if (job.what.name != "none") {
        mutants::plant(job.what.name);
    }
    if (std::freopen("/dev/null", "w", stderr) == nullptr) {
        std::_Exit(2);  // what it says of a broken invariant is not for the table
    }
    Record& record = *job.record;
    for (; record.seed <= job.what.seeds; ++record.seed) {
        gang::sim::Plan plan = gang::sim::draw_plan(record.seed);
        plan = job.what.has_queues ? gang::sim::with_queues(plan) : plan;
        plan = job.what.has_backfill ? gang::sim::with_backfill(plan) : plan;
        plan = job.what.has_groups ? gang::sim::with_groups(plan) : plan;
        plan = job.what.has_cards ? gang::sim::with_cards(plan) : plan;
        plan = job.what.has_volumes ? gang::sim::with_volumes(plan) : plan;
        plan = job.what.has_quotas ? gang::sim::with_quotas(plan) : plan;
        plan = job.what.has_autoscaler ? gang::sim::with_autoscaler(plan) : plan;
        gang::sim::World world(plan, {});
        world.run();
        std::set<std::string> rules;
        for (const auto& violation : world.checkers.violations()) {
            rules.insert(violation.rule);
        }
        for (const std::string& rule : rules) {
            record.broken(rule);
        }
        if (!rules.empty()) {
            record.notice();
            if (job.stops_at_first) {
                break;
            }
        }
    }
    std::_Exit(0);
}

void start(Job& job) {
    std::fflush(nullptr);
    job.pid = fork();
    if (job.pid == 0) {
        work(job);
    }
    if (job.pid < 0) {
        std::perror("fork");
        std::exit(2);
    }
}

/// True: it goes on with the next seed.
bool goes_on_after(Job& job, int status) {
    job.pid = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return false;
    }
    job.record->broken("aborts");
    job.record->notice();
    ++job.record->seed;
    return !job.stops_at_first && job.record->seed <= job.what.seeds;
}

std::string describe(const Job& job) {
    const Record& record = *job.record;
    std::string line = fmt::format(
        "{:<32}{:>6}{:>8}  ",
        job.what.name,
        record.noticed == 0 ? "-" : std::to_string(record.first),
        job.stops_at_first ? std::to_string(job.what.seeds)
                           : fmt::format("{}/{}", record.noticed, job.what.seeds - job.from + 1));
    for (const RuleCount& rule : record.rules) {
        if (rule.seeds > 0) {
            line += job.stops_at_first ? fmt::format(" {}", rule.name)
                                       : fmt::format(" {}:{}", rule.name, rule.seeds);
        }
    }
    return line + "\n";
}

void run(std::vector<Job>& jobs, int at_once) {
    const std::size_t bytes = jobs.size() * sizeof(Record);
    void* shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        std::perror("mmap");
        std::exit(2);
    }
    auto* records = new (shared) Record[jobs.size()];
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].record = &records[i];
        jobs[i].record->seed = jobs[i].from;
    }
    std::size_t begun = 0;
    int running = 0;
    while (begun < jobs.size() || running > 0) {
        for (; running < at_once && begun < jobs.size(); ++running) {
            start(jobs[begun++]);
        }
        int status = 0;
        const pid_t ended = wait(&status);
        const auto job = std::find_if(
            jobs.begin(), jobs.end(), [ended](const Job& one) { return one.pid == ended; });
        if (job == jobs.end()) {
            continue;
        }
        if (goes_on_after(*job, status)) {
            start(*job);
        } else {
            --running;
            std::fputs(describe(*job).c_str(), stdout);
            std::fflush(stdout);
        }
    }
}

}  // namespace

std::vector<MutantCase> read_mutants(const std::string& path) {
    std::ifstream in(path);
    std::vector<MutantCase> cases;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        MutantCase one;
        std::string where;
        if (line.empty() || line.front() == '#') {
            continue;
        }
        words >> one.name >> where;
        constexpr std::array worlds = {
            "sim", "cards", "volumes", "queues", "passing", "quotas", "autoscaler", "members"};
        constexpr std::array elsewhere = {"story", "worlds", "unit", "open"};  // see scripts/mutants.py
        if (std::find(elsewhere.begin(), elsewhere.end(), where) != elsewhere.end()) {
            continue;
        }
        if (std::find(worlds.begin(), worlds.end(), where) == worlds.end()) {
            std::fprintf(stderr, "%s: no world of that name: %s\n", path.c_str(), line.c_str());
            std::exit(2);
        }
        one.has_cards = where == "cards";
        one.has_volumes = where == "volumes";
        one.has_backfill = where == "passing";
        one.has_groups = where == "members";
        one.has_autoscaler = where == "autoscaler" || one.has_groups;
        one.has_quotas = where == "quotas" || where == "autoscaler";
        one.has_queues = where == "queues" || one.has_backfill;
        const bool is_read = static_cast<bool>(words >> one.seeds);
        if (!is_read || (one.name != "none" && !mutants::plant(one.name))) {
            std::fprintf(stderr, "%s: no mutant or no number: %s\n", path.c_str(), line.c_str());
            std::exit(2);
        }
        cases.push_back(one);
    }
    mutants::planted = mutants::Mutant::none;
    if (cases.empty()) {
        std::fprintf(stderr, "%s: nothing to run\n", path.c_str());
        std::exit(2);
    }
    return cases;
}

int run_mutants(const std::vector<MutantCase>& cases, int jobs) {
    std::vector<Job> all;
    for (const MutantCase& one : cases) {
        all.push_back(Job{one});
    }
    std::printf("%-32s%6s%8s   noticed by\n", "mutant", "first", "of");
    run(all, jobs);
    int wrong = 0;
    for (const Job& job : all) {
        const bool is_noticed = job.record->noticed > 0;
        if (is_noticed == (job.what.name == "none")) {
            ++wrong;
            std::printf(
                "FAILED %s: %s\n",
                job.what.name.c_str(),
                is_noticed ? "is noticed, and nothing is planted" : "survives its seeds");
        }
    }
    std::printf("%zu mutants, %d wrong\n", all.size(), wrong);
    return wrong == 0 ? 0 : 1;
}

int print_matrix(std::uint64_t from, std::uint64_t to, int jobs) {
    std::vector<Job> all{Job{{"none", to}, from, false}};
    for (const std::string_view name : mutants::names()) {
        all.push_back(Job{{std::string(name), to}, from, false});
    }
    std::printf("%-32s%6s%8s   seeds in which a rule was broken\n", "mutant", "first", "noticed");
    run(all, jobs);
    return 0;
}

}  // namespace sim_tool

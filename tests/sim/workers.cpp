#include "tests/sim/workers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace sim_tool {
namespace {

using Time = std::chrono::steady_clock::time_point;

struct Worker {
    pid_t pid = -1;
    int from = -1;
    std::uint64_t next = 0;   ///< the seed with which a new process in its place would begin
    std::uint64_t begun = 0;  ///< the seed that it is at; 0: none
};

bool write_whole(int to, const Outcome& outcome) {
    const char* bytes = reinterpret_cast<const char*>(&outcome);
    std::size_t done = 0;
    while (done < sizeof outcome) {
        const ssize_t count = write(to, bytes + done, sizeof outcome - done);
        if (count <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(count);
    }
    return true;
}

bool read_whole(int from, Outcome& outcome) {
    char* bytes = reinterpret_cast<char*>(&outcome);
    std::size_t done = 0;
    while (done < sizeof outcome) {
        const ssize_t count = read(from, bytes + done, sizeof outcome - done);
        if (count <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(count);
    }
    return true;
}

bool goes_on(const Options& options, std::uint64_t seed, Time end) {
    return options.seconds > 0 ? std::chrono::steady_clock::now() < end : seed <= options.to;
}

[[noreturn]] void work(const Options& options, std::uint64_t first, int to, Time end) {
    const auto stride = static_cast<std::uint64_t>(options.jobs);
    for (std::uint64_t seed = first; goes_on(options, seed, end); seed += stride) {
        Outcome begun;
        begun.seed = seed;
        begun.is_begun = true;
        if (!write_whole(to, begun) || !write_whole(to, run_seed(seed, options, {}))) {
            break;
        }
    }
    std::_Exit(0);
}

void start(Worker& worker, const Options& options, Time end) {
    int ends[2];
    if (pipe(ends) != 0) {
        std::perror("pipe");
        std::exit(2);
    }
    std::fflush(nullptr);
    worker.begun = 0;
    worker.pid = fork();
    if (worker.pid == 0) {
        close(ends[0]);
        work(options, worker.next, ends[1], end);
    }
    if (worker.pid < 0) {
        std::perror("fork");
        std::exit(2);
    }
    close(ends[1]);
    worker.from = ends[0];
}

Outcome death(const Worker& worker, int status) {
    Outcome outcome;
    outcome.seed = worker.begun;
    outcome.has_failed = true;
    const std::string text = WIFSIGNALED(status)
                                 ? fmt::format("the process died of signal {}", WTERMSIG(status))
                                 : fmt::format("the process ended with {}", WEXITSTATUS(status));
    std::memcpy(outcome.text, text.data(), text.size());
    return outcome;
}

}  // namespace

void run_all(const Options& options, const std::function<void(const Outcome&)>& done) {
    const Time end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(static_cast<std::int64_t>(options.seconds * 1'000));
    std::vector<Worker> workers(static_cast<std::size_t>(options.jobs));
    std::size_t running = 0;
    for (std::size_t i = 0; i < workers.size(); ++i) {
        workers[i].next = options.from + i;
        start(workers[i], options, end);
        ++running;
    }
    while (running > 0) {
        std::vector<pollfd> waiting;
        for (const Worker& worker : workers) {
            waiting.push_back({worker.from, POLLIN, 0});
        }
        poll(waiting.data(), waiting.size(), -1);
        for (std::size_t i = 0; i < workers.size(); ++i) {
            Worker& worker = workers[i];
            if (worker.from < 0 || waiting[i].revents == 0) {
                continue;
            }
            Outcome outcome;
            if (read_whole(worker.from, outcome)) {
                worker.begun = outcome.is_begun ? outcome.seed : 0;
                worker.next = outcome.seed + static_cast<std::uint64_t>(options.jobs);
                if (!outcome.is_begun) {
                    done(outcome);
                }
                continue;
            }
            close(worker.from);
            worker.from = -1;
            --running;
            int status = 0;
            waitpid(worker.pid, &status, 0);
            if (worker.begun != 0) {
                done(death(worker, status));
                if (goes_on(options, worker.next, end)) {
                    start(worker, options, end);
                    ++running;
                }
            }
        }
    }
}

}  // namespace sim_tool

#include "k8s/credentials/command.hpp"

#include "k8s/base/time.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

extern char** environ;

namespace k8s {
namespace {

class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int value() const { return value_; }
    void close() {
        if (value_ >= 0) ::close(value_);
        value_ = -1;
    }

private:
    int value_;
};

/// How the program begins: its descriptors, signals as they are by default, a group of its own.
class Beginning {
public:
    Beginning(const Command& command, int output) {
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
        posix_spawnattr_init(&attributes_);
        short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
        if (!command.is_interactive) {
            posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
            flags |= POSIX_SPAWN_SETPGROUP;
        }
        sigset_t signals;
        sigemptyset(&signals);
        posix_spawnattr_setsigmask(&attributes_, &signals);
        for (const int one : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) sigaddset(&signals, one);
        posix_spawnattr_setsigdefault(&attributes_, &signals);
        posix_spawnattr_setflags(&attributes_, flags);
    }
    ~Beginning() {
        posix_spawn_file_actions_destroy(&actions_);
        posix_spawnattr_destroy(&attributes_);
    }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;

    const posix_spawn_file_actions_t* actions() const { return &actions_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

std::vector<std::string> environment_of(const Command& command) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::string_view name = text.substr(0, text.find('='));
        const bool is_replaced = std::any_of(
            command.environment.begin(), command.environment.end(), [name](const auto& own) {
                return own.first == name;
            });
        if (!is_replaced) all.emplace_back(text);
    }
    for (const auto& [name, value] : command.environment) all.push_back(name + "=" + value);
    return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// Until the program closes its output. Nothing: the error is `problem`.
std::optional<std::string> read_output(int from, const Command& command, std::string& problem) {
    const std::int64_t until_ms = monotonic_ms() + command.limit_ms;
    std::string output;
    std::array<char, 4096> buffer;
    for (;;) {
        const std::int64_t left_ms = until_ms - monotonic_ms();
        pollfd waiting{from, POLLIN, 0};
        const int ready = left_ms <= 0 ? 0 : poll(&waiting, 1, static_cast<int>(left_ms));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            problem = fmt::format("it took longer than {} s", command.limit_ms / 1000);
            return std::nullopt;
        }
        const ssize_t count = read(from, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return output;
        output.append(buffer.data(), static_cast<std::size_t>(count));
        if (output.size() > command.output_max) {
            problem = fmt::format("it printed more than {} bytes", command.output_max);
            return std::nullopt;
        }
    }
}

std::string describe_end(int status) {
    if (WIFSIGNALED(status)) return fmt::format("it was ended by signal {}", WTERMSIG(status));
    return fmt::format("it ended with code {}", WEXITSTATUS(status));
}

}  // namespace

core::Result<std::string> run_command(const Command& command) {
    std::array<int, 2> ends;
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return core::Error{"there is no pipe to be had"};
    Descriptor output(ends[0]);
    Descriptor input(ends[1]);
    std::vector<std::string> words = {command.program};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> settings = environment_of(command);
    const Beginning beginning(command, input.value());
    pid_t child = 0;
    const int failure = posix_spawnp(
        &child,
        command.program.c_str(),
        beginning.actions(),
        beginning.attributes(),
        pointers_to(words).data(),
        pointers_to(settings).data());
    if (failure != 0) return core::Error{std::strerror(failure)};
    input.close();
    std::string problem;
    auto text = read_output(output.value(), command, problem);
    if (!text) kill(command.is_interactive ? child : -child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!text) return core::Error{std::move(problem)};
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return core::Error{describe_end(status)};
    return *std::move(text);
}

}  // namespace k8s

#include "k8s/credentials/exec/command.hpp"

#include "k8s/base/time.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace k8s {
namespace {

using End = CommandResult::End;

/// A process that has ended is noticed so late at most.
constexpr int look_ms = 20;

/// Strings as exec() takes them; they stay where they are.
std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables) {
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (variables.count(std::string(text.substr(0, text.find('=')))) == 0) {
            result.emplace_back(text);
        }
    }
    for (const auto& [name, value] : variables) result.push_back(name + "=" + value);
    return result;
}

/// What posix_spawn does in the child before the command begins.
class Preparation {
public:
    Preparation(const Command& command, int output) {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
        ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        if (!command.gets_input) {
            ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        }
        // Asio's sockets would be inherited.
        ::posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
        sigset_t none;
        ::sigemptyset(&none);
        ::posix_spawnattr_setsigmask(&attributes, &none);
        sigset_t usual;
        ::sigemptyset(&usual);
        ::sigaddset(&usual, SIGPIPE);
        ::posix_spawnattr_setsigdefault(&attributes, &usual);
        int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
        if (!command.shares_group) flags |= POSIX_SPAWN_SETPGROUP;
        ::posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
    }
    ~Preparation() {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    Preparation(const Preparation&) = delete;
    Preparation& operator=(const Preparation&) = delete;

    posix_spawn_file_actions_t actions{};
    posix_spawnattr_t attributes{};
};

/// A command that runs, and the reading end of what it prints.
class Child {
public:
    Child(const Command& command, const CommandLimits& limits)
        : limits_(limits), deadline_ms_(monotonic_ms() + limits.time_ms) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            result_.end = End::not_started;
            result_.code = errno;
            return;
        }
        output_ = ends[0];
        ::fcntl(output_, F_SETFL, O_NONBLOCK);
        start(command, ends[1]);
        ::close(ends[1]);
    }
    ~Child() {
        if (output_ >= 0) ::close(output_);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    CommandResult run() {
        if (pid_ <= 0) return std::move(result_);
        while (!has_ended()) {
            wait();
            if (const auto why = reason_to_end(); why != End::exited) return ended_as(why);
        }
        // What it has started may hold the pipe open for ever; what it said itself is there.
        take_output();
        if (result_.output.size() > limits_.output_max) result_.end = End::too_long;
        return std::move(result_);
    }

private:
    void start(const Command& command, int output) {
        std::vector<std::string> words = command.arguments;
        words.insert(words.begin(), command.name);
        std::vector<std::string> environment = environment_with(command.variables);
        const Preparation preparation(command, output);
        group_ = !command.shares_group;
        const int error = ::posix_spawnp(
            &pid_,
            command.name.c_str(),
            &preparation.actions,
            &preparation.attributes,
            pointers(words).data(),
            pointers(environment).data());
        if (error == 0) return;
        pid_ = 0;
        result_.end = error == ENOENT ? End::not_found : End::not_started;
        result_.code = error;
    }

    bool has_ended() {
        int status = 0;
        const pid_t found = ::waitpid(pid_, &status, WNOHANG);
        if (found == 0 || (found < 0 && errno == EINTR)) return false;
        // Where children are nobody's to wait for (SIGCHLD ignored), its answer says enough.
        if (found < 0) return true;
        result_.end = WIFSIGNALED(status) ? End::signalled : End::exited;
        result_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
        return true;
    }

    /// Until it prints, until somebody wants it stopped, or for a moment.
    void wait() {
        std::array<pollfd, 2> watched = {
            pollfd{is_silent_ ? -1 : output_, POLLIN, 0}, pollfd{limits_.stop, POLLIN, 0}};
        ::poll(watched.data(), watched.size(), look_ms);
        if (watched[0].revents != 0) take_output();
        is_stopped_ = watched[1].revents != 0;
    }

    void take_output() {
        std::array<char, 16 * 1024> bytes{};
        while (result_.output.size() <= limits_.output_max) {
            const ssize_t count = ::read(output_, bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR) continue;
            if (count == 0) is_silent_ = true;
            if (count <= 0) return;
            result_.output.append(bytes.data(), static_cast<std::size_t>(count));
        }
    }

    /// `exited`: none.
    End reason_to_end() const {
        if (is_stopped_) return End::stopped;
        if (result_.output.size() > limits_.output_max) return End::too_long;
        return monotonic_ms() >= deadline_ms_ ? End::late : End::exited;
    }

    CommandResult ended_as(End why) {
        ::kill(group_ ? -pid_ : pid_, SIGKILL);
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        result_.end = why;
        return std::move(result_);
    }

    const CommandLimits& limits_;
    std::int64_t deadline_ms_;
    CommandResult result_;
    pid_t pid_ = 0;
    int output_ = -1;
    bool group_ = false;      // it leads a process group of its own
    bool is_silent_ = false;  // nothing more will come
    bool is_stopped_ = false;
};

}  // namespace

CommandResult run_command(const Command& command, const CommandLimits& limits) {
    return Child(command, limits).run();
}

}  // namespace k8s

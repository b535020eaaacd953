#include "gang/app/cli/cli.hpp"

#include <cerrno>
#include <csignal>
#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    // A reader that went away is an error of one write, not the end of the daemon.
    std::signal(SIGPIPE, SIG_IGN);
    // So is a file that has reached a limit (of the log, of a recording).
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        const int code = gang::app::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
        // Half an answer must not pass for a whole one: a full disk, a closed descriptor.
        if (std::cout.flush() || code != gang::app::exit_done) {
            return code;
        }
        // Who has read enough, as head does, wants to hear no more.
        if (errno != EPIPE) {
            std::cerr << "gang-scheduler: cannot write to standard output\n";
        }
        return gang::app::exit_error;
    } catch (const std::exception& e) {
        std::cerr << "gang-scheduler: " << e.what() << '\n';
        return gang::app::exit_error;
    }
}

#include "gang/app/cli.hpp"

#include <csignal>
#include <exception>
#include <iostream>

int main(int argc, char** argv) {
    // A reader that went away is an error of one write, not the end of the daemon.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        return gang::app::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
    } catch (const std::exception& e) {
        std::cerr << "gang-scheduler: " << e.what() << '\n';
        return gang::app::exit_error;
    }
}

// GANG_MUTANT=name plants one of the mutants of core/base/mutant.hpp for the whole program.

#define DOCTEST_CONFIG_IMPLEMENT
#include "core/base/mutant.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    // As the program itself does: a peer that has gone is an error of the write, not our end. The
    // TLS servers of the tests write through OpenSSL, which asks for the signal.
    std::signal(SIGPIPE, SIG_IGN);
    const char* mutant = std::getenv("GANG_MUTANT");
    if (mutant != nullptr && !core::plant_mutant(mutant)) {
        std::fprintf(stderr, "no mutant is called %s\n", mutant);
        return 2;
    }
    return doctest::Context(argc, argv).run();
}

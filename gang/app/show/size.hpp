#pragma once
// `gang-scheduler size`: what gang would be reserved for these objects, without a cluster.

#include "gang/declare/spark/executor/derive.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace gang::app {

struct SizeOptions {
    std::vector<std::string> files;  ///< JSON files, "-" is standard input
    std::string driver;  ///< name of the one that is meant; empty: all that have not ended
    bool json = false;               ///< -o json
    spark::Limits limits;
};

/// Reads the files, derives the gangs of the drivers in them and prints them to `out`; what is
/// wrong goes to `err` with the file's or the driver's name. Returns the exit code: 0 all are
/// derived, 1 one is not derivable or bad input, 2 wrong usage.
int run_size(const SizeOptions& options, std::ostream& out, std::ostream& err);

}  // namespace gang::app

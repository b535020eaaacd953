#pragma once
// The keys of the seal, from the file that `seal.keyFile` names.

#include "core/base/result.hpp"
#include "gang/reservation/format/seal.hpp"

#include <cstddef>
#include <string>

namespace gang::app {

inline constexpr std::size_t seal_key_bytes_min = 32;  ///< as many as the code itself has
inline constexpr std::size_t seal_keys_max = 2;

/// One key for each line of the file: the first seals, all open. Two lines are for the time of a
/// rotation. No file name: a seal without a key. The error says what is wrong with the file, and
/// never what is in it.
core::Result<Seal> read_seal(const std::string& file);

}  // namespace gang::app

#include "gang/report/fencing_token.hpp"

#include <charconv>
#include <system_error>

namespace gang {
namespace {

constexpr std::string_view token_begin = "scheduler epoch ";
constexpr std::string_view token_end = " has taken over";

}  // namespace

std::string fencing_token(std::int64_t epoch) {
    return std::string(token_begin) + std::to_string(epoch) + std::string(token_end);
}

std::int64_t find_fence_epoch(std::string_view message) {
    const std::size_t begin = message.find(token_begin);
    const std::size_t end = message.find(token_end);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
        return 0;
    }
    const std::string_view digits =
        message.substr(begin + token_begin.size(), end - begin - token_begin.size());
    std::int64_t epoch = 0;
    const auto [stop, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), epoch);
    const bool is_whole = problem == std::errc() && stop == digits.data() + digits.size();
    return is_whole && epoch > 0 ? epoch : 0;
}

}  // namespace gang

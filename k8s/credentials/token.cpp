#include "k8s/credentials/token.hpp"

#include "k8s/base/small_file.hpp"

#include <utility>

namespace k8s {
namespace {

bool is_token_character(char c) {
    return c > ' ' && c < '\x7f';
}

// What is not printable could forge header lines and is no token.
std::string read_token(const std::string& file) {
    std::string text = read_small_file(file, token_max).value_or("");
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return {};
    text = text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
    for (char c : text) {
        if (!is_token_character(c)) return {};
    }
    return text;
}

}  // namespace

Token::Token(std::string fixed, std::string file)
    : token_(std::move(fixed)), file_(std::move(file)) {}

const std::string& Token::current(std::int64_t now_ms) {
    if (!file_.empty() && (!was_read_ || now_ms - read_at_ms_ >= token_reread_ms)) read(now_ms);
    return token_;
}

bool Token::refused(std::int64_t now_ms) {
    if (file_.empty()) return false;
    const std::string before = token_;
    read(now_ms);
    return token_ != before;
}

void Token::read(std::int64_t now_ms) {
    std::string fresh = read_token(file_);
    was_read_ = true;
    read_at_ms_ = now_ms;
    problem_ = fresh.empty() ? "cannot read a token from " + file_ : std::string();
    if (!fresh.empty()) token_ = std::move(fresh);
}

}  // namespace k8s

#include "k8s/base/small_file.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace k8s {

std::optional<std::string> read_small_file(const std::string& path, std::size_t max) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return std::nullopt;  // reading it would throw
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::string text;
    for (auto it = std::istreambuf_iterator<char>(in); it != std::istreambuf_iterator<char>();
         ++it) {
        if (text.size() == max) return std::nullopt;
        text.push_back(*it);
    }
    if (in.bad()) return std::nullopt;
    return text;
}

}  // namespace k8s

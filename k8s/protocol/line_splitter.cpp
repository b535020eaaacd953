#include "k8s/protocol/line_splitter.hpp"

namespace k8s::protocol {

bool LineSplitter::add(std::string_view bytes) {
    text_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
    // Give a giant line's memory back once it is through.
    constexpr std::size_t capacity_kept = 256 * 1024;
    if (text_.empty() && text_.capacity() > capacity_kept) std::string().swap(text_);
    text_.append(bytes);
    return text_.size() <= line_max_ || text_.find('\n', scanned_) != std::string::npos;
}

std::optional<std::string_view> LineSplitter::next() {
    for (;;) {
        const std::size_t end = text_.find('\n', scanned_);
        if (end == std::string::npos) {
            scanned_ = text_.size();
            return std::nullopt;
        }
        const std::string_view line(text_.data() + begin_, end - begin_);
        begin_ = scanned_ = end + 1;
        if (!line.empty()) return line;
    }
}

void LineSplitter::clear() {
    std::string().swap(text_);
    begin_ = scanned_ = 0;
}

}  // namespace k8s::protocol

// A watch: bytes in any chunks become lines, lines become pods and nodes. The lines must not depend
// on the chunks. The first byte says how the rest is cut.
#include "k8s/codec/codec_lease.hpp"
#include "k8s/codec/codec_watch.hpp"
#include "k8s/protocol/line_splitter.hpp"
#include "tests/fuzz/invariants.hpp"

#include <optional>
#include <vector>

namespace {

constexpr std::size_t line_max = 4096;

/// Nothing: a line was too long.
std::optional<std::vector<std::string>> split(const std::string& bytes, std::size_t chunk) {
    k8s::protocol::LineSplitter splitter(line_max);
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < bytes.size(); begin += chunk) {
        if (!splitter.add(bytes.substr(begin, chunk))) {
            return std::nullopt;
        }
        while (const auto line = splitter.next()) {
            PROPERTY(!line->empty() && line->find('\n') == std::string_view::npos);
            lines.emplace_back(*line);
        }
    }
    return lines;
}

/// The same lines, without a copy of those that lie in one chunk.
std::optional<std::vector<std::string>> take(const std::string& bytes, std::size_t chunk) {
    k8s::protocol::LineSplitter splitter(line_max);
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < bytes.size(); begin += chunk) {
        const auto taken = splitter.take(bytes.substr(begin, chunk), [&](std::string_view line) {
            lines.emplace_back(line);
            return true;
        });
        if (taken != k8s::protocol::LineSplitter::Taken::all) {
            return std::nullopt;
        }
    }
    return lines;
}

void decode(k8s::WatchKind kind, const std::string& line) {
    const auto decoded = k8s::decode_watch_line(kind, line);
    if (!decoded || decoded->type != k8s::LineType::object) {
        return;
    }
    if (kind == k8s::WatchKind::pods) {
        fuzz::check(std::get<core::Pod>(decoded->object.object));
    } else {
        fuzz::check(std::get<core::Node>(decoded->object.object));
    }
    PROPERTY(decoded->object.annotation_bytes <= line.size() * 4);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string bytes = fuzz::text(data + 1, size - 1);
    const auto one_by_one = split(bytes, 1);
    const auto in_chunks = split(bytes, data[0] + 2U);
    if (one_by_one && in_chunks) {
        PROPERTY(*one_by_one == *in_chunks);
    }
    const auto taken = take(bytes, data[0] + 2U);
    PROPERTY(!taken || taken == in_chunks);
    PROPERTY(!one_by_one || taken);
    PROPERTY(!one_by_one || in_chunks);  // what fits byte by byte fits in any chunks
    for (const std::string& line : in_chunks.value_or(std::vector<std::string>())) {
        decode(k8s::WatchKind::pods, line);
        decode(k8s::WatchKind::nodes, line);
        static_cast<void>(k8s::decode_lease_line(line));
    }
    return 0;
}

#include "gang/model/cluster/fit_cache.hpp"

#include <algorithm>

namespace gang {

Memo& FitCache::memo_of(core::View view, std::uint64_t version) {
    Memo& memo = memos_[static_cast<std::size_t>(view)];
    if (memo.version != version) {
        memo = {};
        memo.version = version;
    }
    return memo;
}

void FitCache::forget(core::ShapeId shape) {
    for (Memo& memo : memos_) {
        memo.if_open.erase(shape);
        std::erase_if(memo.gangs, [shape](const auto& known) {
            const auto& shapes = known.first.shapes;
            return std::any_of(shapes.begin(), shapes.end(), [shape](const auto& part) {
                return part.first == shape;
            });
        });
    }
}

void FitCache::forget_fits() {
    Memo& memo = memos_[static_cast<std::size_t>(core::View::free)];
    if (std::exchange(memo.has_fits, false)) {
        std::erase_if(memo.gangs, [](const auto& known) { return !known.second; });
    }
}

}  // namespace gang

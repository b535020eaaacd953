#include "gang/app/base/memory.hpp"

#include <malloc.h>

namespace gang::app {

void give_back_large_blocks() {
    constexpr int large = 256 * 1024;
    ::mallopt(M_MMAP_THRESHOLD, large);
    ::mallopt(M_TRIM_THRESHOLD, large);
}

void give_back_unused() {
    ::malloc_trim(0);
}

}  // namespace gang::app

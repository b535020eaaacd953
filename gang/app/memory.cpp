#include "gang/app/memory.hpp"

#include <cstddef>
#include <cstdint>
#include <link.h>
#include <malloc.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

namespace gang::app {
namespace {

/// What the loader has relocated is in segments that can be written, even where it closes them
/// afterwards: all others are as in the file. The kernel's own object has none.
int give_back_file_pages(dl_phdr_info* object, std::size_t, void*) {
    if (object->dlpi_addr == ::getauxval(AT_SYSINFO_EHDR)) {
        return 0;
    }
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(
                object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
            for (; entry->d_tag != DT_NULL; ++entry) {
                if (entry->d_tag == DT_TEXTREL) {
                    return 0;  // here the loader wrote everywhere
                }
            }
        }
    }
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) {
            continue;
        }
        const std::uintptr_t at = object->dlpi_addr + segment.p_vaddr;
        const std::uintptr_t begin = at / page * page;
        // Best effort: a kernel that refuses has taken nothing.
        static_cast<void>(
            ::madvise(reinterpret_cast<void*>(begin), at + segment.p_memsz - begin, MADV_DONTNEED));
    }
    return 0;
}

}  // namespace

void give_back_large_blocks() {
    constexpr int large = 256 * 1024;
    ::mallopt(M_MMAP_THRESHOLD, large);
    ::mallopt(M_TRIM_THRESHOLD, large);
}

void give_back_program() {
    ::dl_iterate_phdr(give_back_file_pages, nullptr);
}

void give_back_unused() {
    ::malloc_trim(0);
    give_back_program();
}

}  // namespace gang::app

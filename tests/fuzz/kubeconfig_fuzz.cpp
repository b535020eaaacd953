// The kubeconfig. It is read from a path, so the text is put into a file in memory.
#include "k8s/credentials/access.hpp"
#include "tests/fuzz/property.hpp"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const int file = ::memfd_create("kubeconfig", MFD_CLOEXEC);
    PROPERTY(file >= 0);
    PROPERTY(::write(file, data, size) == static_cast<ssize_t>(size));
    const auto access = k8s::load_kubeconfig({"/proc/self/fd/" + std::to_string(file)});
    ::close(file);
    if (access) {
        PROPERTY(!access->host.empty());
        PROPERTY(access->port != 0);
        PROPERTY(!access->namespace_name.empty());
    } else {
        PROPERTY(!access.error().message.empty());
    }
    return 0;
}

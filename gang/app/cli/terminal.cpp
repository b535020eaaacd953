#include "gang/app/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace gang::app {
bool may_be_coloured() {
    const char* forbidden = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return (forbidden == nullptr || *forbidden == 0) && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
}

TableStyle find_table_style(const std::ostream& out) {
    if (&out != &std::cout || isatty(STDOUT_FILENO) != 1) {
        return {};
    }
    winsize size{};
    const bool is_known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return {is_known ? size.ws_col : std::size_t{0}, may_be_coloured()};
}

}  // namespace gang::app

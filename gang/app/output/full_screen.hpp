#pragma once
// A terminal as a whole: drawn anew line by line, with keys as they are pressed. Plain codes that
// every terminal of today knows; whatever ends the program, the terminal is as it was.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <termios.h>

namespace gang::app {

enum class Key : std::uint8_t {
    none,
    quit,
    up,
    down,
    page_up,
    page_down,
    next,
    enter,
    back,
    resized
};

class FullScreen {
public:
    /// Standard input and output are a terminal.
    static bool is_possible();

    FullScreen();
    ~FullScreen();
    FullScreen(const FullScreen&) = delete;
    FullScreen& operator=(const FullScreen&) = delete;

    struct Size {
        std::size_t width = 80;
        std::size_t height = 24;
    };
    Size size() const;

    void draw(const std::vector<std::string>& lines);

    /// The next key; none: nobody pressed one in time. Signals that end the program are `quit`.
    Key wait(std::chrono::milliseconds longest);

private:
    termios before_{};
    std::string typed_;  ///< and not taken yet
};

/// The first key of what was typed, which is taken off. A key that means nothing is `none`.
Key take_key(std::string& typed);

}  // namespace gang::app

#include "gang/app/output/full_screen.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gang::app {
namespace {

// Set by handlers: the one thing that they may do.
volatile std::sig_atomic_t must_end = 0;
volatile std::sig_atomic_t is_resized = 0;

void on_signal(int number) {
    if (number == SIGWINCH) {
        is_resized = 1;
    } else {
        must_end = 1;
    }
}

void write_all(std::string_view text) {
    while (!text.empty()) {
        const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written < 0 && errno != EINTR && errno != EAGAIN) {
            must_end = 1;  // the terminal is gone
            return;
        }
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

}  // namespace

bool FullScreen::is_possible() {
    return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

FullScreen::FullScreen() {
    tcgetattr(STDIN_FILENO, &before_);
    termios raw = before_;
    // Keys come at once and unseen. Ctrl-C comes as a key, so that the terminal is put back.
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGWINCH}) {
        sigaction(number, &action, nullptr);
    }
    write_all("\x1b[?1049h\x1b[?25l");  // the other screen, without its cursor
}

FullScreen::~FullScreen() {
    write_all("\x1b[?25h\x1b[?1049l");
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGWINCH}) {
        std::signal(number, SIG_DFL);
    }
}

FullScreen::Size FullScreen::size() const {
    winsize found{};
    const bool is_known =
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) == 0 && found.ws_col > 0 && found.ws_row > 0;
    return is_known ? Size{found.ws_col, found.ws_row} : Size{};
}

void FullScreen::draw(const std::vector<std::string>& lines) {
    // Each line is cleared behind its end: clearing the whole first would flicker.
    std::string out = "\x1b[H";
    for (std::size_t i = 0; i < lines.size(); ++i) {
        out += lines[i] + "\x1b[K" + (i + 1 < lines.size() ? "\r\n" : "");
    }
    write_all(out + "\x1b[J");
}

Key FullScreen::wait(std::chrono::milliseconds longest) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const bool is_due = must_end != 0 || is_resized != 0 || !typed_.empty();
    const int ready = is_due ? 0 : ::poll(&input, 1, static_cast<int>(longest.count()));
    if (must_end != 0) {
        return Key::quit;
    }
    if (is_resized != 0) {
        is_resized = 0;
        return Key::resized;
    }
    if (ready > 0) {
        std::array<char, 64> bytes{};
        const auto count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count <= 0) {
            return Key::quit;  // nobody can press a key any more
        }
        typed_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return typed_.empty() ? Key::none : take_key(typed_);
}

Key take_key(std::string& typed) {
    struct Named {
        std::string_view bytes;
        Key key;
    };
    // Longer ones before those that they begin with.
    static constexpr std::array<Named, 18> table = {{
        {"\x1b[A", Key::up},
        {"\x1bOA", Key::up},
        {"\x1b[B", Key::down},
        {"\x1bOB", Key::down},
        {"\x1b[5~", Key::page_up},
        {"\x1b[6~", Key::page_down},
        {"q", Key::quit},
        {"Q", Key::quit},
        {"\x03", Key::quit},
        {"\x04", Key::quit},
        {"k", Key::up},
        {"j", Key::down},
        {" ", Key::page_down},
        {"\t", Key::next},
        {"\r", Key::enter},
        {"\n", Key::enter},
        {"\x7f", Key::back},
        {"\x1b", Key::back},
    }};
    for (const Named& named : table) {
        if (typed.starts_with(named.bytes)) {
            // A sequence that nobody knows goes as a whole.
            const bool is_other = named.bytes == "\x1b" && typed.size() > 1 &&
                                  (typed[1] == '[' || typed[1] == 'O');
            const std::size_t end = typed.find_first_of(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz~", 2);
            typed.erase(0, is_other ? (end == std::string::npos ? end : end + 1) : named.bytes.size());
            return is_other ? Key::none : named.key;
        }
    }
    typed.erase(0, 1);
    return Key::none;
}

}  // namespace gang::app

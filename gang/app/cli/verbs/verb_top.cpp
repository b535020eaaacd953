// `top`: the whole of it on the whole terminal, as it goes on; elsewhere one picture.
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/cli/terminal.hpp"
#include "gang/app/cli/verbs/questions.hpp"
#include "gang/app/output/full_screen.hpp"
#include "gang/app/output/top_picture.hpp"
#include "gang/app/show/nodes_report.hpp"
#include "gang/app/show/report.hpp"
#include "k8s/base/time.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

namespace gang::app {
namespace {

constexpr std::int64_t picture_pause_ms = 1'000;
/// Of a daemon that answers slowly, and of an API server that lists all pods, less is asked:
/// answers may take a twentieth of the time.
constexpr std::int64_t pause_for_cost = 20;

core::Result<TopPicture> find_picture(const Sources& sources) {
    TopPicture picture;
    auto gangs = find_gangs(sources, picture.note);
    if (!gangs) {
        return gangs.error();
    }
    picture.gangs = *std::move(gangs);
    Sources cluster = sources;
    cluster.namespace_name.clear();
    std::string note;
    auto ledger = find_nodes(cluster, note);
    if (ledger) {
        picture.ledger = *std::move(ledger);
    } else {
        picture.note += picture.note.empty() ? "" : "; ";
        picture.note += "without nodes: " + ledger.error().message;
    }
    picture.now_ms = k8s::unix_ms();
    return picture;
}

/// What `why` or `nodes NODE` says of the chosen one.
std::string text_about(const Sources& sources, const TopItem& item, const TopPicture& picture) {
    if (item.kind == TopItem::Kind::node) {
        return node_text(picture.ledger, item.name, k8s::unix_ms()).value_or("It is gone.");
    }
    std::string note;
    const auto answer = find_answer(sources, item.name, note);
    return answer ? why_text(*answer, k8s::unix_ms()) : answer.error().message;
}

class Top {
public:
    Top(const Sources& sources, TopPicture picture)
        : sources_(sources), picture_(std::move(picture)) {
        asked_ms_ = k8s::monotonic_ms();
    }

    void run() {
        draw();
        for (;;) {
            const std::int64_t due = asked_ms_ + pause_ms_ - k8s::monotonic_ms();
            const Key key = screen_.wait(std::chrono::milliseconds(std::max<std::int64_t>(due, 1)));
            if (key == Key::quit) {
                return;
            }
            on_key(key);
            if (k8s::monotonic_ms() >= asked_ms_ + pause_ms_) {
                ask();
            }
            draw();
        }
    }

private:
    void on_key(Key key) {
        const auto page = static_cast<std::ptrdiff_t>(screen_.size().height / 2);
        switch (key) {
            case Key::up:
                return move(-1);
            case Key::down:
                return move(1);
            case Key::page_up:
                return move(-page);
            case Key::page_down:
                return move(page);
            case Key::next:
                return about_ ? void() : choice_.next_group(picture_);
            case Key::enter:
                if (choice_.item() && !about_) {
                    about_ = *choice_.item();
                    first_line_ = 0;
                    text_ = text_about(sources_, *about_, picture_);
                }
                return;
            case Key::back:
                about_.reset();
                return;
            case Key::none:
            case Key::quit:
            case Key::resized:
                return;
        }
    }

    void move(std::ptrdiff_t by) {
        if (about_) {
            const auto lines = std::count(text_.begin(), text_.end(), '\n');
            first_line_ = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
                static_cast<std::ptrdiff_t>(first_line_) + by, 0, std::max<std::ptrdiff_t>(lines - 1, 0)));
        } else {
            choice_.move(picture_, by);
        }
    }

    void ask() {
        const std::int64_t begin = k8s::monotonic_ms();
        auto next = find_picture(sources_);
        if (next) {
            picture_ = *std::move(next);
        } else {
            picture_.note = next.error().message;  // a daemon may be replaced meanwhile
            picture_.now_ms = k8s::unix_ms();
        }
        choice_.follow(picture_);
        if (about_) {
            text_ = text_about(sources_, *about_, picture_);
        }
        asked_ms_ = k8s::monotonic_ms();
        pause_ms_ = std::max(picture_pause_ms, (asked_ms_ - begin) * pause_for_cost);
    }

    void draw() {
        const auto [width, height] = screen_.size();
        const TopSize size{width, height, may_be_coloured()};
        screen_.draw(
            about_ ? text_lines(about_->name, text_, first_line_, size)
                   : top_lines(picture_, choice_, size));
    }

    const Sources& sources_;
    TopPicture picture_;
    TopChoice choice_;
    std::optional<TopItem> about_;
    std::string text_;
    std::size_t first_line_ = 0;
    std::int64_t asked_ms_ = 0;
    std::int64_t pause_ms_ = picture_pause_ms;
    FullScreen screen_;
};

int top(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        return usage_error(err, "top", sources.error().message);
    }
    auto picture = find_picture(*sources);
    if (!picture) {
        return failure(err, "top", picture.error().message);
    }
    if (!FullScreen::is_possible()) {
        for (const std::string& row : top_lines(*picture, {}, {0, 0, false})) {
            out << row << '\n';
        }
        return exit_done;
    }
    Top(*sources, *std::move(picture)).run();
    return exit_done;
}

}  // namespace

Verb top_verb() {
    std::vector<Flag> flags = ask_flags({});
    std::erase_if(flags, [](const Flag& flag) { return flag.name == "output"; });
    return Verb{
        "top",
        "who waits, who runs and how full the nodes are, on the whole terminal",
        "",
        std::move(flags),
        {"gang-scheduler top", "gang-scheduler top -n etl"},
        top};
}

}  // namespace gang::app

#include "gang/app/reload/file_watch.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sys/inotify.h>
#include <utility>

namespace gang::app {
namespace {

namespace asio = boost::asio;

/// A file that is written in several steps is read once, when it is whole.
constexpr auto together = std::chrono::milliseconds(200);
constexpr std::uint32_t changes =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF;

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// Empty: it is not there.
std::string real_path(const std::string& path) {
    std::array<char, PATH_MAX> real{};
    return ::realpath(path.c_str(), real.data()) == nullptr ? std::string() : real.data();
}

}  // namespace

struct FileWatch::Impl : std::enable_shared_from_this<Impl> {
    Impl(asio::io_context& io, std::string watched, std::function<void()> call)
        : path(std::move(watched)),
          changed(std::move(call)),
          descriptor(io),
          timer(io),
          again(io) {}

    /// Whatever is watched already is watched once.
    bool watch_folders() {
        std::set<std::string> folders = {folder_of(path)};
        if (const std::string real = real_path(path); !real.empty()) {
            folders.insert(folder_of(real));
        }
        bool is_any = false;
        for (const std::string& folder : folders) {
            const int watch =
                ::inotify_add_watch(descriptor.native_handle(), folder.c_str(), changes);
            is_any = is_any || watch >= 0;
        }
        return is_any;
    }

    void read() {
        descriptor.async_read_some(
            asio::buffer(buffer),
            [self = shared_from_this()](const boost::system::error_code& ec, std::size_t) {
                if (ec) {
                    return;
                }
                self->say_soon();
                self->read();
            });
    }

    /// What goes on changing is read all the same, now and then.
    void say_soon() {
        if (std::exchange(is_due, true)) {
            return;
        }
        timer.expires_after(together);
        timer.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
            self->is_due = false;
            if (ec) {
                return;
            }
            self->watch_folders();
            if (self->changed) {
                self->changed();
            }
        });
    }

    /// What inotify does not tell: a folder that was exchanged, rights, a file system of the
    /// network.
    void look_again() {
        again.expires_after(std::chrono::minutes(1));
        again.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
            if (ec || !self->changed) {
                return;
            }
            self->say_soon();
            self->look_again();
        });
    }

    std::string path;
    std::function<void()> changed;
    asio::posix::stream_descriptor descriptor;
    asio::steady_timer timer;
    asio::steady_timer again;
    std::array<char, 4096> buffer{};
    bool is_due = false;
};

FileWatch::FileWatch(asio::io_context& io, std::string path, std::function<void()> changed)
    : impl_(std::make_shared<Impl>(io, std::move(path), std::move(changed))) {}

FileWatch::~FileWatch() {
    stop();
}

std::string FileWatch::start() {
    const int handle = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (handle < 0) {
        return std::strerror(errno);
    }
    impl_->descriptor.assign(handle);
    if (!impl_->watch_folders()) {
        const std::string why = std::strerror(errno);
        stop();
        return why;
    }
    impl_->read();
    impl_->look_again();
    return {};
}

void FileWatch::stop() {
    boost::system::error_code ec;
    impl_->descriptor.close(ec);
    impl_->timer.cancel();
    impl_->again.cancel();
    impl_->changed = nullptr;
}

}  // namespace gang::app

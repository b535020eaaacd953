#pragma once
// Says when a file may be another one: inotify on the folder that it stands in, and on the one that
// it really is in. So it sees a file that is written, one that is moved into its place, and a
// mounted ConfigMap, whose folder gets another link `..data` and whose files are never touched.

#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace gang::app {

class FileWatch {
public:
    /// `changed` is called on the loop, once for changes that come together, and may be called when
    /// nothing has changed.
    FileWatch(boost::asio::io_context& io, std::string path, std::function<void()> changed);
    ~FileWatch();
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;

    /// Empty, or why nothing will be seen.
    std::string start();
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace gang::app

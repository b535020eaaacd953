#pragma once
// Credential plugins as shell scripts in a folder that goes when the test does.

#include "k8s/credentials/exec/plugin.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace scripts {

inline constexpr const char* v1 = "client.authentication.k8s.io/v1";

class Folder {
public:
    Folder() {
        char name[] = "/tmp/gang-scheduler-test-XXXXXX";
        REQUIRE(::mkdtemp(name) != nullptr);
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string path(const std::string& name) const { return (path_ / name).string(); }

    /// In one step, for whoever reads it meanwhile.
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / (name + ".new")) << text;
        std::filesystem::rename(path_ / (name + ".new"), path_ / name);
        return path(name);
    }
    std::string read(const std::string& name) const {
        std::ifstream in(path_ / name);
        return std::string(std::istreambuf_iterator<char>(in), {});
    }
    std::string script(const std::string& name, const std::string& lines) const {
        write(name, "#!/bin/sh\n" + lines + "\n");
        std::filesystem::permissions(path_ / name, std::filesystem::perms::owner_all);
        return path(name);
    }
    /// A plugin that notes each of its runs in the file "runs" and prints the file "answer".
    k8s::ExecPlugin plugin() const {
        k8s::ExecPlugin made;
        made.user = "u";
        made.api_version = v1;
        made.command = script("plugin", "echo >>" + path("runs") + "\ncat " + path("answer"));
        return made;
    }
    std::size_t runs() const { return read("runs").size(); }

private:
    std::filesystem::path path_;
};

/// An ExecCredential with these members of its status.
inline std::string answer(const std::string& status) {
    return std::string(R"({"apiVersion":")") + v1 + R"(","kind":"ExecCredential","status":{)" +
           status + "}}";
}

inline std::string token_answer(const std::string& token, const std::string& expiry = "") {
    const std::string ends = expiry.empty() ? "" : R"(,"expirationTimestamp":")" + expiry + "\"";
    return answer(R"("token":")" + token + "\"" + ends);
}

}  // namespace scripts

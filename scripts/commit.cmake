# Writes OUT, a C++ file that says of which commit SOURCE is, when that has changed.
# Without a repository (a tarball, the build of an image) COMMIT and COMMIT_DATE of the environment say it, or nobody.
# Usage: cmake -DSOURCE=DIR -DOUT=FILE -P commit.cmake
set(commit "$ENV{COMMIT}")
set(date "$ENV{COMMIT_DATE}")
if(NOT commit)
    execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    execute_process(COMMAND git -C "${SOURCE}" log -1 --format=%cs
                    OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
foreach(text commit date)
    if(NOT "${${text}}" MATCHES "^[0-9A-Za-z.-]*$")
        set(${text} "")
    endif()
endforeach()
set(content "#include \"gang/app/base/version.hpp\"

namespace gang::app {

const std::string_view commit = \"${commit}\";
const std::string_view commit_date = \"${date}\";

}  // namespace gang::app
")
set(before "")
if(EXISTS "${OUT}")
    file(READ "${OUT}" before)
endif()
if(NOT content STREQUAL before)
    file(WRITE "${OUT}" "${content}")
endif()

#include "core/base/progress_text.hpp"

#include <doctest/doctest.h>

using core::progress_text;

TEST_CASE("progress: share, number, rate, and what is left at that rate") {
    CHECK(progress_text(34'000, 280'000, 20'000, "seeds") == "12%, 34000 seeds, 1700 seeds/s, 2m25s left");
    CHECK(progress_text(1, 7'200, 1'000, "files") == "0%, 1 files, 1.00 files/s, 1h59m left");
    CHECK(progress_text(1, 7'141, 1'000, "files") == "0%, 1 files, 1.00 files/s, 1h59m left");
    CHECK(progress_text(1, 3'601, 1'000, "files") == "0%, 1 files, 1.00 files/s, 1h0m left");
    CHECK(progress_text(1, 3'600, 1'000, "files") == "0%, 1 files, 1.00 files/s, 59m59s left");
    CHECK(progress_text(5, 10, 20'000, "runs") == "50%, 5 runs, 0.25 runs/s, 20s left");
    CHECK(progress_text(10, 10, 1'000, "runs") == "100%, 10 runs, 10 runs/s");
}

TEST_CASE("progress: nobody knows how much there is, or nothing has been done yet") {
    CHECK(progress_text(40, 0, 2'000, "seeds") == "40 seeds, 20 seeds/s");
    CHECK(progress_text(0, 10, 2'000, "seeds") == "0%, 0 seeds, 0.00 seeds/s");
    CHECK(progress_text(3, 10, 0, "seeds") == "30%, 3 seeds, 0.00 seeds/s");
    CHECK(progress_text(30, 10, 1'000, "seeds") == "100%, 30 seeds, 30 seeds/s");
}

#pragma once
// What a table is printed on.

#include "gang/app/show/report.hpp"

#include <iosfwd>

namespace gang::app {

/// NO_COLOR and TERM=dumb forbid colours.
bool may_be_coloured();

/// As wide as the terminal and coloured, if `out` is standard output and that is a terminal. Else
/// nothing is cut and nothing coloured: a program may read it.
TableStyle find_table_style(const std::ostream& out);

}  // namespace gang::app

// The picture of a report, drawn by gnuplot.
#pragma once

#include "report.hpp"

#include <string>

namespace rwlease::selftest {

// Is gnuplot there?
bool can_plot();

// What gnuplot is given to draw `file` (.svg or .png).
std::string plot_script(const Report& report, const std::string& file);

// Draws settings.plot. What went wrong, or empty.
std::string draw(const Report& report);

}  // namespace rwlease::selftest

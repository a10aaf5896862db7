// Text in columns.
#pragma once

#include <string>
#include <vector>

namespace rwlease::cli {

// Rows of the same number of cells, each as wide as the widest of its column, two blanks between columns, none at the
// ends of lines. Columns that are empty but for the first row (the heading) are left out. Widths are as
// width_of() has them.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace rwlease::cli

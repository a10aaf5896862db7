#include "table.hpp"

#include "screen.hpp"

#include <algorithm>

namespace rwlease::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// 0 for a column to leave out.
std::size_t column_width(const Rows& rows, std::size_t column) {
  std::size_t widest = 0;
  for (std::size_t row = 1; row < rows.size(); ++row) widest = std::max(widest, width_of(rows[row][column]));
  return widest == 0 ? 0 : std::max(widest, width_of(rows[0][column]));
}

}  // namespace

std::string table(const Rows& rows) {
  if (rows.empty()) return {};
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < rows[0].size(); ++column) widths.push_back(column_width(rows, column));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (widths[column] == 0) continue;
      line += row[column];
      line.append(widths[column] - width_of(row[column]) + 2, ' ');
    }
    text += line.erase(line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace rwlease::cli

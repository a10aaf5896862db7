#include "screen.hpp"

#include <sys/ioctl.h>

#include <algorithm>
#include <vector>

namespace rwlease::cli {
namespace {

constexpr char escape = '\x1b';
constexpr const char* go_home = "\x1b[H";
constexpr const char* clear_rest_of_line = "\x1b[K";
constexpr const char* clear_below = "\x1b[J";
constexpr const char* plain = "\x1b[0m";

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }

// The bytes of the sequence that the text begins with: "\x1b[31m".
std::size_t sequence_size(std::string_view text) { return std::min(text.find('m'), text.size() - 1) + 1; }

// The most of it that fits into so many columns.
std::string_view prefix_of_width(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (std::size_t width = 0; at < text.size();) {
    if (text[at] == escape) {
      at += sequence_size(text.substr(at));
      continue;
    }
    if (begins_character(text[at]) && ++width > columns) break;
    ++at;
  }
  return text.substr(0, at);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, text[end] == '\n' ? end : end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string drawn(std::string_view line, std::size_t columns) {
  return std::string(prefix_of_width(line, columns)) + plain + clear_rest_of_line;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == escape) {
      at += sequence_size(text.substr(at));
      continue;
    }
    if (begins_character(text[at])) ++width;
    ++at;
  }
  return width;
}

ScreenSize ScreenSize::of(int descriptor) noexcept {
  struct winsize window = {};
  ScreenSize size;
  if (::ioctl(descriptor, TIOCGWINSZ, &window) != 0 || window.ws_row == 0 || window.ws_col == 0) return size;
  size.rows = window.ws_row;
  size.columns = window.ws_col;
  return size;
}

std::string frame(std::string_view text, const ScreenSize& size) {
  const std::vector<std::string_view> lines = lines_of(text);
  const bool fits = lines.size() <= size.rows;
  const std::size_t shown = fits ? lines.size() : size.rows - 1;
  std::string out = go_home;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += "\r\n";
    out += drawn(lines[i], size.columns);
  }
  if (!fits) out += "\r\n" + drawn("... and " + std::to_string(lines.size() - shown) + " lines more", size.columns);
  return out + clear_below;
}

}  // namespace rwlease::cli

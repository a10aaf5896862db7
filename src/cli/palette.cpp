#include "palette.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace rwlease::cli {
namespace {

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

}  // namespace

Palette Palette::for_descriptor(int descriptor) {
  return Palette(::isatty(descriptor) == 1 && environment("NO_COLOR").empty() && environment("TERM") != "dumb");
}

std::string Palette::with(const char* code, const std::string& text) const {
  return on_ && !text.empty() ? std::string("\x1b[") + code + 'm' + text + "\x1b[0m" : text;
}

}  // namespace rwlease::cli

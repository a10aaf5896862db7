// Text on a terminal's screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rwlease::cli {

// How many columns the text takes: characters of valid UTF-8, one each, and nothing for a palette's sequences.
std::size_t width_of(std::string_view text);

struct ScreenSize {
  std::size_t rows = 24;
  std::size_t columns = 80;

  // Of the terminal; as above where it does not say.
  static ScreenSize of(int descriptor) noexcept;
};

// What draws the text over the screen's content without a flicker: each line is cut to the screen's width and the rest
// of it cleared, and lines that do not fit below each other give way to one that says how many they are.
std::string frame(std::string_view text, const ScreenSize& size);

}  // namespace rwlease::cli

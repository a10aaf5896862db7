// Colours, where they are wanted.
#pragma once

#include <string>

namespace rwlease::cli {

// Gives text as it is, or, when it is on, with the terminal's sequences around it.
class Palette {
 public:
  explicit Palette(bool on = false) noexcept : on_(on) {}

  // On for a terminal, unless NO_COLOR is set (to anything but the empty string) or TERM says that it is a dumb one.
  static Palette for_descriptor(int descriptor);

  std::string good(const std::string& text) const { return with("32", text); }
  std::string doubtful(const std::string& text) const { return with("33", text); }
  std::string bad(const std::string& text) const { return with("31", text); }
  std::string strong(const std::string& text) const { return with("1", text); }

 private:
  std::string with(const char* code, const std::string& text) const;

  bool on_;
};

}  // namespace rwlease::cli

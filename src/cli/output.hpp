// All that the command writes goes through here.
#pragma once

#include <string>
#include <string_view>

namespace rwlease::cli {

// The text as it may be shown on a terminal: control bytes, broken UTF-8 and characters that reorder or hide text
// become \xNN. Records and file names are written by others and must not steer the reader's terminal.
std::string printable(std::string_view text);

// Writes "rwlease: TEXT" as one line, made printable, to stderr with one write(2), so that lines of several threads and
// processes do not mix. Any thread. An error is ignored: there is nobody to tell.
void say(std::string_view text) noexcept;

// The same without the end of the line, for a question.
void say_without_newline(std::string_view text) noexcept;

// Writes to stdout, as it is. Throws std::system_error where that fails (full disk, closed pipe).
void write_stdout(std::string_view text);

// While one exists, what write_stdout() is given is kept here instead. One at a time.
class StdoutCapture {
 public:
  StdoutCapture();
  ~StdoutCapture();
  StdoutCapture(const StdoutCapture&) = delete;
  StdoutCapture& operator=(const StdoutCapture&) = delete;

  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

// Makes sure that descriptors 0 to 2 are open, so that none of ours gets their numbers.
void open_standard_descriptors();

}  // namespace rwlease::cli

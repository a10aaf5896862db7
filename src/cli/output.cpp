#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace rwlease::cli {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: not a whole, shortest-form UTF-8 character
};

std::size_t announced_bytes(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

Character decode(std::string_view text) {
  static constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = announced_bytes(lead);
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = bytes == 1 ? lead : lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

bool is_between(std::uint32_t code, std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; }

// Controls (C0, DEL, C1), and what reorders, joins or hides text: direction marks, zero-width characters, line
// separators, tags.
bool steers_terminal(std::uint32_t code) {
  return code < 0x20 || is_between(code, 0x7f, 0x9f) || code == 0xad || code == 0x61c ||
         is_between(code, 0x200b, 0x200f) || is_between(code, 0x2028, 0x202e) || is_between(code, 0x2060, 0x206f) ||
         code == 0xfeff || is_between(code, 0xfff9, 0xfffb) || is_between(code, 0xe0000, 0xe0fff);
}

void append_escaped(std::string& out, std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += digits[byte >> 4U];
    out += digits[byte & 0xfU];
  }
}

std::string* captured = nullptr;  // by the StdoutCapture that exists

bool write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void say_with_end(std::string_view text, const char* end) noexcept {
  try {
    write_all(STDERR_FILENO, "rwlease: " + printable(text) + end);
  } catch (const std::exception&) {
    write_all(STDERR_FILENO, "rwlease: out of memory\n");
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character character = decode(text);
    const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
    if (character.bytes == 0 || steers_terminal(character.code)) {
      append_escaped(out, text.substr(0, bytes));
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

void say(std::string_view text) noexcept { say_with_end(text, "\n"); }

void say_without_newline(std::string_view text) noexcept { say_with_end(text, ""); }

void write_stdout(std::string_view text) {
  if (captured != nullptr) {
    *captured += text;
    return;
  }
  if (!write_all(STDOUT_FILENO, text)) throw std::system_error(errno, std::generic_category(), "writing to stdout");
}

StdoutCapture::StdoutCapture() { captured = &text_; }

StdoutCapture::~StdoutCapture() { captured = nullptr; }

void open_standard_descriptors() {
  // open() gives the lowest free number, so the loop ends as soon as all three are taken.
  int descriptor = 0;
  do {
    descriptor = ::open("/dev/null", O_RDWR);
  } while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor > STDERR_FILENO) ::close(descriptor);
}

}  // namespace rwlease::cli

#include "protocol/names.hpp"

#include <algorithm>
#include <charconv>

namespace rwlease::protocol {
namespace {

constexpr std::size_t longest_host = 64;
constexpr std::size_t token_length = 32;
constexpr long largest_pid = 1L << 22;

bool is_host_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

bool is_hex_byte(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Digits only, no sign, no leading zero, nothing behind them: one text for each number.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes the last dot-separated field off the text.
std::string_view take_last_field(std::string_view& text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view field = text.substr(dot + 1);
  text = text.substr(0, dot);
  return field;
}

}  // namespace

std::string MarkerId::text() const {
  return host + "." + std::to_string(pid) + "." + std::to_string(lease.count()) + "." + token;
}

std::string MarkerId::shown() const { return host + "." + std::to_string(pid); }

std::optional<MarkerId> MarkerId::parse(std::string_view text) {
  MarkerId id;
  const std::string_view token = take_last_field(text);
  const auto lease = whole_number(take_last_field(text));
  const auto pid = whole_number(take_last_field(text));
  if (!is_token(token) || !lease || !pid) return std::nullopt;
  if (*lease == 0 || *lease > static_cast<std::uint64_t>(longest_lease.count())) return std::nullopt;
  if (*pid == 0 || *pid > static_cast<std::uint64_t>(largest_pid)) return std::nullopt;
  if (text.empty() || text.size() > longest_host || !std::all_of(text.begin(), text.end(), is_host_byte)) {
    return std::nullopt;
  }
  id.host = text;
  id.pid = static_cast<long>(*pid);
  id.lease = std::chrono::milliseconds(*lease);
  id.token = token;
  return id;
}

std::string clean_host(std::string_view host) {
  std::string clean(host.substr(0, longest_host));
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return !is_host_byte(c); }, '-');
  return clean.empty() ? "unnamed" : clean;
}

std::optional<std::uint64_t> fence_number(std::string_view entry) {
  if (!starts_with(entry, fence_prefix)) return std::nullopt;
  return whole_number(entry.substr(sizeof fence_prefix - 1));
}

std::string fence_path(std::uint64_t number) { return in_readers(fence_prefix + std::to_string(number)); }

bool counts_as_reader(std::string_view entry) {
  return !starts_with(entry, claim_prefix) && !starts_with(entry, change_prefix) && !fence_number(entry);
}

std::string shown_name(std::string_view entry) {
  constexpr std::size_t longest_shown = 80;
  const auto id = MarkerId::parse(without_prefix(entry));
  if (id) return id->shown();
  // A name that does not parse may still end in what was meant as a token.
  const std::size_t dot = entry.rfind('.');
  if (dot != std::string_view::npos && is_token(entry.substr(dot + 1))) entry = entry.substr(0, dot);
  std::string shown(entry.substr(0, longest_shown));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return shown;
}

std::string_view without_prefix(std::string_view entry) {
  for (const std::string_view prefix : {std::string_view(claim_prefix), std::string_view(change_prefix),
                                        std::string_view(probe_prefix), std::string_view(hidden_prefix)}) {
    if (starts_with(entry, prefix)) return entry.substr(prefix.size());
  }
  return entry;
}

std::string in_readers(std::string_view entry) { return std::string(readers_name).append("/").append(entry); }
std::string in_writer(std::string_view entry) { return std::string(writer_name).append("/").append(entry); }
bool is_in_writer(std::string_view path) noexcept { return starts_with(path, "writer/"); }

bool is_token(std::string_view text) {
  return text.size() == token_length && std::all_of(text.begin(), text.end(), is_hex_byte);
}

bool starts_with(std::string_view text, std::string_view prefix) noexcept {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace rwlease::protocol

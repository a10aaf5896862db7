#include "protocol/record.hpp"

#include "protocol/names.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace rwlease::protocol {
namespace {

constexpr std::string_view version_word = "rwlease/1";
constexpr std::size_t longest_value = 256;     // bytes of it that are kept
constexpr std::size_t longest_decisive = 256;  // as written, so that all that decides fits, whatever it is made of

bool is_plain(char c) { return c > 0x20 && c < 0x7f && c != '%'; }

std::string escaped(char c) {
  if (is_plain(c)) return {c};
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  return {'%', digits[byte >> 4U], digits[byte & 15U]};
}

// Cut before the byte that would exceed either limit, never within an escape: what is read back is written alike.
std::string escaped(std::string_view value, std::size_t longest_written = longest_record) {
  std::string out;
  for (const char c : value.substr(0, longest_value)) {
    const std::string written = escaped(c);
    if (out.size() + written.size() > longest_written) break;
    out += written;
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned byte = 0;
    const bool escape =
        text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(text.data() + at + 1, text.data() + at + 3, byte, 16).ptr == text.data() + at + 3;
    out += escape ? static_cast<char>(byte) : text[at];
    if (escape) at += 2;
  }
  return out;
}

template <class Number>
Number number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : Number(0);
}

// Seconds with at most three decimals, "90" or "0.25"; 0 for anything else.
std::chrono::milliseconds seconds(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto whole = number<std::uint32_t>(text.substr(0, dot));
  std::uint32_t thousandths = 0;
  if (dot != std::string_view::npos) {
    std::string decimals(text.substr(dot + 1, 3));
    decimals.resize(3, '0');
    thousandths = number<std::uint32_t>(decimals);
  }
  return std::chrono::milliseconds(std::int64_t{1000} * whole + thousandths);
}

std::string seconds_text(std::chrono::milliseconds duration) {
  std::string text = std::to_string(duration.count() / 1000);
  std::string decimals = std::to_string(1000 + duration.count() % 1000).substr(1);
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  return decimals.empty() ? text : text + "." + decimals;
}

// What fits a point in time of any clock; 0 for anything else.
std::chrono::milliseconds time_since_epoch(std::string_view text) {
  constexpr auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds::max());
  const std::chrono::milliseconds time(number<std::int64_t>(text));
  return time.count() >= 0 && time <= longest ? time : std::chrono::milliseconds(0);
}

void take_word(Record& record, std::string_view key, std::string_view value) {
  if (key == "token") record.token = value;
  if (key == "host") record.host = unescaped(value);
  if (key == "pid") record.process.pid = number<pid_t>(value);
  if (key == "lease") record.lease = seconds(value);
  if (key == "boot") record.process.boot_id = unescaped(value);
  if (key == "start") record.process.start = number<std::uint64_t>(value);
  if (key == "pidns") record.process.pidns = number<std::uint64_t>(value);
  if (key == "timens") record.process.timens = number<std::uint64_t>(value);
  if (key == "uid") record.uid = number<uid_t>(value);
  if (key == "sole") record.sole = value == "1";
  if (key == "group") record.process_group = number<pid_t>(value);
  if (key == "ranks") record.ranks = number<int>(value);
  if (key == "since") record.since = time_since_epoch(value);
  if (key == "job") record.job = unescaped(value);
  if (key == "cluster") record.batch.cluster = unescaped(value);
  if (key == "jobid") record.batch.id = unescaped(value);
  if (key == "step") record.batch.step = unescaped(value);
  if (key == "node") record.batch.node = unescaped(value);
  if (key == "restarts") record.batch.restarts = number<int>(value);
  if (key == "label") record.label = unescaped(value);
}

}  // namespace

std::string Record::text() const {
  std::string line(version_word);
  const auto add = [&line](std::string_view key, const std::string& value) {
    line.append(" ").append(key).append("=").append(value);
  };
  add("token", token);
  add("pid", std::to_string(process.pid));
  add("host", escaped(host, longest_decisive));
  add("lease", seconds_text(lease));
  add("boot", escaped(process.boot_id, longest_decisive));
  add("start", std::to_string(process.start));
  add("pidns", std::to_string(process.pidns));
  if (process.timens != 0) add("timens", std::to_string(process.timens));
  add("uid", std::to_string(uid));
  add("sole", sole ? "1" : "0");
  if (process_group != 0) add("group", std::to_string(process_group));
  add("ranks", std::to_string(ranks));
  add("since", std::to_string(since.count()));
  // Courtesies last, and only while there is room: the rest decides over lives.
  const auto add_if_it_fits = [&](std::string_view key, const std::string& value) {
    if (!value.empty() && line.size() + key.size() + value.size() + 2 < longest_record) add(key, value);
  };
  add_if_it_fits("job", escaped(job));
  add_if_it_fits("cluster", escaped(batch.cluster));
  add_if_it_fits("jobid", escaped(batch.id));
  add_if_it_fits("step", escaped(batch.step));
  add_if_it_fits("node", escaped(batch.node));
  if (batch.restarts != 0) add_if_it_fits("restarts", std::to_string(batch.restarts));
  add_if_it_fits("label", escaped(label));
  return line;
}

std::optional<Record> Record::parse(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  if (text.size() > longest_record) return std::nullopt;
  Record record;
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (first && word != version_word) return std::nullopt;
    first = false;
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos) take_word(record, word.substr(0, equals), word.substr(equals + 1));
  }
  if (!is_token(record.token) || record.process.pid <= 0) return std::nullopt;
  return record;
}

}  // namespace rwlease::protocol

#include "trace_log.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace rwlease::cli {
namespace {

using Words = std::map<std::string, std::string>;

constexpr const char* first_word = "rwlease-trace/1";
constexpr const char* suffix = ".rwltrace";

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string unescaped(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    plain += escape ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
    if (escape) i += 2;
  }
  return plain;
}

// The first word goes to `name`.
Words parse_line(const std::string& line, std::string& name) {
  std::istringstream stream(line);
  Words words;
  stream >> name;
  for (std::string word; stream >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) words[word.substr(0, equals)] = unescaped(word.substr(equals + 1));
  }
  return words;
}

std::optional<std::int64_t> number(const Words& words, const char* key) {
  const auto found = words.find(key);
  if (found == words.end()) return std::nullopt;
  try {
    return std::stoll(found->second);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::string text(const Words& words, const std::string& key) {
  const auto found = words.find(key);
  return found == words.end() ? std::string() : found->second;
}

std::optional<TraceEvent> parse_event(const std::string& line) {
  TraceEvent event;
  event.words = parse_line(line, event.name);
  const auto from = number(event.words, "from");
  const auto to = number(event.words, "to");
  if (!from || !to || *from > *to) return std::nullopt;
  event.from = *from;
  event.to = *to;
  event.thread = text(event.words, "thread");
  return event;
}

[[noreturn]] void fail(const std::string& doing, const std::error_code& error) {
  throw std::runtime_error(doing + ": " + error.message());
}

std::vector<std::string> logs_in(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> logs;
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == suffix) logs.push_back(entry->path().string());
  }
  if (error) fail("listing " + path, error);
  if (logs.empty()) {
    throw std::runtime_error("no logs (*" + std::string(suffix) + ") are in " + path +
                             "; RWLEASE_TRACE must name it, on the host where the command runs");
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

[[noreturn]] void fail_unbegun(const std::string& source) {
  throw UnbegunTrace(source + " is left out: it ends before its first line does");
}

TraceLog read_file(const std::string& file) {
  errno = 0;
  std::ifstream stream(file);
  if (!stream) fail("opening " + file, {errno, std::generic_category()});
  return read_trace(stream, file);
}

void add(ReadTraces& traces, const std::string& file) {
  try {
    traces.logs.push_back(read_file(file));
    if (traces.logs.back().cut_off) traces.notes.push_back(file + " is cut off: the half line at its end is left out");
  } catch (const UnbegunTrace& unbegun) {
    traces.notes.emplace_back(unbegun.what());
  } catch (const std::exception& error) {
    traces.troubles.emplace_back(error.what());
  }
}

}  // namespace

std::string TraceEvent::word(const std::string& key) const { return text(words, key); }

TraceLog read_trace(std::istream& stream, const std::string& source) {
  std::string line;
  std::string name;
  std::getline(stream, line);
  const Words words = parse_line(line, name);
  const bool begins_well = std::string_view(first_word).substr(0, name.size()) == name;
  if (stream.eof() && begins_well) fail_unbegun(source);
  const auto real = number(words, "real");
  const auto mono = number(words, "mono");
  if (name != first_word || !real || !mono) {
    throw std::runtime_error("reading " + source + ": it is no trace of rwlease, or of another version");
  }
  TraceLog log{text(words, "host"), text(words, "pid"), text(words, "boot"), text(words, "job"), *real - *mono, {}};
  while (std::getline(stream, line)) {
    log.cut_off = stream.eof();  // without its end it may be half a line
    if (log.cut_off) break;
    if (auto event = parse_event(line)) log.events.push_back(std::move(*event));
  }
  return log;
}

ReadTraces read_traces(const std::vector<std::string>& paths) {
  ReadTraces traces;
  for (const std::string& path : paths) {
    try {
      for (const std::string& file : logs_in(path)) add(traces, file);
    } catch (const std::exception& error) {
      traces.troubles.emplace_back(error.what());
    }
  }
  return traces;
}

}  // namespace rwlease::cli

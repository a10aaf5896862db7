#include "runtime/trace.hpp"

#include "log.hpp"
#include "runtime/batch_job.hpp"
#include "runtime/fork.hpp"
#include "runtime/runtime.hpp"

#include <memory>

namespace rwlease::runtime {
namespace {

// What is known of tracing in this process. A forked child asks anew, and writes a file of its own.
enum class State : int { unasked, off, on };
std::atomic<State> state{State::unasked};
std::atomic<Trace*> present_trace{nullptr};

void ask_anew() {
  present_trace.store(nullptr);
  state.store(State::unasked);
}

std::string escaped(std::string_view value) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && c != '%') {
      text += c;
    } else {
      text += '%';
      text += digits[byte >> 4U];
      text += digits[byte & 0xfU];
    }
  }
  return text;
}

std::string file_name(const fs::Host& host) {
  const fs::ProcessIdentity self = host.self();
  // Not by the process alone: one that executes another program is still the same.
  const auto now = fs::SystemClock().boot().count();
  return host.name() + "." + std::to_string(self.pid) + "." + std::to_string(now) + ".rwltrace";
}

void begin() {
  static const bool registered = (on_fork(ask_anew), true);
  static_cast<void>(registered);
  const std::string directory = fs::trace_directory();
  if (directory.empty()) return state.store(State::off);
  // Kept for good, because any thread may be in it; where two begin at once both write, each a file of its own.
  present_trace.store(std::make_unique<Trace>(directory, fs::SystemHost(), batch_job()).release());
  state.store(State::on);
}

}  // namespace

Trace* Trace::get() noexcept {
  try {
    if (state.load() == State::unasked) begin();
  } catch (const std::exception&) {
    state.store(State::off);
  }
  return state.load() == State::on ? present_trace.load() : nullptr;
}

Trace::Trace(const std::string& directory, const fs::Host& host, const std::string& job)
    : file_(directory, file_name(host)) {
  if (!file_.open()) {
    log_line(LogLevel::warning, "no trace is written: making a file in " + directory + ": " + file_.trouble() +
                                    "; RWLEASE_TRACE must name a directory that can be written");
    return;
  }
  file_.append("rwlease-trace/1 host=" + escaped(host.name()) + " pid=" + std::to_string(host.self().pid) +
               " boot=" + escaped(host.boot_id()) + " real=" + std::to_string(clock_.real().count()) +
               " mono=" + std::to_string(clock_.boot().count()) + " job=" + escaped(job) + '\n');
}

void Trace::event(const char* name, fs::Nanoseconds from, std::initializer_list<Word> words) noexcept {
  if (!file_.open()) return;
  try {
    std::string line = std::string(name) + " from=" + std::to_string(from.count()) +
                       " to=" + std::to_string(clock_.boot().count()) + " thread=" + std::to_string(this_thread());
    for (const auto& [key, value] : words) line += std::string(" ") + key + "=" + escaped(value);
    file_.append(line + '\n');
  } catch (const std::exception&) {
    // Out of memory.
  }
}

std::uint64_t Trace::next_number() noexcept { return last_.fetch_add(1) + 1; }

std::string trace_id(std::string_view marker_name) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : marker_name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[hash >> static_cast<unsigned>(shift) & 0xfU];
  return text;
}

}  // namespace rwlease::runtime

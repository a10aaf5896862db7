// Commands that take the lock many times, and report each hold.
#include "process/participant/cancel.hpp"
#include "process/participant/report.hpp"
#include "process/participant/session.hpp"
#include "process/support/clock.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>
#include <thread>

namespace rwlease::test {
namespace {

constexpr std::chrono::seconds longest_wait{60};
constexpr int files = 3;
constexpr std::size_t words_in_a_file = 2048;
using Block = std::array<std::uint64_t, words_in_a_file>;

void report_hold(Mode mode, std::chrono::nanoseconds asked, std::chrono::nanoseconds entered) {
  report("hold", std::string(to_string(mode)) + " " + std::to_string(asked.count()) + " " +
                     std::to_string(entered.count()) + " " + std::to_string(monotonic_now().count()));
}

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 33U;
  value *= 0xff51afd7ed558ccdU;
  return value ^ (value >> 29U);
}

std::string file_name(const std::string& data, int number) { return data + "." + std::to_string(number); }

// All files carry one version, each word of them mixed from version, file and place.
void write_version(const std::string& data, std::uint64_t version) {
  for (int number = 0; number < files; ++number) {
    Block block;
    block[0] = version;
    for (std::size_t i = 1; i < block.size(); ++i)
      block[i] = mixed(version + i * files + static_cast<unsigned>(number));
    std::ofstream file(file_name(data, number), std::ios::binary | std::ios::in | std::ios::out);
    // In two halves, so that one who looks in between sees it.
    constexpr std::size_t half = sizeof(Block) / 2;
    file.write(reinterpret_cast<const char*>(block.data()), half).flush();
    std::this_thread::yield();
    file.write(reinterpret_cast<const char*>(block.data()) + half, half).flush();
    if (!file) throw std::runtime_error("writing " + file_name(data, number));
  }
}

// The one version of all files; nothing when they do not agree.
std::optional<std::uint64_t> read_version(const std::string& data) {
  std::optional<std::uint64_t> version;
  for (int number = 0; number < files; ++number) {
    Block block;
    std::ifstream file(file_name(data, number), std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(block.data()), sizeof(Block))) return std::nullopt;
    if (version && *version != block[0]) return std::nullopt;
    version = block[0];
    for (std::size_t i = 1; i < block.size(); ++i) {
      if (block[i] != mixed(block[0] + i * files + static_cast<unsigned>(number))) return std::nullopt;
    }
    std::this_thread::yield();
  }
  return version;
}

}  // namespace

// contend MILLISECONDS WRITES-IN-100 SEED DATA: takes the lock again and again; a writer makes the next version of the
// files DATA.0… , everybody checks what is there. Reports "hold" for each, "torn" for what does not fit together.
std::string Session::contend(const Words& words) {
  const auto end = monotonic_now() + std::chrono::milliseconds(std::stoll(words.at(1)));
  std::mt19937 random(static_cast<unsigned>(std::stoul(words.at(3))));
  std::uniform_int_distribution<int> percent(0, 99);
  const int writes = std::stoi(words.at(2));
  const std::string& data = words.at(4);
  int holds = 0;
  for (; monotonic_now() < end; ++holds) {
    const Mode mode = percent(random) < writes ? Mode::write : Mode::read;
    const auto asked = monotonic_now();
    Lease lease = lock_.acquire(mode, Deadline::after(longest_wait));
    const auto entered = monotonic_now();
    const auto version = read_version(data);
    if (!version) report("torn", std::string(to_string(mode)));
    if (mode == Mode::write) write_version(data, version.value_or(0) + 1);
    if (!lease.valid()) throw std::runtime_error("the lease ran out");
    report_hold(mode, asked, entered);
  }
  return std::to_string(holds);
}

// rounds read|write HOLD-MICROSECONDS: takes the lock again and again until SIGUSR1. Reports "hold" for each.
std::string Session::rounds(const Words& words) {
  const Mode mode = words.at(1) == "write" ? Mode::write : Mode::read;
  const std::chrono::microseconds hold(std::stoll(words.at(2)));
  const Cancel& cancel = cancel_on_usr1();
  try {
    for (;;) {
      const auto asked = monotonic_now();
      Lease lease = lock_.acquire(mode, Deadline::after(longest_wait), &cancel);
      const auto entered = monotonic_now();
      std::this_thread::sleep_for(hold);  // the hold itself: a time is what is wanted
      report_hold(mode, asked, entered);
      lease.release();
      if (cancel.cancelled()) return "";
    }
  } catch (const Cancelled&) {
    return "";
  }
}

// attempts read|write MILLISECONDS: short acquires in a row, each with that timeout, until one is granted; says how
// many it took.
std::string Session::attempts(const Words& words) {
  const Mode mode = words.at(1) == "write" ? Mode::write : Mode::read;
  const std::chrono::milliseconds timeout(std::stoll(words.at(2)));
  const auto end = monotonic_now() + longest_wait;
  for (int count = 1; monotonic_now() < end; ++count) {
    try {
      leases_.push_back(lock_.acquire(mode, Deadline::after(timeout)));
      return std::to_string(count);
    } catch (const Timeout&) {
      continue;
    }
  }
  throw std::runtime_error("never granted");
}

}  // namespace rwlease::test

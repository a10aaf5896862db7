#include "arguments.hpp"
#include "command.hpp"
#include "duration.hpp"
#include "exit_codes.hpp"
#include "output.hpp"
#include "slurm_oracle.hpp"
#include "values.hpp"
#include "waiting_line.hpp"

#include <rwlease/lock.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <sstream>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

constexpr const char* command_name = "wait";

po::options_description description() {
  po::options_description options("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = options.add_options();
  add("generation", text("N"), "wait until the fencing number is at least N, whoever holds it then");
  add("slurm", "a holder is gone, too, when Slurm says that its job is over; its word is trusted");
  add("timeout", text("S"), "give up after S seconds; 0: look once (default: wait for ever)");
  add("timeout-exit-code,E", text("N"), "exit code when --timeout passes (default: 124)");
  add("help,h", "show this help");
  return options;
}

std::string help() {
  std::ostringstream text;
  text << "Usage: rwlease wait [OPTION]... PATH\n\n"
          "Waits until nobody holds the lock on PATH and no writer has claimed it. Changes\n"
          "nothing in the lock; to look at it takes the right to read PATH.rwlease, which its\n"
          "owner has, and with --group its group. A holder that died counts as gone when it was\n"
          "seen to show no life for its lease, or for 90 s where that is longer (there is no\n"
          "--lease here); at once when its death is proven on this host.\n\n"
          "It keeps nobody out: when it returns, the next one may hold already. To do something\n"
          "while nobody else does, use 'rwlease run'.\n\n"
       << description()
       << "\nSeconds may have a fraction: 0.5.\n\n"
          "Exit code: 0 it is free, or the number was reached; 124 --timeout passed (-E changes\n"
          "it); 125 rwlease failed; 128+N signal N ended it.\n";
  return text.str();
}

std::optional<std::uint64_t> parse_generation(const Values& values) {
  const auto text = values.text("generation");
  if (!text) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, number);
  if (error == std::errc() && stopped == end) return number;
  throw BadUsage("--generation takes a fencing number, as 'rwlease fence' prints it; '" + *text + "' is none",
                 command_name);
}

// A signal ends this command as it is.
const Cancel& never_cancelled() {
  static const Cancel never;
  return never;
}

// Whoever looks once waits for Slurm's answer: there is no second look that could know it.
Options options_of(const Values& values, const std::optional<std::chrono::milliseconds>& timeout) {
  if (values.has("slurm") && values.has("generation")) {
    throw BadUsage("--slurm is about holders, and --generation waits for a number, whoever holds", command_name);
  }
  Options options;
  const bool once = timeout && timeout->count() == 0;
  if (values.has("slurm")) options.job_oracle = once ? slurm_oracle_that_waits(never_cancelled()) : slurm_oracle();
  return options;
}

// Who was in the way, for the last word.
std::string obstacle(const Lock& lock) {
  for (const Participant& participant : lock.status().participants) {
    const bool hidden = participant.phase == Phase::leftover || participant.phase == Phase::waiting;
    if (!hidden) return ": held by " + describe(participant, std::chrono::system_clock::now());
  }
  return {};
}

std::string timeout_text(const Lock& lock, const std::string& path, std::optional<std::uint64_t> generation) {
  const std::string text = "the timeout passed, and " + path;
  if (!generation) return text + " is not free" + obstacle(lock);
  return text + " is at " + std::to_string(lock.status().fence) + ", not at " + std::to_string(*generation) + " yet";
}

}  // namespace

int wait_command(const std::vector<std::string>& arguments) {
  const ParsedArguments parsed = parse(command_name, description(), arguments);
  const Values values(command_name, parsed.options);
  if (values.has("help")) {
    write_stdout(help());
    return exit_ok;
  }
  const std::string path = only_path(command_name, parsed.positional);
  const auto generation = parse_generation(values);
  const auto timeout = values.seconds("timeout");
  const auto code = values.exit_code("timeout-exit-code");
  const Deadline deadline = timeout ? Deadline::after(*timeout) : Deadline::forever();
  const Lock lock(path, options_of(values, timeout));
  const bool over = generation ? lock.wait_for_fence(*generation, deadline) : lock.wait_until_free(deadline);
  if (over) return exit_ok;
  say(timeout_text(lock, path, generation));
  return code.value_or(exit_not_obtained);
}

}  // namespace rwlease::cli

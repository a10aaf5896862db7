#include "lockfile_options.hpp"

#include "arguments.hpp"
#include "output.hpp"
#include "values.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

using Action = LockfileRequest::Action;

constexpr const char* command_name = "lockfile";
constexpr int default_retries = 5;
constexpr double default_interval = 5;
constexpr int most_retries = 1'000'000'000;

po::options_description description() {
  po::options_description options("Options");
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  auto add = options.add_options();
  add("primitive", text("NAME"), "link (the default), mkdir or excl; all who use one lock choose the same");
  add("retries,r", text("N"), "try N times more after the first; -1: for ever (default: 5)");
  add("interval,i", text("S"), "seconds between two tries (default: 5)");
  add("timeout", text("S"), "instead of --retries: give up after S seconds; 0: try once");
  add("stale", text("S"),
      "an owner that shows no life for S seconds may be taken for dead; 0: only on proof (the default)");
  add("foreign-stale", text("S"), "the same for what another program made (default: 0)");
  add("file-age", "with these: go by the file's age alone, as other programs do; may remove a live lock");
  add("heartbeat", text("S"), "run: show life every S seconds (default: a third of --stale)");
  add("pid,p",
      "create: the lock is the calling process's and dead with it; and only this host uses the lock, so that a bare "
      "pid in a file counts");
  add("local", "run: COMMAND and all it starts stay on this host, and the lock is dead with rwlease");
  add("label", text("TEXT"), "shown to those who wait");
  add("force", "remove: whoever's it is");
  add("quiet,q", "say nothing about a lock that is busy");
  add("help,h", "show this help");
  return options;
}

Action action_of(const std::string& word) {
  static const std::map<std::string, Action> actions = {{"create", Action::create},
                                                        {"check", Action::check},
                                                        {"touch", Action::touch},
                                                        {"remove", Action::remove},
                                                        {"run", Action::run}};
  const auto found = actions.find(word);
  if (found == actions.end()) {
    throw BadUsage("there is no action '" + word + "'; create, check, touch, remove and run are", command_name);
  }
  return found->second;
}

Primitive primitive_of(const std::string& word) {
  if (word == "link") return Primitive::hard_link;
  if (word == "mkdir") return Primitive::directory;
  if (word == "excl") return Primitive::exclusive_file;
  throw BadUsage("--primitive takes link, mkdir or excl; '" + word + "' is none", command_name);
}

int retries_of(const std::string& text) {
  if (text == "-1") return -1;
  const bool digits = !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) throw BadUsage("--retries takes a number, or -1; '" + text + "' is neither", command_name);
  return std::min(std::stoi(text), most_retries);
}

void refuse_misplaced(const Values& values, Action action) {
  const auto belongs_to = [&values, action](const char* option, Action owner, const char* name) {
    if (action == owner || !values.has(option)) return;
    throw BadUsage(std::string("--") + option + " goes with '" + name + "' only", command_name);
  };
  belongs_to("force", Action::remove, "remove");
  belongs_to("heartbeat", Action::run, "run");
  belongs_to("local", Action::run, "run");
}

SoftLockOptions soft_options(const Values& values, Action action) {
  SoftLockOptions options;
  options.suffix = "";
  options.primitive = primitive_of(values.text("primitive").value_or("link"));
  const int retries = retries_of(values.text("retries").value_or(std::to_string(default_retries)));
  options.timeout = values.seconds("timeout");
  if (options.timeout && values.has("retries")) {
    throw BadUsage("--timeout and --retries exclude each other", command_name);
  }
  if (!options.timeout && retries >= 0) options.tries = retries + 1;
  options.stale = values.seconds("stale").value_or(std::chrono::milliseconds(0));
  options.foreign_stale = values.seconds("foreign-stale").value_or(std::chrono::milliseconds(0));
  options.poll = SoftLockOptions::Seconds(default_interval);
  for (const auto age : {options.stale, options.foreign_stale}) {
    if (age.count() > 0) options.poll = std::min(options.poll, age / 4);
  }
  if (const auto interval = values.seconds("interval")) options.poll = *interval;
  options.stale_rule = values.has("file-age") ? StaleRule::file_age : StaleRule::observed;
  if (action == Action::run) options.heartbeat = values.seconds("heartbeat").value_or(std::chrono::milliseconds(0));
  if (action == Action::run && !values.has("heartbeat")) options.heartbeat = options.stale / 3;
  options.label = values.text("label").value_or("");
  options.single_host = values.has("pid") && options.primitive != Primitive::directory;
  options.sole = action == Action::run ? values.has("local") || values.has("pid") : values.has("pid");
  // What `create` makes is there for whoever called it.
  if (action != Action::run) options.process = ::getppid();
  options.log = [](LogLevel level, std::string_view line) {
    if (level == LogLevel::warning) say(line);
  };
  options.validate();
  return options;
}

RunRequest run_request(const LockfileRequest& request, const SplitArguments& split) {
  if (!split.after || split.after->empty() || split.after->front().empty()) {
    throw BadUsage("which command? Write it after '--'", command_name);
  }
  RunRequest run;
  run.locks = {{request.path, Mode::write}};
  run.command = *split.after;
  if (request.options.timeout) {
    run.timeout = std::chrono::ceil<std::chrono::milliseconds>(*request.options.timeout);
  }
  return run;
}

}  // namespace

std::optional<LockfileRequest> parse_lockfile(const std::vector<std::string>& arguments) {
  const SplitArguments split = split_at_dashes(arguments);
  ParsedArguments parsed = parse(command_name, description(), split.before);
  const Values values(command_name, parsed.options);
  if (values.has("help")) return std::nullopt;
  if (parsed.positional.empty()) throw BadUsage("which action, and which lock file?", command_name);
  LockfileRequest request;
  request.action = action_of(parsed.positional.front());
  parsed.positional.erase(parsed.positional.begin());
  request.path = only_path(command_name, parsed.positional, "LOCKFILE");
  refuse_misplaced(values, request.action);
  request.options = soft_options(values, request.action);
  request.force = values.has("force");
  request.quiet = values.has("quiet");
  if (request.action == Action::run) {
    request.run = run_request(request, split);
  } else if (split.after) {
    throw BadUsage("a command is taken by 'run' only", command_name);
  }
  return request;
}

std::string lockfile_help() {
  std::ostringstream help;
  help << "Usage: rwlease lockfile create|check|touch|remove [OPTION]... LOCKFILE\n"
          "       rwlease lockfile run [OPTION]... LOCKFILE -- COMMAND [ARGUMENT]...\n\n"
          "Lock files for scripts, on any file system, beside the programs that they use now.\n\n"
          "  create  make LOCKFILE; it stays until it is removed\n"
          "  check   say who holds it\n"
          "  touch   show that its owner lives, within --stale\n"
          "  remove  remove it, if the calling process made it; nothing there is no error\n"
          "  run     run COMMAND while holding it; COMMAND is ended when it is lost\n\n"
       << description()
       << "\nLOCKFILE is the name itself; nothing is appended. Seconds may have a fraction: 0.5.\n\n"
          "Exit code: 0 done (check: somebody holds it); 1 touch, remove: it is not the caller's;\n"
          "check: nobody holds it, or its owner is dead; 124 the tries or the time are over; 125\n"
          "rwlease failed; 128+N signal N ended it; run: COMMAND's own, and as in 'rwlease run\n"
          "--help'.\n";
  return help.str();
}

}  // namespace rwlease::cli

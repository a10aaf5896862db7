#include "break_options.hpp"

#include "arguments.hpp"
#include "probe/interrupt.hpp"
#include "slurm_oracle.hpp"
#include "values.hpp"

#include <algorithm>
#include <sstream>

namespace po = boost::program_options;

namespace rwlease::cli {
namespace {

constexpr const char* command_name = "break";

po::options_description description() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("id", po::value<std::vector<std::string>>()->composing()->value_name("ID"),
      "the holder with this id, as 'rwlease status' shows it; may be given several times");
  add("dead", "all whose processes are gone, as far as that can be proven on this host");
  add("all", "every holder, and every writer that has claimed; with --force only");
  add("force", "do not ask before taking a lease from a holder that is not known to be dead");
  add("now", "let others in at once: only when the holder is known to be dead, see below");
  add("slurm", "a holder is dead, too, when Slurm says that its job is over; its word is trusted");
  add("group", "the lock is shared with the group of its directory");
  add("help,h", "show this help");
  return options;
}

// An empty one is a variable that was never set, and no holder's.
std::vector<std::string> some_ids(const ParsedArguments& parsed) {
  auto ids = parsed.options["id"].as<std::vector<std::string>>();
  if (std::find(ids.begin(), ids.end(), "") == ids.end()) return ids;
  throw BadUsage("--id is empty; 'rwlease status' shows the ids of those who are there", command_name);
}

BreakRequest::Whom parse_whom(const Values& values) {
  const int given = (values.has("id") ? 1 : 0) + (values.has("dead") ? 1 : 0) + (values.has("all") ? 1 : 0);
  if (given != 1) throw BadUsage("whose lease? One of --id, --dead and --all is needed", command_name);
  if (values.has("dead")) return BreakRequest::Whom::dead;
  if (values.has("id")) return BreakRequest::Whom::id;
  if (!values.has("force")) throw BadUsage("--all takes leases from the living too, and needs --force", command_name);
  return BreakRequest::Whom::all;
}

}  // namespace

std::optional<BreakRequest> parse_break(const std::vector<std::string>& arguments) {
  const ParsedArguments parsed = parse(command_name, description(), arguments);
  const Values values(command_name, parsed.options);
  if (values.has("help")) return std::nullopt;
  BreakRequest request;
  request.whom = parse_whom(values);
  if (request.whom == BreakRequest::Whom::id) request.ids = some_ids(parsed);
  request.path = only_path(command_name, parsed.positional);
  request.force = values.has("force");
  request.now = values.has("now");
  request.options.sharing = values.has("group") ? Sharing::group : Sharing::owner;
  if (values.has("slurm")) request.options.job_oracle = slurm_oracle_that_waits(probe::interruption());
  return request;
}

std::string break_help() {
  std::ostringstream help;
  help << "Usage: rwlease break --id ID [OPTION]... PATH\n"
          "       rwlease break --dead [OPTION]... PATH\n"
          "       rwlease break --all --force [OPTION]... PATH\n\n"
          "Takes the lease on PATH from its holder. The dead are removed at once. A holder that\n"
          "lives finds out at its next heartbeat ('rwlease run' then ends its command); until\n"
          "it must have noticed, for its lease at most, the lock stays closed to others, and\n"
          "rwlease waits. A signal before the lease is taken leaves all as it was; in that wait,\n"
          "it leaves the rest of it to the others.\n\n"
       << description()
       << "\n--now gives that up: if the holder lives after all, two hold at the same time.\n\n"
          "What holds nothing yet (a writer behind another one) is left alone, unless dead.\n"
          "Prints a line for each that was removed.\n\n"
          "Exit code: 0 done; 1 nothing to do; 2 refused: at least one was left alone; 125\n"
          "rwlease failed; 128+N signal N ended it.\n";
  return help.str();
}

}  // namespace rwlease::cli

#include "command.hpp"
#include "exit_codes.hpp"
#include "interruptible.hpp"
#include "output.hpp"
#include "palette.hpp"
#include "probe/survey.hpp"
#include "probe_options.hpp"
#include "probe_report.hpp"

#include <unistd.h>

namespace rwlease::cli {
namespace {

constexpr int exit_unusable = 1;

int show(const ProbeRequest& request) {
  const probe::Findings findings = probe::probe_directories(request.directories);
  const probe::Advice advice = probe::advise(findings);
  const Palette palette = Palette::for_descriptor(STDOUT_FILENO);
  write_stdout(request.json ? probe_json(findings, advice) : probe_text(findings, advice, palette));
  return advice.against.empty() ? exit_ok : exit_unusable;
}

}  // namespace

int probe_command(const std::vector<std::string>& arguments) {
  const std::optional<ProbeRequest> request = parse_probe(arguments);
  if (!request) {
    write_stdout(probe_help());
    return exit_ok;
  }
  return interruptible([&request] { return show(*request); });
}

}  // namespace rwlease::cli

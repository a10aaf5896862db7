#include "command.hpp"
#include "exit_codes.hpp"
#include "output.hpp"
#include "palette.hpp"
#include "pause.hpp"
#include "screen.hpp"
#include "status_json.hpp"
#include "status_options.hpp"
#include "status_text.hpp"
#include "way_out.hpp"

#include <rwlease/lock.hpp>

#include <unistd.h>

namespace rwlease::cli {
namespace {

struct Looked {
  std::vector<NamedStatus> statuses;
  std::vector<std::string> troubles;
};

// One that cannot be looked at does not hide the others.
Looked look_at_all(const std::vector<std::string>& paths) {
  Looked looked;
  for (const std::string& path : paths) {
    try {
      looked.statuses.push_back({path, Lock(path).status()});
    } catch (const Error& error) {
      looked.troubles.push_back(error.what() + way_out(error, "status"));
    } catch (const std::exception& error) {
      looked.troubles.emplace_back(error.what());
    }
  }
  return looked;
}

std::string json_of(const StatusRequest& request, const Looked& looked) {
  const JsonForm form{request.paths.size() > 1, request.watch};
  if (looked.statuses.empty() && !form.as_array) return {};
  return status_json(looked.statuses, std::chrono::system_clock::now(), form);
}

std::string text_of(const Looked& looked, const Palette& palette) {
  const auto now = std::chrono::system_clock::now();
  std::string text;
  for (const NamedStatus& named : looked.statuses) {
    if (looked.statuses.size() > 1 && !text.empty()) text += '\n';
    text += status_text(named.path, named.status, now, palette);
  }
  return text;
}

int show_once(const StatusRequest& request) {
  const Looked looked = look_at_all(request.paths);
  const Palette palette = Palette::for_descriptor(STDOUT_FILENO);
  write_stdout(request.json ? json_of(request, looked) : text_of(looked, palette));
  for (const std::string& trouble : looked.troubles) say(trouble);
  return looked.troubles.empty() ? exit_ok : exit_failure;
}

// Troubles pass: they are shown among the rest, and the next look may do better.
std::string text_with_troubles(const Looked& looked, const Palette& palette) {
  std::string text = text_of(looked, palette);
  for (const std::string& trouble : looked.troubles)
    text += palette.bad("cannot look:") + ' ' + printable(trouble) + '\n';
  return text;
}

int watch(const StatusRequest& request) {
  const bool in_place = !request.json && ::isatty(STDOUT_FILENO) == 1;
  const Palette palette = Palette::for_descriptor(STDOUT_FILENO);
  do {
    const Looked looked = look_at_all(request.paths);
    if (request.json) {
      for (const std::string& trouble : looked.troubles) say(trouble);
      write_stdout(json_of(request, looked));
    } else {
      const std::string text = text_with_troubles(looked, palette);
      write_stdout(in_place ? frame(text, ScreenSize::of(STDOUT_FILENO)) : text + '\n');
    }
  } while (pause_while_read(STDOUT_FILENO, request.interval));
  return exit_ok;
}

}  // namespace

int status_command(const std::vector<std::string>& arguments) {
  const std::optional<StatusRequest> request = parse_status(arguments);
  if (!request) {
    write_stdout(status_help());
    return exit_ok;
  }
  for (const std::string& path : request->paths) static_cast<void>(Lock(path));  // a wrong name is a wrong call
  return request->watch ? watch(*request) : show_once(*request);
}

}  // namespace rwlease::cli

#include "command.hpp"
#include "exit_codes.hpp"
#include "output.hpp"
#include "trace_options.hpp"
#include "trace_story.hpp"
#include "whole_file.hpp"

#include <system_error>
#include <utility>

namespace rwlease::cli {
namespace {

constexpr const char* to_stdout = "-";

void write_chrome(const std::string& file, const std::string& text) {
  const int error = write_whole_file(file, text);
  if (error != 0) throw std::system_error(error, std::generic_category(), "writing " + file);
}

// Where there is nothing to tell, no file is made.
int show(const TraceRequest& request) {
  ReadTraces traces = read_traces(request.logs);
  for (const std::string& note : traces.notes) say("note: " + note);
  for (const std::string& trouble : traces.troubles) say(trouble);
  if (!traces.logs.empty()) {
    const Story story = tell(std::move(traces.logs));
    if (request.chrome == to_stdout) {
      write_stdout(chrome_json(story));
    } else {
      if (request.chrome) write_chrome(*request.chrome, chrome_json(story));
      write_stdout(timeline_text(story));
    }
  }
  return traces.troubles.empty() ? exit_ok : exit_failure;
}

}  // namespace

int trace_command(const std::vector<std::string>& arguments) {
  const std::optional<TraceRequest> request = parse_trace(arguments);
  if (!request) {
    write_stdout(trace_help());
    return exit_ok;
  }
  return show(*request);
}

}  // namespace rwlease::cli

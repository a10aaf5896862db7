#include "plot.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <vector>

namespace rwlease::selftest {
namespace {

double seconds(std::chrono::nanoseconds duration) { return static_cast<double>(duration.count()) / 1e9; }

// In gnuplot's single quotes only the quote itself is special.
std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + "'";
}

struct Curve {
  std::string title;
  const Histogram* histogram;
};

std::vector<Curve> curves(const Timings& timings) {
  std::vector<Curve> found;
  timings.for_each([&found](Operation operation, Load load, const Histogram& histogram) {
    std::string title(to_string(operation));
    title += ", ";
    title += to_string(load);
    std::replace(title.begin(), title.end(), '_', ' ');
    found.push_back({title, &histogram});
  });
  return found;
}

// For each operation the middle half-line from the median to the 99th percentile, with a point at the median.
void latencies(std::ostream& out, const Timings& timings) {
  const auto found = curves(timings);
  out << "$latencies << EOD\n";
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Histogram& histogram = *found[i].histogram;
    out << i << ' ' << seconds(histogram.quantile(0.5)) * 1000 << ' ' << seconds(histogram.least()) * 1000 << ' '
        << seconds(histogram.quantile(0.99)) * 1000 << " \"" << found[i].title << "\"\n";
  }
  out << "EOD\nset title 'Latencies: median, from the least to the 99th percentile'\nset xlabel 'milliseconds'\n"
         "unset ylabel\nset logscale x\nset grid x\nset yrange ["
      << found.size()
      << ":-1]\n"
         "plot $latencies using 2:1:3:4:ytic(5) with xerrorbars linewidth 2 pointtype 7 notitle\n"
         "unset logscale x\n";
}

constexpr double seconds_shown = 2;  // of the whole, a single one would be thinner than a line

// Draws nothing where there is nothing: gnuplot takes an empty plot for an error.
std::string arrows(std::ostream& out, const Report& report, Mode mode, const std::string& colour) {
  const std::string name(to_string(mode));
  bool any = false;
  out << "$" << name << " << EOD\n";
  for (const Stay& stay : report.stays) {
    const double begin = seconds(stay.begin - report.stays.front().begin);
    if (stay.mode != mode || begin > seconds_shown) continue;
    out << begin << ' ' << stay.rank << ' ' << seconds(stay.end - stay.begin) << " 0\n";
    any = true;
  }
  out << "EOD\n";
  const std::string style = " using 1:2:3:4 with vectors nohead linewidth 6 linecolor rgb ";
  return any ? "$" + name + style + quoted(colour) + " title " + quoted(name) + ", " : "";
}

void holds(std::ostream& out, const Report& report) {
  const std::string plots = arrows(out, report, Mode::read, "#4477aa") + arrows(out, report, Mode::write, "#cc3311");
  out << "set title 'Who held when'\nset xlabel 'seconds after the first'\nset ylabel 'rank'\n"
         "set yrange [-0.5:"
      << static_cast<double>(report.nodes.of_rank.size()) - 0.5 << "]\nset ytics auto\nset xrange [0:" << seconds_shown
      << "]\nplot " << plots.substr(0, plots.size() - 2) << "\n";
}

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  return true;
}

// Starts gnuplot with a pipe at its stdin; not by fork(), which MPI libraries do not bear well.
int start_gnuplot(pid_t& process, int& input) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) == -1) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);  // stdout is the verdict's
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::string program = "gnuplot";
  std::array<char*, 2> arguments{program.data(), nullptr};
  const int error = posix_spawnp(&process, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  input = ends[1];
  if (error != 0) ::close(ends[1]);
  return error;
}

}  // namespace

bool can_plot() {
  const char* const path = std::getenv("PATH");
  std::istringstream directories(path != nullptr ? path : "");
  for (std::string directory; std::getline(directories, directory, ':');) {
    if (::access((directory + "/gnuplot").c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string plot_script(const Report& report, const std::string& file) {
  std::ostringstream out;
  const bool is_svg = file.substr(file.size() - 3) == "svg";
  out << "set terminal " << (is_svg ? "svg" : "png") << " size 1200,1400 background rgb 'white'\nset output "
      << quoted(file) << "\nset multiplot layout 2,1 title " << quoted(report.verdict()) << " noenhanced\n";
  latencies(out, report.timings);
  if (!report.stays.empty()) holds(out, report);
  out << "unset multiplot\nunset output\n";
  return out.str();
}

std::string draw(const Report& report) {
  const std::string& file = report.settings.plot;
  pid_t process = -1;
  int input = -1;
  if (const int error = start_gnuplot(process, input)) {
    return "starting gnuplot: " + std::generic_category().message(error) + " (is it installed?)";
  }
  struct sigaction ignored = {};
  struct sigaction before = {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignored, &before);
  const bool written = write_all(input, plot_script(report, file));
  ::close(input);
  ::sigaction(SIGPIPE, &before, nullptr);
  int status = 0;
  while (::waitpid(process, &status, 0) == -1 && errno == EINTR) {
  }
  const bool drawn = written && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return drawn ? "" : "gnuplot could not draw " + file + "; what it said is above";
}

}  // namespace rwlease::selftest

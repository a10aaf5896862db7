#include "output.hpp"
#include "probe_report.hpp"
#include "table.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace rwlease::cli {
namespace {

using probe::Advice;
using probe::CallCost;
using probe::Check;
using probe::DirectoryFindings;
using probe::Findings;
using probe::Mount;

// With three significant digits.
std::string number(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

std::string seconds(std::chrono::nanoseconds duration) {
  return number(std::chrono::duration<double>(duration).count());
}

std::string microseconds(std::chrono::nanoseconds duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(duration).count()) + " us";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::string mount_text(const Mount& mount) {
  return printable(mount.type + " " + mount.source + " on " + mount.point + " (" + joined(mount.options) + ")");
}

std::string times_text(const DirectoryFindings& found) {
  if (!found.time_step.trouble.empty()) return "cannot be set: " + printable(found.time_step.trouble);
  std::string text = "steps of " + seconds(found.time_step.step) + " s";
  if (!found.clock) return text;
  const double offset = found.clock->seconds;
  return text + "; this host's clock is " + number(std::abs(offset)) + (offset < 0 ? " s behind" : " s ahead of") +
         " the file server's, give or take " + number(found.clock->uncertainty) + " s";
}

std::string check_lines(const std::vector<Check>& checks, const Palette& palette) {
  std::string lines;
  for (const Check& check : checks) {
    const std::string no = check.needed ? palette.bad("NO") : palette.doubtful("no");
    lines += "  " + (check.passed ? palette.good("yes") : no + " ") + "  " + check.name;
    if (!check.observed.empty()) lines += ": " + printable(check.observed);
    lines += '\n';
  }
  return lines;
}

std::string requests_text(const CallCost& cost) {
  if (cost.requests.empty()) return {};
  std::string text = std::to_string(probe::total(cost.requests)) + ":";
  for (const auto& [operation, count] : cost.requests) text += ' ' + operation + ' ' + std::to_string(count);
  return text;
}

std::string cost_lines(const std::vector<CallCost>& costs) {
  if (costs.empty()) return {};
  std::vector<std::vector<std::string>> rows{{"  CALL", "MEDIAN", "WORST", "REQUESTS"}};
  for (const CallCost& cost : costs) {
    rows.push_back({"  " + cost.call, microseconds(cost.median), microseconds(cost.worst), requests_text(cost)});
  }
  return table(rows);
}

std::string directory_text(const DirectoryFindings& found, const Palette& palette) {
  return palette.strong(printable(found.directory)) +
         "\n  mount: " + (found.mount ? mount_text(*found.mount) : "unknown") +
         "\n  markers: " + (found.time_step.kind == probe::MarkerKind::symlink ? "symlinks" : "files") +
         "\n  times: " + times_text(found) + '\n' + check_lines(found.checks, palette) + cost_lines(found.costs) + '\n';
}

std::string freshness_lines(const Findings& findings, const Palette& palette) {
  std::string lines;
  for (const auto& each : findings.freshness) {
    lines += printable(each.looked) + " shows what is changed in " + printable(each.changed) + ": ";
    lines +=
        each.failures == 0 ? palette.good("yes") : palette.bad("NO, " + std::to_string(each.failures) + " times not");
    lines += " (" + std::to_string(each.looks) + " looks, " + std::to_string(each.listings) + " listings)\n";
  }
  return lines.empty() ? lines : lines + '\n';
}

std::string verdict_text(const Advice& advice, const Palette& palette) {
  std::string text;
  for (const std::string& sentence : advice.notes) text += palette.doubtful("note:") + ' ' + printable(sentence) + '\n';
  for (const std::string& sentence : advice.against) text += palette.bad("against:") + ' ' + printable(sentence) + '\n';
  if (!advice.against.empty()) return text + palette.bad("UNUSABLE") + '\n';
  text += "advice: --interval " + seconds(advice.interval) + " --lease " + seconds(advice.lease);
  if (advice.shortest_lease.count() > 0) text += "; not below --lease " + seconds(advice.shortest_lease);
  return text + '\n' + palette.good("USABLE") + '\n';
}

}  // namespace

std::string probe_text(const Findings& findings, const Advice& advice, const Palette& palette) {
  std::string text;
  for (const DirectoryFindings& found : findings.directories) text += directory_text(found, palette);
  return text + freshness_lines(findings, palette) + verdict_text(advice, palette);
}

}  // namespace rwlease::cli

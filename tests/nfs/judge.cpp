// Judges holds that were recorded elsewhere: lines "WHO read|write ASKED ENTERED LEFT" on standard input. Prints how
// many there were, how many pairs of readers shared, and every overlap of two that exclude each other; fails when there
// is one.
#include "process/support/judge.hpp"

#include <exception>
#include <iostream>
#include <string>

int main() {
  using namespace rwlease::test;
  try {
    std::vector<Hold> holds;
    for (std::string line; std::getline(std::cin, line);) {
      const std::size_t space = line.find(' ');
      if (space == std::string::npos) throw std::runtime_error("not a hold: " + line);
      holds.push_back(parse_hold(line.substr(space + 1), line.substr(0, space)));
    }
    const auto overlaps = excluding_overlaps(holds);
    std::cout << holds.size() << ' ' << shared_reads(holds) << ' ' << overlaps.size() << '\n' << describe(overlaps);
    return overlaps.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "judge: " << error.what() << '\n';
    return 2;
  }
}

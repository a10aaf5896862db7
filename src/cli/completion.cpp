#include "completion.hpp"

#include <regex>
#include <sstream>

namespace rwlease::cli {
namespace {

std::string joined(const std::string& line, const std::string& word) { return line.empty() ? word : line + ' ' + word; }

struct Words {
  std::string all;     // options in every spelling
  std::string valued;  // those that another word belongs to
};

Words words_of(const CommandHelp& command) {
  Words words;
  for (const HelpOption& option : options_in(command.text)) {
    for (const std::string& spelling : {option.name, option.letter}) {
      if (spelling.empty()) continue;
      words.all = joined(words.all, spelling);
      if (option.takes_value) words.valued = joined(words.valued, spelling);
    }
  }
  return words;
}

std::string names_of(const std::vector<CommandHelp>& commands) {
  std::string names;
  for (const CommandHelp& command : commands) names = joined(names, command.name);
  return names;
}

}  // namespace

std::vector<HelpOption> options_in(const std::string& help) {
  static const std::regex form("^  (?:(-[A-Za-z]) \\[ )?(--[a-z][a-z-]*)(?: \\])?( [A-Z]+)?(?: .*)?$");
  std::vector<HelpOption> options;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    const auto last = line.find_last_not_of(' ');
    if (last != std::string::npos) line.erase(last + 1);
    if (std::regex_match(line, found, form)) options.push_back({found[2], found[1], found[3].matched});
  }
  return options;
}

std::string bash_completion(const std::vector<CommandHelp>& commands) {
  std::ostringstream script;
  script << "# Completion of rwlease for bash, as 'rwlease completion bash' writes it.\n"
            "_rwlease() {\n"
            "  local current=${COMP_WORDS[COMP_CWORD]} options='' valued='' word\n"
            "  COMPREPLY=()\n"
            "  if ((COMP_CWORD == 1)); then\n"
            "    mapfile -t COMPREPLY < <(compgen -W '"
         << names_of(commands)
         << " --help --version' -- \"$current\")\n"
            "    return\n"
            "  fi\n"
            "  case ${COMP_WORDS[1]} in\n";
  for (const CommandHelp& command : commands) {
    const Words words = words_of(command);
    script << "    " << command.name << ") options='" << words.all << "' valued='" << words.valued << "' ;;\n";
  }
  script << "  esac\n"
            "  # Behind -- stands a command of somebody else's.\n"
            "  for word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do\n"
            "    if [[ $word == -- ]]; then\n"
            "      mapfile -t COMPREPLY < <(compgen -c -f -- \"$current\" | sort -u)\n"
            "      return\n"
            "    fi\n"
            "  done\n"
            "  # Nobody can guess the value of an option but where it is a file.\n"
            "  if [[ \" $valued \" != *\" ${COMP_WORDS[COMP_CWORD-1]} \"* && $current == -* ]]; then\n"
            "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")\n"
            "  else\n"
            "    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
            "  fi\n"
            "}\n"
            "complete -o filenames -F _rwlease rwlease\n";
  return script.str();
}

}  // namespace rwlease::cli

#include "oracle.hpp"

#include "fault.hpp"

#include "protocol/names.hpp"
#include "protocol/record.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

namespace rwlease::fuzz {
namespace {

std::string last_component(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool begins(const std::string& text, const std::string& with) { return text.compare(0, with.size(), with) == 0; }

// ".f." and a number without leading zeros that fits 64 bits.
bool is_fence(const std::string& name) {
  if (!begins(name, ".f.") || name.size() == 3 || name.size() > 23) return false;
  const std::string digits = name.substr(3);
  if (digits.find_first_not_of("0123456789") != std::string::npos) return false;
  if (digits.size() > 1 && digits[0] == '0') return false;
  return digits.size() < 20 || digits <= "18446744073709551615";
}

bool counts(const std::string& name) { return !begins(name, ".w.") && !begins(name, ".o.") && !is_fence(name); }

std::set<std::string> words_of(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::istringstream stream(text);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

}  // namespace

Oracle::Oracle(Scene& scene) : scene_(scene) {
  scene_.client.before = [this](const test::Call& call) {
    before(call);
    return test::Verdict();
  };
}

void Oracle::before(const test::Call& call) {
  require(calls_left_-- > 0, "calls without end, the last: " + call.text());
  static const bool traced = std::getenv("RWLEASE_FUZZ_TRACE") != nullptr;
  if (traced) std::fprintf(stderr, "%s\n", call.text().c_str());
  scene_.client.calls.clear();
  note_changes();
  if (call.operation == "symlink" || call.operation == "create" || call.operation == "mkdir")
    own_.insert(last_component(call.name));
  if (call.operation == "look") note_look(call.name);
  if (call.operation == "remove") check_removal(call.name, false);
  if (call.operation == "rmdir") check_removal(call.name, true);
  if (call.operation == "rename") {
    const std::string moved = last_component(call.name);
    require(own_.count(moved) != 0 || is_fence(moved), "moves what is not its own: " + call.text());
    if (call.to != protocol::writer_name) own_.insert(last_component(call.to));
  }
}

// By stamps: a change that leaves no other stamp is none that an owner counts on.
void Oracle::note_changes() {
  const std::function<void(const NodePtr&)> visit = [&](const NodePtr& node) {
    Life& life = lives_[node.get()];
    const fs::Stamp stamp = test::MemoryTree::attributes(*node).stamp;
    if (!life.node || life.stamp != stamp) life = Life{node, stamp, {}, scene_.clock.boot(), life.was_emptied};
    for (const auto& [name, child] : node->entries) visit(child);
  };
  if (const NodePtr lock = scene_.find("")) visit(lock);
}

void Oracle::note_look(const std::string& path) {
  if (const NodePtr node = scene_.find(path)) lives_[node.get()].looks.push_back(scene_.clock.boot());
}

void Oracle::check_removal(const std::string& path, bool directory) {
  const std::string name = last_component(path);
  const NodePtr node = scene_.find(path);
  if (!node || own_.count(name) != 0 || is_fence(name)) return;
  if (node->is_directory() != directory || !node->entries.empty()) return;  // will be refused
  if (path == "writer" && directory) return;                                // an empty one is nobody's
  if (directory && lives_[node.get()].was_emptied) return;
  const bool dead = waited_out(path, node) || proven_dead(path, node);
  require(dead, "evicts what is not provably dead: " + path);
  const NodePtr above = scene_.find(path.substr(0, path.size() - std::min(path.size(), name.size() + 1)));
  if (above && path.find("/.w.") != std::string::npos) lives_[above.get()].was_emptied = true;
}

// The lease that its owner counts on, and never less than the observer's.
Nanoseconds Oracle::least_window(const NodePtr& node) const {
  Nanoseconds window = scene_.terms.lease;
  for (const Planted& planted : scene_.planted()) {
    if (planted.node == node) window = std::max(window, planted.window);
  }
  return window;
}

// A name or a record may ask for longer than anybody counts on; then the entry is waited for longer, with looks as far
// apart as that allows.
bool Oracle::waited_out(const std::string& path, const NodePtr& node) {
  const Nanoseconds least = least_window(node);
  std::vector<Nanoseconds> windows{least};
  const std::string name = last_component(path);
  const auto id = protocol::MarkerId::parse(protocol::without_prefix(name));
  if (id) windows.push_back(id->lease);
  const auto record = protocol::Record::parse(node->content);
  if (record) windows.push_back(record->lease);
  return std::any_of(windows.begin(), windows.end(),
                     [&](Nanoseconds window) { return window >= least && unchanged_for(window, node); });
}

bool Oracle::unchanged_for(Nanoseconds window, const NodePtr& node) {
  constexpr std::size_t fewest_looks = 3;
  const Life& life = lives_[node.get()];
  if (scene_.clock.boot() - life.unchanged_since < window || life.looks.size() < fewest_looks) return false;
  // The last looks without a gap.
  auto first = life.looks.end() - 1;
  while (first != life.looks.begin() && *first - *(first - 1) <= window / 3) --first;
  return life.looks.end() - first >= static_cast<std::ptrdiff_t>(fewest_looks) && life.looks.back() - *first >= window;
}

// What a proof needs at the least: the record says whose it is, where that process was, and that it was alone.
bool Oracle::proven_dead(const std::string& path, const NodePtr& node) const {
  const bool readable = node->type == fs::Type::symlink || node->type == fs::Type::file;
  const auto words = words_of(node->content);
  const auto says = [&words](const std::string& word) { return words.count(word) != 0; };
  const std::string name = last_component(path);
  if (!readable || name.size() < 33 || !begins(node->content, "rwlease/1 ")) return false;
  const fs::ProcessIdentity self = scene_.host->self();
  if (!says("token=" + name.substr(name.size() - 32)) || !says("boot=" + self.boot_id)) return false;
  if (!says("pidns=" + std::to_string(self.pidns))) return false;
  const bool hidden = name[0] == '.' || path.find("/.") != std::string::npos;
  if (!hidden && !says("sole=1")) return false;
  for (const auto& [pid, start] : scene_.machine->processes) {
    if (says("pid=" + std::to_string(pid)) && says("start=" + std::to_string(start)) && words.count("start=0") == 0) {
      // Alive, unless the record says several starts or pids.
      const auto several = std::count_if(words.begin(), words.end(),
                                         [](const std::string& w) { return begins(w, "pid=") || begins(w, "start="); });
      if (several == 2) return false;
    }
  }
  for (const pid_t group : scene_.machine->groups) {
    const auto groups =
        std::count_if(words.begin(), words.end(), [](const std::string& w) { return begins(w, "group="); });
    if (!hidden && groups == 1 && says("group=" + std::to_string(group))) return false;
  }
  return true;
}

void Oracle::check_read_grant() const { require(scene_.find("writer") == nullptr, "a read lease beside a writer"); }

void Oracle::check_write_grant(const std::string& own) const {
  const NodePtr writer = scene_.find("writer");
  require(writer && writer->entries.count(own) == 1, "a write lease without its claim");
  for (const auto& [name, node] : scene_.find("readers")->entries) {
    require(!counts(name), "a write lease beside the reader " + name);
  }
}

}  // namespace rwlease::fuzz

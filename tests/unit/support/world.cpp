#include "support/world.hpp"

#include <stdexcept>
#include <utility>

namespace rwlease::test {
namespace {

constexpr char base_path[] = "scratch/data.rwlease";
const Caller root{0, 0, {}};

bool is_fence(const std::string& name) { return protocol::fence_number(name).has_value(); }

protocol::Grant at_once(const std::unique_ptr<protocol::Attempt>& attempt) {
  if (attempt->step() != protocol::Progress::held) throw std::logic_error("somebody is in the way");
  return attempt->take();
}

}  // namespace

Actor::Actor(World& world_in, const std::shared_ptr<Machine>& machine, pid_t pid, const Caller& caller)
    : world(world_in), host(machine, pid, caller.uid, world_in.tokens), client(world_in.tree, caller) {}

protocol::Site Actor::site() {
  if (!directory) {
    directory = protocol::open_lock_directory(file_system, host, lock_path, access);
    client.calls.clear();
  }
  protocol::Site site;
  site.directory = directory.get();
  site.clock = &clock;
  site.host = &host;
  site.ledger = &ledger;
  site.marker_kind = kind;
  site.group_shared = access.group_shared;
  site.trust_proof_of_death = trust_proof_of_death;
  site.job_oracle = job_oracle;
  site.terms = terms;
  protocol::Record self;
  self.batch = batch;
  self.host = host.name();
  self.lease = std::chrono::duration_cast<std::chrono::milliseconds>(terms.lease);
  self.process = host.self();
  self.uid = host.user();
  self.sole = sole;
  self.process_group = process_group;
  site.self = std::make_shared<const protocol::Record>(std::move(self));
  site.log = [this](protocol::Severity, const std::string& line) { world.log.push_back(line); };
  return site;
}

protocol::Grant Actor::read() { return at_once(reader()); }

protocol::Grant Actor::write() { return at_once(writer()); }

World::World() {
  Node scratch;
  scratch.mode = 0777;
  EXPECT_TRUE(tree.create(root, tree.root(), "scratch", scratch).ok());
}

Actor& World::join(const Caller& caller) {
  auto machine = std::make_shared<Machine>();
  const std::string number = std::to_string(actors_.size() + 1);
  machine->name = "node" + number;
  machine->boot_id = "boot-" + number;
  return actors_.emplace_back(*this, machine, ++last_pid_, caller);
}

Actor& World::join_beside(Actor& other) {
  const std::shared_ptr<Machine> machine(&other.host.machine(), [](Machine*) {});
  return actors_.emplace_back(*this, machine, ++last_pid_, other.client.caller());
}

void World::advance(Nanoseconds duration) {
  server.advance(duration);
  for (Actor& actor : actors_) actor.clock.advance(duration);
}

std::optional<protocol::Grant> World::wait_for(protocol::Attempt& attempt, Nanoseconds longest, Nanoseconds pause) {
  for (Nanoseconds waited{0};; waited += pause) {
    if (attempt.step() == protocol::Progress::held) return attempt.take();
    if (waited >= longest) return std::nullopt;
    advance(pause);
  }
}

std::vector<std::string> World::names(const std::string& below) {
  std::vector<std::string> names;
  for (const auto& [name, child] : node(below)->entries) {
    if (!is_fence(name)) names.push_back(shortened(name));
  }
  return names;
}

std::vector<std::string> World::leftovers() {
  std::vector<std::string> found;
  collect(node(), "", found);
  return found;
}

void World::collect(const NodePtr& directory, const std::string& path, std::vector<std::string>& found) {
  for (const auto& [name, child] : directory->entries) {
    if (is_fence(name)) continue;
    if (path + name != "readers") found.push_back(shortened(path + name));
    collect(child, path + name + "/", found);
  }
}

void World::plant(const std::string& name, fs::Type type, const std::string& content) {
  Node wanted;
  wanted.type = type;
  wanted.mode = 0777;
  wanted.content = content;
  ASSERT_TRUE(tree.create(root, node(), name, wanted).ok()) << name;
  node(name)->uid = Caller().uid;
}

void World::unplant(const std::string& name) {
  const bool directory = node(name)->is_directory();
  ASSERT_TRUE(tree.remove(root, node(), name, directory).ok()) << name;
}

void World::move(const std::string& from, const std::string& to) {
  ASSERT_TRUE(tree.rename(root, node(), from, to).ok()) << from << " to " << to;
}

void World::touch(const std::string& name) { ASSERT_TRUE(tree.touch(root, node(), name).ok()) << name; }

void World::remove_lock_directory() {
  const std::function<void(const NodePtr&)> empty = [&](const NodePtr& directory) {
    for (const auto& [name, child] : directory->entries) {
      empty(child);
      child->links = 0;
    }
    directory->entries.clear();
  };
  empty(node());
  ASSERT_TRUE(tree.remove(root, tree.root(), base_path, true).ok());
}

NodePtr World::node(const std::string& name) {
  NodePtr found;
  const std::string path = name.empty() ? base_path : base_path + ("/" + name);
  EXPECT_TRUE(tree.find(root, tree.root(), path, found).ok()) << path;
  return found;
}

bool mentions_token(const std::string& text) { return text.find(Tokens::mark) != std::string::npos; }

void WorldTest::TearDown() {
  for (const std::string& line : world_.log) EXPECT_FALSE(mentions_token(line)) << line;
}

}  // namespace rwlease::test

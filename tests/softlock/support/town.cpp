#include "softlock/support/town.hpp"

#include <rwlease/error.hpp>

namespace rwlease::test {
namespace {

constexpr fs::Nanoseconds poll = 1s;
constexpr fs::Nanoseconds for_ever = std::chrono::hours(24 * 365 * 100);
const Caller anybody;

}  // namespace

Citizen::Citizen(Town& town_in, Primitive primitive_in, std::shared_ptr<Machine> machine, pid_t pid)
    : town(town_in),
      primitive(primitive_in),
      host(std::move(machine), pid, anybody.uid, town_in.tokens),
      client(town_in.tree, anybody),
      directory(std::make_unique<MemoryDirectory>(client, town_in.scratch, "/scratch")) {}

softlock::Scene Citizen::scene() {
  softlock::Scene scene;
  scene.name = entry;
  scene.stale = stale;
  scene.foreign_stale = foreign_stale;
  scene.poll = poll;
  scene.by_file_age = by_file_age;
  scene.single_host = single_host;
  const fs::Nanoseconds lease = stale == fs::Nanoseconds(0) ? for_ever : stale;
  scene.site.directory = directory.get();
  scene.site.clock = &clock;
  scene.site.host = &host;
  scene.site.ledger = &ledger;
  scene.site.marker_kind = protocol::MarkerKind::file;
  scene.site.trust_proof_of_death = trust_proof_of_death;
  scene.site.terms = {heartbeat, lease, lease / 10};
  protocol::Record self;
  self.host = host.name();
  self.process = host.self();
  self.uid = host.user();
  self.sole = true;
  self.lease = std::chrono::duration_cast<std::chrono::milliseconds>(stale);
  self.label = "a label";
  scene.site.self = std::make_shared<const protocol::Record>(std::move(self));
  scene.site.log = [this](protocol::Severity, const std::string& line) { town.log.push_back(line); };
  return scene;
}

softlock::Claim& Citizen::claim() {
  if (!claim_) claim_ = softlock::make_claim(primitive, scene());
  return *claim_;
}

bool Citizen::take() noexcept(false) {
  try {
    holds_ = claim().take();
  } catch (const Error& error) {
    town.log.push_back(error.what());
    holds_ = false;
  }
  ever_held_ = ever_held_ || holds_;
  return holds_;
}

bool Citizen::wait(fs::Nanoseconds longest) {
  for (fs::Nanoseconds waited{0};; waited += poll) {
    if (take()) return true;
    if (waited >= longest) return false;
    town.advance(poll);
  }
}

bool Citizen::give_back() {
  holds_ = false;
  return claim().give_back();
}

void Citizen::fail_at(int n, const Verdict& verdict) {
  client.before = [n, verdict](const Call& call) mutable -> Verdict {
    if (--n != 0) return {};
    const bool asks = call.operation == "look" || call.operation == "read" || call.operation == "list" ||
                      call.operation == "open" || call.operation == "readlink";
    if (asks && verdict.fate == Verdict::late) return {Verdict::refused, verdict.error};
    return verdict;
  };
}

void Citizen::die_at(int n) {
  client.before = [this, n](const Call&) mutable -> Verdict {
    if (--n != 0) return {};
    host.die();
    throw Killed();
  };
}

Town::Town() {
  Node directory;
  directory.mode = 0777;
  EXPECT_TRUE(tree.create(anybody, tree.root(), "scratch", directory).ok());
  EXPECT_TRUE(tree.find(anybody, tree.root(), "scratch", scratch).ok());
}

Citizen& Town::join(Primitive primitive) {
  auto machine = std::make_shared<Machine>();
  const std::string number = std::to_string(citizens_.size() + 1);
  machine->name = "node" + number;
  machine->boot_id = "boot-" + number;
  return citizens_.emplace_back(*this, primitive, machine, ++last_pid_);
}

Citizen& Town::join_beside(Citizen& other) {
  const std::shared_ptr<Machine> machine(&other.host.machine(), [](Machine*) {});
  return citizens_.emplace_back(*this, other.primitive, machine, ++last_pid_);
}

void Town::advance(fs::Nanoseconds duration) {
  server.advance(duration);
  for (Citizen& citizen : citizens_) citizen.clock.advance(duration);
}

std::vector<std::string> Town::names() {
  std::vector<std::string> names;
  for (const auto& [name, node] : scratch->entries) names.push_back(name);
  return names;
}

void Town::plant(const std::string& name, fs::Type type, const std::string& content, mode_t mode) {
  Node node;
  node.type = type;
  node.mode = mode;
  node.content = content;
  EXPECT_TRUE(tree.create(anybody, scratch, name, node).ok()) << name;
}

void Town::unplant(const std::string& name, bool directory) {
  EXPECT_TRUE(tree.remove(anybody, scratch, name, directory).ok()) << name;
}

NodePtr Town::find(const std::string& name) {
  NodePtr found;
  return tree.find(anybody, scratch, name, found).ok() ? found : nullptr;
}

void SoftLockTest::TearDown() {
  for (const std::string& line : town_.log) EXPECT_EQ(line.find(Tokens::mark), std::string::npos) << line;
}

}  // namespace rwlease::test

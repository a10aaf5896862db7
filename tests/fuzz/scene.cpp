#include "scene.hpp"

#include "fault.hpp"

#include <algorithm>

namespace rwlease::fuzz {
namespace {

const test::Caller root{0, 0, {}};
constexpr char base_path[] = "scratch/data.rwlease";
constexpr std::size_t most_entries = 24;
constexpr pid_t own_pid = 100;
constexpr pid_t living_pid = 101;
constexpr pid_t dead_pid = 102;

// Looks that a cache answers, listings that are always empty: faults that the oracle must see.
class FaultyDirectory final : public test::MemoryDirectory {
 public:
  using MemoryDirectory::MemoryDirectory;

  fs::Result look(const std::string& name, fs::Attributes& attributes) override {
    const fs::Result result = MemoryDirectory::look(name, attributes);
    if (fault() != Fault::cached_looks || !result.ok()) return result;
    attributes = seen_.emplace(name, attributes).first->second;
    return result;
  }

  fs::Result list_lasting(const std::string& name, std::vector<fs::Entry>& entries) override {
    const fs::Result result = MemoryDirectory::list_lasting(name, entries);
    if (fault() == Fault::blind_listings && name == protocol::readers_name) entries.clear();
    return result;
  }

 private:
  std::map<std::string, fs::Attributes> seen_;
};

}  // namespace

// Who made an entry, if a participant did.
struct Scene::Owner {
  protocol::MarkerId id;
  bool genuine = false;
};

Scene::Scene(FuzzedDataProvider& data) : data_(data) {
  host = std::make_unique<test::FakeHost>(machine, own_pid, test::Caller().uid, tokens);
  machine->processes[living_pid] = 1000 + living_pid;
  if (fault() == Fault::everybody_dead) {
    // The host no longer sees them.
    host = std::make_unique<test::FakeHost>(std::make_shared<test::Machine>(), own_pid, test::Caller().uid, tokens);
  }
  terms.lease = data_.PickValueInArray<Nanoseconds>({90s, 500ms, 30s, 3600s});
  terms.interval = terms.lease / 3;
  terms.margin = terms.lease / 10;
  tree.set_granularity(data_.PickValueInArray<Nanoseconds>({1ns, 4ms, 1s}));
  test::Node scratch;
  scratch.mode = 0777;
  static_cast<void>(tree.create(root, tree.root(), "scratch", scratch));
  make_lock_directory();
  const auto entries = data_.ConsumeIntegralInRange<std::size_t>(0, most_entries / 2);
  for (std::size_t i = 0; i < entries; ++i) plant();
}

void Scene::make_lock_directory() {
  for (const std::string& below : {std::string(), std::string("/readers"), std::string("/writer")}) {
    const bool wanted = below == "/writer" ? data_.ConsumeBool() : mostly();
    if (!wanted) continue;
    test::Node node;
    node.type =
        mostly() ? fs::Type::directory : data_.PickValueInArray({fs::Type::file, fs::Type::symlink, fs::Type::other});
    node.mode = mostly() ? 0700 : data_.ConsumeIntegral<std::uint16_t>() & 07777U;
    const std::string path = base_path + below;
    if (!tree.create(root, tree.root(), path, node).ok()) continue;
    NodePtr made;
    static_cast<void>(tree.find(root, tree.root(), path, made));
    made->uid = mostly() ? test::Caller().uid : data_.ConsumeIntegral<std::uint8_t>();
    made->gid = test::Caller().gid;
  }
}

NodePtr Scene::find(const std::string& path) const {
  NodePtr found;
  const std::string whole = path.empty() ? base_path : base_path + ("/" + path);
  return tree.find(root, tree.root(), whole, found).ok() ? found : nullptr;
}

void Scene::open() {
  directory = protocol::open_lock_directory(file_system, *host, lock_path, {});
  if (fault() == Fault::none) return;
  directory = std::make_unique<FaultyDirectory>(client, find(""), lock_path);
}

protocol::Site Scene::site() {
  protocol::Site site;
  site.directory = directory.get();
  site.clock = &clock;
  site.host = host.get();
  site.ledger = &ledger;
  site.terms = terms;
  protocol::Record self;
  self.host = host->name();
  self.lease = std::chrono::duration_cast<std::chrono::milliseconds>(terms.lease);
  self.process = host->self();
  self.uid = host->user();
  site.self = std::make_shared<const protocol::Record>(std::move(self));
  site.log = [this](protocol::Severity, const std::string& line) { log.push_back(line); };
  return site;
}

void Scene::advance(Nanoseconds duration) { clock.advance(duration); }

std::string Scene::raw(std::size_t longest) { return data_.ConsumeRandomLengthString(longest); }

pid_t Scene::choose_pid() { return data_.PickValueInArray({own_pid, living_pid, dead_pid, pid_t{1}}); }

Nanoseconds Scene::choose_lease() { return data_.PickValueInArray<Nanoseconds>({90s, 500ms, 30s, 3600s, 24h, 1ms}); }

std::string Scene::choose_place() {
  constexpr std::uint8_t inside_another = 3;
  switch (data_.ConsumeIntegralInRange<std::uint8_t>(0, inside_another)) {
    case 0:
      return "";
    case 1:
      return "readers/";
    case 2:
      return "writer/";
    default:
      return planted_.empty() ? "readers/" : planted_.back().path + "/";
  }
}

std::string Scene::choose_name(Owner& owner) {
  const std::string prefix = data_.PickValueInArray({"", "", "", ".", ".w.", ".o.", ".p.", ".f."});
  if (data_.ConsumeBool()) {
    owner.genuine = prefix != protocol::fence_prefix;  // no participant makes such a name
    owner.id.host = "node01";
    owner.id.pid = choose_pid();
    owner.id.lease = std::chrono::duration_cast<std::chrono::milliseconds>(choose_lease());
    // In a claim's directory the marker has the claim's token.
    if (data_.ConsumeBool()) ++last_token_;
    char token[33];
    std::snprintf(token, sizeof token, "f00d%028x", last_token_);
    owner.id.token = token;
    return prefix + owner.id.text();
  }
  if (data_.ConsumeBool()) return prefix + std::to_string(data_.ConsumeIntegral<std::uint64_t>());
  return prefix + raw(40);
}

std::string Scene::choose_content(const Owner& owner) {
  if (data_.ConsumeBool()) return raw(80);
  protocol::Record record;
  record.token = owner.id.token;
  record.host = "node01";
  record.process = host->self();
  record.process.pid = owner.id.pid != 0 ? static_cast<pid_t>(owner.id.pid) : choose_pid();
  record.process.start =
      data_.ConsumeBool() ? 1000U + static_cast<unsigned>(record.process.pid) : data_.ConsumeIntegral<std::uint16_t>();
  if (data_.ConsumeBool()) record.process.boot_id = "boot-2";
  if (!mostly()) record.process.pidns = data_.ConsumeIntegral<std::uint8_t>();
  record.sole = data_.ConsumeBool();
  if (!mostly()) record.since = std::chrono::milliseconds(data_.ConsumeIntegral<std::int64_t>());
  record.process_group = data_.ConsumeBool() ? 0 : data_.ConsumeIntegralInRange<pid_t>(-2, 7);
  record.lease =
      std::chrono::duration_cast<std::chrono::milliseconds>(mostly() ? Nanoseconds(owner.id.lease) : choose_lease());
  return data_.ConsumeBool() ? record.text() : record.text() + " " + raw(40);
}

void Scene::plant() {
  Owner owner;
  const std::string place = choose_place();
  std::string name = choose_name(owner);
  std::replace(name.begin(), name.end(), '/', '_');
  std::replace(name.begin(), name.end(), '\0', '_');
  const bool own = name.find(test::Tokens::mark) != std::string::npos;  // such a name is nobody else's
  if (name.empty() || name == "." || name == ".." || own || planted_.size() >= most_entries) return;
  test::Node node;
  node.type = data_.PickValueInArray(
      {fs::Type::symlink, fs::Type::symlink, fs::Type::file, fs::Type::directory, fs::Type::other});
  node.mode = mostly() ? 0700 : data_.ConsumeIntegral<std::uint16_t>() & 07777U;
  node.content = choose_content(owner);
  const std::string path = place + name;
  if (!tree.create(root, tree.root(), base_path + ("/" + path), node).ok()) return;
  const NodePtr made = find(path);
  made->uid = mostly() ? test::Caller().uid : data_.ConsumeIntegral<std::uint8_t>();
  if (!mostly()) made->links = data_.ConsumeIntegral<std::uint8_t>();
  if (!mostly()) made->mtime = Nanoseconds(data_.ConsumeIntegral<std::int64_t>());
  planted_.push_back({made, path, owner.genuine ? Nanoseconds(owner.id.lease) : 0ns});
}

void Scene::let_others_act() {
  constexpr std::uint8_t last = 5;
  const auto what = data_.ConsumeIntegralInRange<std::uint8_t>(0, last);
  if (what == 0 || planted_.empty()) return plant();
  const Planted& chosen = planted_[data_.ConsumeIntegralInRange<std::size_t>(0, planted_.size() - 1)];
  const std::string path = base_path + ("/" + chosen.path);
  switch (what) {
    case 1:
    case 2:
      return static_cast<void>(tree.touch(root, tree.root(), path));
    case 3:
      return static_cast<void>(tree.remove(root, tree.root(), path, chosen.node->is_directory()));
    case 4:
      return static_cast<void>(machine->processes.erase(living_pid));
    default:
      if (data_.ConsumeBool()) machine->groups.insert(data_.ConsumeIntegralInRange<pid_t>(2, 7));
  }
}

}  // namespace rwlease::fuzz

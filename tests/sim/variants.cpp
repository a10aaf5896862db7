#include "sim/variants.hpp"

#include "protocol/names.hpp"
#include "sim/world.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>

namespace rwlease::sim {
namespace {

using Entries = std::vector<fs::Entry>;

// Hands everything on; the variants change a call or two.
class Wrapped : public fs::Directory {
 public:
  explicit Wrapped(std::unique_ptr<fs::Directory> real) : real_(std::move(real)) {}

  const std::string& path() const override { return real_->path(); }
  int descriptor() const override { return real_->descriptor(); }
  fs::Result open_directory(const std::string& name, std::unique_ptr<fs::Directory>& opened) override {
    return real_->open_directory(name, opened);
  }
  fs::Result make_symlink(const std::string& target, const std::string& name) override {
    return real_->make_symlink(target, name);
  }
  fs::Result make_file(const std::string& content, const std::string& name, mode_t mode) override {
    return real_->make_file(content, name, mode);
  }
  fs::Result make_directory(const std::string& name, mode_t mode) override { return real_->make_directory(name, mode); }
  fs::Result rename(const std::string& from, const std::string& to) override { return real_->rename(from, to); }
  fs::Result remove(const std::string& name) override { return real_->remove(name); }
  fs::Result remove_directory(const std::string& name) override { return real_->remove_directory(name); }
  fs::Result change_mode(const std::string& name, mode_t mode) override { return real_->change_mode(name, mode); }
  fs::Result change_group(const std::string& name, gid_t group) override { return real_->change_group(name, group); }
  fs::Result touch(const std::string& name) override { return real_->touch(name); }
  fs::Result set_time(const std::string& name, std::int64_t seconds) override { return real_->set_time(name, seconds); }
  fs::Result look(const std::string& name, fs::Attributes& attributes) override {
    return real_->look(name, attributes);
  }
  fs::Result glance(const std::string& name, fs::Attributes& attributes) override {
    return real_->glance(name, attributes);
  }
  fs::Result read_link(const std::string& name, std::string& target) override { return real_->read_link(name, target); }
  fs::Result read_file(const std::string& name, std::size_t limit, std::string& content) override {
    return real_->read_file(name, limit, content);
  }
  fs::Result list(const std::string& name, Entries& entries) override { return real_->list(name, entries); }
  fs::Result list_lasting(const std::string& name, Entries& entries) override {
    return real_->list_lasting(name, entries);
  }

 protected:
  std::unique_ptr<fs::Directory> real_;
};

class PlainLook final : public Wrapped {
 public:
  using Wrapped::Wrapped;
  fs::Result look(const std::string& name, fs::Attributes& attributes) override {
    return real_->glance(name, attributes);
  }
};

// Asks for the writer by its name.
class PlainLookup final : public Wrapped {
 public:
  PlainLookup(const World& world, std::unique_ptr<fs::Directory> real) : Wrapped(std::move(real)), world_(world) {}
  fs::Result list_lasting(const std::string& name, Entries& entries) override {
    const Task* task = world_.scheduler.current();
    if (!name.empty() || task == nullptr || !task->user) return real_->list_lasting(name, entries);
    entries = {fs::Entry{protocol::readers_name}};
    fs::Attributes ignored;
    const fs::Result result = real_->glance(protocol::writer_name, ignored);
    if (result.ok()) entries.push_back(fs::Entry{protocol::writer_name});
    return result.absent() ? fs::Result() : result;
  }

 private:
  const World& world_;
};

// Believes what it has listed of the readers until their directory's attributes, as this client knows them, are others:
// what a listing amounts to when no own change of that directory comes before it.
class HeldListing final : public Wrapped {
 public:
  using Wrapped::Wrapped;
  fs::Result list_lasting(const std::string& name, Entries& entries) override {
    if (name != protocol::readers_name) return real_->list_lasting(name, entries);
    fs::Attributes now;
    const fs::Result known = real_->glance(name, now);
    if (known.ok() && held_ && now.stamp == stamp_) {
      entries = *held_;
      return {};
    }
    const fs::Result listed = real_->list_lasting(name, entries);
    held_.reset();
    if (listed.ok()) held_ = entries;
    stamp_ = now.stamp;
    return listed;
  }

 private:
  std::optional<Entries> held_;
  fs::Stamp stamp_;
};

// Lists the lock directory when its marker is made and not yet published.
class CheckBeforePublish final : public Wrapped {
 public:
  CheckBeforePublish(const World& world, std::unique_ptr<fs::Directory> real)
      : Wrapped(std::move(real)), world_(world) {}
  fs::Result rename(const std::string& from, const std::string& to) override {
    const bool publishes = protocol::starts_with(from, protocol::hidden_prefix) && to.find('/') != std::string::npos;
    Entries entries;
    if (publishes && real_->list_lasting("", entries).ok()) before_[world_.scheduler.current()] = entries;
    return real_->rename(from, to);
  }
  fs::Result list_lasting(const std::string& name, Entries& entries) override {
    const auto before = before_.find(world_.scheduler.current());
    if (!name.empty() || before == before_.end()) return real_->list_lasting(name, entries);
    entries = std::move(before->second);
    before_.erase(before);
    return {};
  }

 private:
  const World& world_;
  std::map<const Task*, Entries> before_;
};

// Takes whatever is in writer/ for the one it has watched.
class FixedNameEviction final : public Wrapped {
 public:
  using Wrapped::Wrapped;
  fs::Result make_symlink(const std::string& target, const std::string& name) override {
    own_.insert(name.substr(name.rfind('/') + 1));
    return real_->make_symlink(target, name);
  }
  fs::Result rename(const std::string& from, const std::string& to) override {
    own_.insert(to.substr(to.rfind('/') + 1));
    return real_->rename(from, to);
  }
  fs::Result remove(const std::string& name) override {
    const bool evicts = protocol::is_in_writer(name) && own_.count(name.substr(name.rfind('/') + 1)) == 0;
    if (!evicts) return real_->remove(name);
    Entries there;
    if (!real_->list(protocol::writer_name, there).ok()) return fs::Result(ENOENT);
    fs::Result result(ENOENT);
    for (const fs::Entry& entry : there) result = real_->remove(protocol::in_writer(entry.name));
    return result;
  }

 private:
  std::set<std::string> own_;
};

// A writer's renewal touches the marker under its old name and goes on calling it by the new one.
class TouchAsRenewal final : public Wrapped {
 public:
  using Wrapped::Wrapped;
  fs::Result rename(const std::string& from, const std::string& to) override {
    if (!protocol::is_in_writer(from)) return real_->rename(from, to);
    const fs::Result touched = real_->touch(real_name(from));
    if (touched.ok()) old_[to] = real_name(from);
    return touched;
  }
  fs::Result remove(const std::string& name) override { return real_->remove(real_name(name)); }
  fs::Result touch(const std::string& name) override { return real_->touch(real_name(name)); }
  fs::Result look(const std::string& name, fs::Attributes& attributes) override {
    return real_->look(real_name(name), attributes);
  }
  fs::Result glance(const std::string& name, fs::Attributes& attributes) override {
    return real_->glance(real_name(name), attributes);
  }

 private:
  std::string real_name(const std::string& name) const {
    const auto known = old_.find(name);
    return known == old_.end() ? name : known->second;
  }

  std::map<std::string, std::string> old_;
};

// What the refresher lists of the lock directory is a renewal's look for a writer.
class RenewalWithoutLook final : public Wrapped {
 public:
  RenewalWithoutLook(const World& world, std::unique_ptr<fs::Directory> real)
      : Wrapped(std::move(real)), world_(world) {}
  fs::Result list_lasting(const std::string& name, Entries& entries) override {
    const Task* task = world_.scheduler.current();
    const fs::Result result = real_->list_lasting(name, entries);
    if (!name.empty() || task == nullptr || task->user) return result;
    const auto writes = [](const fs::Entry& entry) { return entry.name == protocol::writer_name; };
    entries.erase(std::remove_if(entries.begin(), entries.end(), writes), entries.end());
    return result;
  }

 private:
  const World& world_;
};

}  // namespace

std::unique_ptr<fs::Directory> with_variant(const World& world, std::unique_ptr<fs::Directory> directory) {
  switch (world.variant) {
    case Variant::plain_look:
      return std::make_unique<PlainLook>(std::move(directory));
    case Variant::plain_lookup:
      return std::make_unique<PlainLookup>(world, std::move(directory));
    case Variant::held_listing:
      return std::make_unique<HeldListing>(std::move(directory));
    case Variant::check_before_publish:
      return std::make_unique<CheckBeforePublish>(world, std::move(directory));
    case Variant::fixed_name_eviction:
      return std::make_unique<FixedNameEviction>(std::move(directory));
    case Variant::touch_as_renewal:
      return std::make_unique<TouchAsRenewal>(std::move(directory));
    case Variant::renewal_without_look:
      return std::make_unique<RenewalWithoutLook>(world, std::move(directory));
    case Variant::early_eviction:  // the observer's clock does it
    case Variant::none:
      break;
  }
  return directory;
}

}  // namespace rwlease::sim

#include "support/memory_directory.hpp"

#include "protocol/names.hpp"
#include "support/fake_host.hpp"

#include <cerrno>

namespace rwlease::test {
namespace {

std::string shortened_component(const std::string& component) {
  const std::string_view bare = protocol::without_prefix(component);
  const auto id = protocol::MarkerId::parse(bare);
  const unsigned number = id ? Tokens::number(id->token) : 0;
  if (number == 0) return component;
  return component.substr(0, component.size() - bare.size()) + "#" + std::to_string(number);
}

// From the tree's root.
std::string relative(const std::string& path) { return path.front() == '/' ? path.substr(1) : path; }

}  // namespace

std::string shortened(const std::string& path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos) return shortened_component(path);
  return shortened_component(path.substr(0, slash)) + "/" + shortened(path.substr(slash + 1));
}

std::string Call::text() const {
  std::string text = operation;
  if (!name.empty()) text += " " + shortened(name);
  if (!to.empty()) text += " " + shortened(to);
  return text;
}

void Client::nth_call(int n, Verdict verdict) {
  before = [n, verdict](const Call&) mutable { return --n == 0 ? verdict : Verdict(); };
}

void Client::carry_out_late() {
  for (const auto& action : late_) static_cast<void>(action());
  late_.clear();
}

fs::Result Client::run(const Call& call, const std::function<fs::Result()>& action) {
  calls.push_back(call.text());
  Verdict verdict;
  if (before) {
    const auto hook = std::move(before);  // which may set another
    before = nullptr;
    verdict = hook(call);
    if (!before) before = hook;
  }
  if (verdict.fate == Verdict::refused) return fs::Result(verdict.error);
  if (verdict.fate == Verdict::ignored) return {};
  if (verdict.fate == Verdict::late) {
    late_.push_back(action);
    return fs::Result(verdict.error);
  }
  const fs::Result result = action();
  if (const auto hook = after) hook(call);
  return verdict.fate == Verdict::reply_lost ? fs::Result(verdict.error) : result;
}

fs::Result MemoryFileSystem::open(const std::string& path, std::unique_ptr<fs::Directory>& opened) {
  return client_.run({"open", path, ""}, [&] {
    NodePtr node;
    const fs::Result found = client_.tree().find(client_.caller(), client_.tree().root(), relative(path), node);
    if (!found.ok()) return found;
    if (!node->is_directory()) return fs::Result(ENOTDIR);
    opened = std::make_unique<MemoryDirectory>(client_, node, path);
    return fs::Result();
  });
}

fs::Result MemoryFileSystem::rename(const std::string& from, const std::string& to) {
  return client_.run({"rename", from, to}, [this, from, to] {
    return client_.tree().rename(client_.caller(), client_.tree().root(), relative(from), relative(to));
  });
}

fs::Result MemoryDirectory::open_directory(const std::string& name, std::unique_ptr<fs::Directory>& opened) {
  return client_.run({"open", name, ""}, [&] {
    constexpr mode_t may_read = 4;
    NodePtr node;
    const fs::Result found = client_.tree().find(client_.caller(), node_, name, node);
    if (!found.ok()) return found;
    if (!node->is_directory()) return fs::Result(ENOTDIR);
    if (!MemoryTree::may(client_.caller(), *node, may_read)) return fs::Result(EACCES);
    opened = std::make_unique<MemoryDirectory>(client_, node, path_ + "/" + name);
    return fs::Result();
  });
}

// What may be late captures no reference to its caller's variables.
fs::Result MemoryDirectory::create(const char* operation, const std::string& name, fs::Type type, mode_t mode,
                                   const std::string& content) {
  Node wanted;
  wanted.type = type;
  wanted.mode = mode;
  wanted.content = content;
  return client_.run({operation, name, ""}, [client = &client_, node = node_, name, wanted] {
    return client->tree().create(client->caller(), node, name, wanted);
  });
}

fs::Result MemoryDirectory::make_symlink(const std::string& target, const std::string& name) {
  return create("symlink", name, fs::Type::symlink, 0777, target);
}

fs::Result MemoryDirectory::make_file(const std::string& content, const std::string& name, mode_t mode) {
  return create("file", name, fs::Type::file, mode, content);
}

fs::Result MemoryDirectory::make_directory(const std::string& name, mode_t mode) {
  return create("mkdir", name, fs::Type::directory, mode, "");
}

fs::Result MemoryDirectory::rename(const std::string& from, const std::string& to) {
  return client_.run({"rename", from, to}, [client = &client_, node = node_, from, to] {
    return client->tree().rename(client->caller(), node, from, to);
  });
}

fs::Result MemoryDirectory::remove(const std::string& name) {
  return client_.run({"remove", name, ""}, [client = &client_, node = node_, name] {
    return client->tree().remove(client->caller(), node, name, false);
  });
}

fs::Result MemoryDirectory::remove_directory(const std::string& name) {
  return client_.run({"rmdir", name, ""}, [client = &client_, node = node_, name] {
    return client->tree().remove(client->caller(), node, name, true);
  });
}

fs::Result MemoryDirectory::change_mode(const std::string& name, mode_t mode) {
  return client_.run({"chmod", name, ""}, [client = &client_, node = node_, name, mode] {
    return client->tree().change_mode(client->caller(), node, name, mode);
  });
}

fs::Result MemoryDirectory::change_group(const std::string& name, gid_t group) {
  return client_.run({"chgrp", name, ""}, [client = &client_, node = node_, name, group] {
    return client->tree().change_group(client->caller(), node, name, group);
  });
}

fs::Result MemoryDirectory::touch(const std::string& name) {
  return client_.run({"touch", name, ""}, [client = &client_, node = node_, name] {
    return client->tree().touch(client->caller(), node, name);
  });
}

fs::Result MemoryDirectory::set_time(const std::string& name, std::int64_t seconds) {
  return client_.run({"settime", name, ""}, [client = &client_, node = node_, name, seconds] {
    return client->tree().set_time(client->caller(), node, name, seconds);
  });
}

fs::Result MemoryDirectory::look_at(const char* operation, const std::string& name, fs::Attributes& attributes) {
  return client_.run({operation, name, ""}, [&] {
    NodePtr node;
    const fs::Result found = client_.tree().find(client_.caller(), node_, name, node);
    if (found.ok()) attributes = MemoryTree::attributes(*node);
    return found;
  });
}

fs::Result MemoryDirectory::look(const std::string& name, fs::Attributes& attributes) {
  return look_at("look", name, attributes);
}

fs::Result MemoryDirectory::glance(const std::string& name, fs::Attributes& attributes) {
  return look_at("glance", name, attributes);
}

fs::Result MemoryDirectory::read_link(const std::string& name, std::string& target) {
  return client_.run({"readlink", name, ""}, [&] {
    NodePtr node;
    const fs::Result found = client_.tree().find(client_.caller(), node_, name, node);
    if (!found.ok()) return found;
    if (node->type != fs::Type::symlink) return fs::Result(EINVAL);
    target = node->content;
    return fs::Result();
  });
}

fs::Result MemoryDirectory::link(const std::string& from, const std::string& to) {
  return client_.run({"link", from, to}, [client = &client_, node = node_, from, to] {
    return client->tree().link(client->caller(), node, from, to);
  });
}

// Two steps, as it is: the file first, sticky and empty, then what is in it.
fs::Result MemoryDirectory::make_file_in_place(const std::string& content, const std::string& name, mode_t mode,
                                               bool& made) {
  const fs::Result created = create("create", name, fs::Type::file, mode | 01000, "");
  made = created.ok();
  if (!made) return created;
  return client_.run({"write", name, ""}, [client = &client_, base = node_, name, mode, content] {
    NodePtr node;
    const fs::Result found = client->tree().find(client->caller(), base, name, node);
    if (!found.ok()) return fs::Result(ESTALE);
    node->content = content;
    return client->tree().change_mode(client->caller(), base, name, mode);
  });
}

fs::Result MemoryDirectory::read_file(const std::string& name, std::size_t limit, std::string& content) {
  return read_regular(name, limit, 1, content);
}

fs::Result MemoryDirectory::read_linked_file(const std::string& name, std::size_t limit, std::string& content) {
  return read_regular(name, limit, 2, content);
}

fs::Result MemoryDirectory::read_regular(const std::string& name, std::size_t limit, std::uint64_t most_links,
                                         std::string& content) {
  return client_.run({"read", name, ""}, [&] {
    constexpr mode_t may_read = 4;
    NodePtr node;
    const fs::Result found = client_.tree().find(client_.caller(), node_, name, node);
    if (!found.ok()) return found;
    if (node->type == fs::Type::symlink) return fs::Result(ELOOP);
    if (!MemoryTree::may(client_.caller(), *node, may_read)) return fs::Result(EACCES);
    if (node->type != fs::Type::file || node->links > most_links) return fs::Result(EINVAL);
    content = node->content.substr(0, limit);
    return fs::Result();
  });
}

fs::Result MemoryDirectory::list(const std::string& name, std::vector<fs::Entry>& entries) {
  return client_.run({"list", name, ""}, [&] { return client_.tree().list(client_.caller(), node_, name, entries); });
}

}  // namespace rwlease::test

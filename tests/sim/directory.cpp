#include "sim/directory.hpp"

#include "protocol/names.hpp"
#include "sim/variants.hpp"
#include "sim/world.hpp"

#include <cerrno>

namespace rwlease::sim {

fs::Result SimulatedFileSystem::open(const std::string& path, std::unique_ptr<fs::Directory>& opened) {
  if (process_.killed) return fs::Result(EIO);
  opened = std::make_unique<SimulatedDirectory>(world_, process_, world_.server.root(), path);
  return {};
}

fs::Result SimulatedFileSystem::rename(const std::string& from, const std::string& to) {
  const auto base = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  return Client(world_, process_).rename(world_.server.root(), base(from), base(to));
}

fs::Result SimulatedDirectory::open_directory(const std::string& name, std::unique_ptr<fs::Directory>& opened) {
  Handle handle = no_handle;
  const fs::Result result = client_.open(handle_, name, handle);
  if (!result.ok()) return result;
  opened = std::make_unique<SimulatedDirectory>(world_, process_, handle, path_ + "/" + name);
  opened = with_variant(world_, std::move(opened));
  return {};
}

fs::Result SimulatedDirectory::make_symlink(const std::string& target, const std::string& name) {
  if (world_.plan.file_markers) return fs::Result(EPERM);
  return client_.make(Operation::symlink, handle_, name, target, 0777);
}

fs::Result SimulatedDirectory::make_file(const std::string& content, const std::string& name, mode_t mode) {
  return client_.make_file(handle_, name, content, mode);
}

fs::Result SimulatedDirectory::make_directory(const std::string& name, mode_t mode) {
  return client_.make(Operation::mkdir, handle_, name, "", mode);
}

fs::Result SimulatedDirectory::rename(const std::string& from, const std::string& to) {
  return client_.rename(handle_, from, to);
}

fs::Result SimulatedDirectory::remove(const std::string& name) {
  const fs::Result result = client_.remove(Operation::remove, handle_, name);
  // The last of what opening does.
  if (protocol::starts_with(name, protocol::probe_prefix)) process_.opening = false;
  return result;
}

fs::Result SimulatedDirectory::remove_directory(const std::string& name) {
  return client_.remove(Operation::rmdir, handle_, name);
}

fs::Result SimulatedDirectory::change_mode(const std::string& name, mode_t mode) {
  return client_.set(Operation::change_mode, handle_, name, static_cast<std::int64_t>(mode));
}

fs::Result SimulatedDirectory::change_group(const std::string&, gid_t) { return fs::Result(EPERM); }

fs::Result SimulatedDirectory::touch(const std::string& name) {
  return client_.set(Operation::touch, handle_, name, 0);
}

fs::Result SimulatedDirectory::set_time(const std::string& name, std::int64_t seconds) {
  return client_.set(Operation::set_time, handle_, name, seconds);
}

fs::Result SimulatedDirectory::look(const std::string& name, fs::Attributes& attributes) {
  return client_.look(handle_, name, attributes);
}

fs::Result SimulatedDirectory::glance(const std::string& name, fs::Attributes& attributes) {
  return client_.glance(handle_, name, attributes);
}

fs::Result SimulatedDirectory::read_link(const std::string& name, std::string& target) {
  return client_.read(Operation::readlink, handle_, name, target);
}

fs::Result SimulatedDirectory::read_file(const std::string& name, std::size_t limit, std::string& content) {
  const fs::Result result = client_.read(Operation::read, handle_, name, content);
  if (content.size() > limit) content.resize(limit);
  return result;
}

fs::Result SimulatedDirectory::open_and_read(const std::string& name, Handle& handle, std::vector<fs::Entry>& entries) {
  const fs::Result opened = name.empty() ? fs::Result() : client_.open(handle_, name, handle);
  return opened.ok() ? client_.list(handle, entries) : opened;
}

// This and what lists are as src/fs/posix.cpp does it.
fs::Result SimulatedDirectory::list_anew(const std::string& name, Handle& handle, std::vector<fs::Entry>& entries) {
  const fs::Result result = open_and_read(name, handle, entries);
  if (result.error() != ESTALE || name.empty()) return result;
  fs::Attributes attributes;
  const fs::Result looked = client_.look(handle_, name, attributes);
  return looked.ok() ? open_and_read(name, handle, entries) : looked;
}

fs::Result SimulatedDirectory::list(const std::string& name, std::vector<fs::Entry>& entries) {
  Handle handle = handle_;
  return list_anew(name, handle, entries);
}

fs::Result SimulatedDirectory::list_lasting(const std::string& name, std::vector<fs::Entry>& entries) {
  Handle& kept = kept_[name];
  if (name.empty()) kept = handle_;
  Handle named = kept;
  if (kept != no_handle && !name.empty()) static_cast<void>(client_.find(handle_, name, named));
  fs::Result result(ENOENT);
  if (kept != no_handle && named == kept) result = client_.list(kept, entries);
  if (!result.absent()) return result;
  Handle opened = handle_;
  result = list_anew(name, opened, entries);
  if (result.ok()) kept_[name] = opened;
  return result;
}

}  // namespace rwlease::sim

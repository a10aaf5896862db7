#include "sim/client.hpp"

#include "sim/world.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>

namespace rwlease::sim {

template <class Call>
fs::Result Client::twice(Call call) {
  const int error = call(false);
  return fs::Result(error == ESTALE ? call(true) : error);
}

// The right to look into a directory, or to change it, until the end of the block.
class Client::Turn {
 public:
  Turn(Client& client, Handle directory, bool changes)
      : client_(client), use_(client.cache().use(directory)), changes_(changes) {
    while (!client.process_.killed && (use_.changing || (changes && use_.looking > 0))) {
      client.world_.scheduler.wait_for(&use_, never);
    }
    taken_ = !client.process_.killed;
    if (!taken_) return;
    changes ? static_cast<void>(use_.changing = true) : static_cast<void>(++use_.looking);
  }
  ~Turn() {
    if (!taken_) return;
    changes_ ? static_cast<void>(use_.changing = false) : static_cast<void>(--use_.looking);
    client_.world_.scheduler.wake(&use_);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Client& client_;
  Cache::Use& use_;
  const bool changes_;
  bool taken_ = false;
};

Cache& Client::cache() const { return process_.machine->cache; }

Time Client::now() const { return world_.scheduler.now(); }

Reply Client::send(Request request) { return world_.network.send(process_, std::move(request)); }

Reply Client::ask(Operation operation, Handle handle) {
  Request request;
  request.operation = operation;
  request.handle = handle;
  Reply reply = send(std::move(request));
  if (reply.error == 0) cache().learn(reply, now());
  return reply;
}

// Memory is short now and then.
bool Client::forgotten() { return world_.plan.forgets_one_in != 0 && world_.random.one_in(world_.plan.forgets_one_in); }

int Client::refresh_if_old(Handle handle) {
  const Cache::Known& known = cache().known(handle);
  const bool young = known.any && now() - known.asked < world_.plan.attributes_last;
  return young ? 0 : ask(Operation::getattr, handle).error;
}

int Client::lookup(Handle directory, std::string_view name, bool anew, Handle& found) {
  if (!anew && cache().find(directory, name) != nullptr && !forgotten()) {
    const int error = refresh_if_old(directory);
    if (error != 0) return error;
    const Cache::Name* known = cache().find(directory, name);
    if (known != nullptr && known->verifier == cache().known(directory).verifier) {
      found = known->handle;
      if (found != world_.server.find(directory, name)) ++world_.statistics.stale_names;
      return found == no_handle ? ENOENT : 0;
    }
  }
  const Turn turn(*this, directory, false);
  // Attributed to the directory as it was known before the request.
  const std::uint64_t verifier = cache().known(directory).verifier;
  Request request;
  request.operation = Operation::lookup;
  request.handle = directory;
  request.name = name;
  const Reply reply = send(std::move(request));
  if (reply.error != 0 && reply.error != ENOENT) return reply.error;
  found = reply.error == 0 ? reply.handle : no_handle;
  if (found != no_handle) cache().learn(reply, now());
  cache().put(directory, name, found, verifier);
  return reply.error;
}

int Client::locate(Handle base, std::string_view path, bool anew, Place& place) {
  place = {base, path};
  for (std::size_t slash = place.name.find('/'); slash != std::string_view::npos; slash = place.name.find('/')) {
    const int error = lookup(place.directory, place.name.substr(0, slash), anew, place.directory);
    if (error != 0) return error;
    place.name.remove_prefix(slash + 1);
  }
  return 0;
}

int Client::resolve(Handle base, std::string_view path, bool anew, Handle& found) {
  Place place;
  const int error = locate(base, path, anew, place);
  if (error != 0) return error;
  found = place.directory;
  return place.name.empty() ? 0 : lookup(place.directory, place.name, anew, found);
}

fs::Result Client::find(Handle base, const std::string& path, Handle& found) {
  return twice([&](bool anew) { return resolve(base, path, anew, found); });
}

fs::Result Client::open(Handle base, const std::string& path, Handle& opened) {
  return twice([&](bool anew) {
    const int error = resolve(base, path, anew, opened);
    if (error != 0) return error;
    if (cache().known(opened).attributes.type != fs::Type::directory) return ENOTDIR;
    return world_.plan.asks_at_open ? ask(Operation::getattr, opened).error : 0;
  });
}

fs::Result Client::make(Operation operation, Handle base, const std::string& path, const std::string& content,
                        mode_t mode) {
  return twice([&](bool anew) {
    Place place;
    const int error = locate(base, path, anew, place);
    if (error != 0) return error;
    Request request;
    request.operation = operation;
    request.handle = place.directory;
    request.name = place.name;
    request.content = content;
    request.number = static_cast<std::int64_t>(mode);
    const Turn turn(*this, place.directory, true);
    const Reply reply = send(std::move(request));
    if (reply.error != 0) {
      cache().drop(place.directory, place.name);
      return reply.error;
    }
    cache().changed(place.directory, reply.directory, now());
    cache().learn(reply, now());
    cache().put(place.directory, place.name, reply.handle);
    return 0;
  });
}

// An exclusive open and the writing are two requests; in between others see an empty file with an odd mode.
fs::Result Client::make_file(Handle base, const std::string& path, const std::string& content, mode_t mode) {
  const fs::Result made = make(Operation::create, base, path, "", 0);
  if (!made.ok()) return made;
  const fs::Result written = twice([&](bool anew) {
    Request request;
    request.operation = Operation::write;
    request.content = content;
    request.number = static_cast<std::int64_t>(mode);
    const int error = resolve(base, path, anew, request.handle);
    if (error != 0) return error;
    const Reply reply = send(std::move(request));
    if (reply.error == 0) cache().learn(reply, now());
    return reply.error;
  });
  if (!written.ok()) static_cast<void>(remove(Operation::remove, base, path));
  return written;
}

fs::Result Client::rename(Handle base, const std::string& from, const std::string& to) {
  return twice([&](bool anew) {
    Place source;
    Place target;
    Handle moved = no_handle;
    int error = locate(base, from, anew, source);
    if (error == 0) error = lookup(source.directory, source.name, anew, moved);
    if (error == 0) error = locate(base, to, anew, target);
    if (error != 0) return error;
    Request request;
    request.operation = Operation::rename;
    request.handle = source.directory;
    request.name = source.name;
    request.target_directory = target.directory;
    request.target_name = target.name;
    const Turn first(*this, std::min(source.directory, target.directory), true);
    std::optional<Turn> other;
    if (source.directory != target.directory) {
      other.emplace(*this, std::max(source.directory, target.directory), true);
    }
    const Reply reply = send(std::move(request));
    if (reply.error != 0) {
      if (reply.error == ENOENT) cache().drop(source.directory, source.name);
      return reply.error;
    }
    cache().changed(source.directory, reply.directory, now());
    if (target.directory != source.directory) cache().changed(target.directory, reply.target_directory, now());
    cache().put(source.directory, source.name, no_handle);
    cache().put(target.directory, target.name, reply.handle);
    cache().learn(reply, now());
    return 0;
  });
}

fs::Result Client::remove(Operation operation, Handle base, const std::string& path) {
  return twice([&](bool anew) {
    Place place;
    Handle doomed = no_handle;
    int error = locate(base, path, anew, place);
    if (error == 0) error = lookup(place.directory, place.name, anew, doomed);
    if (error != 0) return error;
    Request request;
    request.operation = operation;
    request.handle = place.directory;
    request.name = place.name;
    const Turn turn(*this, place.directory, true);
    const Reply reply = send(std::move(request));
    if (reply.error == 0) {
      cache().changed(place.directory, reply.directory, now());
      cache().put(place.directory, place.name, no_handle);
    } else if (reply.error == ENOENT) {
      cache().drop(place.directory, place.name);
    }
    return reply.error;
  });
}

fs::Result Client::set(Operation operation, Handle base, const std::string& path, std::int64_t number) {
  return twice([&](bool anew) {
    Request request;
    request.operation = operation;
    request.number = number;
    const int error = resolve(base, path, anew, request.handle);
    if (error != 0) return error;
    const Reply reply = send(std::move(request));
    if (reply.error == 0) cache().learn(reply, now());
    return reply.error;
  });
}

fs::Result Client::look(Handle base, const std::string& path, fs::Attributes& attributes) {
  return twice([&](bool anew) {
    Handle handle = no_handle;
    const int error = resolve(base, path, anew, handle);
    if (error != 0) return error;
    const Reply reply = ask(Operation::getattr, handle);
    if (reply.error == 0) attributes = reply.attributes;
    return reply.error;
  });
}

fs::Result Client::glance(Handle base, const std::string& path, fs::Attributes& attributes) {
  return twice([&](bool anew) {
    Handle handle = no_handle;
    int error = resolve(base, path, anew, handle);
    if (error == 0) error = refresh_if_old(handle);
    if (error != 0) return error;
    const Cache::Known& known = cache().known(handle);
    if (known.count != world_.server.node(handle).count) ++world_.statistics.stale_attributes;
    attributes = known.attributes;
    return 0;
  });
}

// What a marker says never changes, so it is read once.
fs::Result Client::read(Operation operation, Handle base, const std::string& path, std::string& content) {
  return twice([&](bool anew) {
    Handle handle = no_handle;
    const int error = resolve(base, path, anew, handle);
    if (error != 0) return error;
    Request request;
    request.operation = operation;
    request.handle = handle;
    Reply reply = send(std::move(request));
    if (reply.error == 0) content = std::move(reply.content);
    return reply.error;
  });
}

fs::Result Client::list(Handle directory, std::vector<fs::Entry>& entries) {
  entries.clear();
  const int error = refresh_if_old(directory);
  if (error != 0) return fs::Result(error);
  const Cache::Known& cached = cache().known(directory);
  if (cached.listed && cached.listed_version == cached.version && !forgotten()) {
    entries = cached.listing;
    if (cached.listed_count != world_.server.node(directory).count) ++world_.statistics.stale_listings;
    return {};
  }
  const std::uint64_t own_changes = cached.own_changes;
  std::int64_t version = 0;
  std::uint64_t count = 0;
  Request request;
  request.operation = Operation::readdir;
  request.handle = directory;
  request.chunk = world_.plan.chunk;
  for (bool first = true;; first = false) {
    Reply reply = [&] {
      const Turn turn(*this, directory, false);
      return send(request);
    }();
    if (reply.error != 0) return fs::Result(reply.error);
    cache().learn(reply, now());
    if (first) {
      version = reply.version;
      count = reply.count;
    } else if (reply.count != count) {
      ++world_.statistics.torn_listings;
    }
    for (fs::Entry& entry : reply.entries) entries.push_back(std::move(entry));
    request.cookie = reply.cookie;
    if (reply.end) break;
  }
  Cache::Known& known = cache().known(directory);
  if (known.own_changes != own_changes) return {};
  known.listed = true;
  known.listed_version = version;
  known.listed_count = count;
  known.listing = entries;
  return {};
}

}  // namespace rwlease::sim

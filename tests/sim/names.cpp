#include "sim/names.hpp"

#include "protocol/names.hpp"
#include "sim/world.hpp"

#include <cstdlib>
#include <cstring>

namespace rwlease::sim {

std::string make_token(unsigned number) {
  std::string token(32, '0');
  for (std::size_t i = token.size(); number != 0; number >>= 4U) token[--i] = "0123456789abcdef"[number & 15U];
  return token;
}

std::string shortened(const std::string& name) {
  const std::string_view bare = protocol::without_prefix(name);
  const auto id = protocol::MarkerId::parse(bare);
  if (!id) return name;
  return name.substr(0, name.size() - bare.size()) + "#" +
         std::to_string(std::strtoul(id->token.c_str() + 16, nullptr, 16));
}

std::string text_of(World& world, const Request& request) {
  const auto place = [&](Handle handle, const std::string& name) {
    std::string text = "[" + std::to_string(handle) + "]";
    if (handle == world.server.lock_directory()) text = "L";
    return name.empty() ? text : text + "/" + shortened(name);
  };
  std::string text = to_string(request.operation) + std::string(" ") + place(request.handle, request.name);
  if (request.target_directory != no_handle) text += " -> " + place(request.target_directory, request.target_name);
  return text;
}

std::string name_of(const World& world, const Process& process, int task) {
  static_cast<void>(world);
  return process.machine->name + "." + std::to_string(process.number) + "." + std::to_string(task);
}

std::string error_text(int error) { return error == 0 ? "" : std::string(": ") + ::strerrorname_np(error); }

}  // namespace rwlease::sim

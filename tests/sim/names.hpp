// For traces: names that a person can follow.
#pragma once

#include "sim/server.hpp"

#include <string>

namespace rwlease::sim {

struct Process;
struct World;

// Tokens in the order they are drawn.
std::string make_token(unsigned number);

// A name with each marker in it replaced by '#' and its token's number.
std::string shortened(const std::string& name);

std::string text_of(World& world, const Request& request);
std::string name_of(const World& world, const Process& process, int task);
std::string error_text(int error);

}  // namespace rwlease::sim

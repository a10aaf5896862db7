// What to do about an error.
#pragma once

#include <rwlease/error.hpp>

#include <string>

namespace rwlease::cli {

// A clause that goes behind the message of `rwlease COMMAND`, as "; ask its owner to ..."; empty where there is no
// advice that would help, and where the message has some already.
std::string way_out(const Error& error, const std::string& command);

}  // namespace rwlease::cli

// The code that measures file systems, shared with `rwlease probe`, by its names here.
#pragma once

#include "probe/folder.hpp"
#include "probe/server_time.hpp"

namespace rwlease::selftest {

using probe::ClockOffset;
using probe::Folder;
using probe::is_absent;
using probe::is_not_empty;
using probe::MarkerKind;
using probe::measure_time_step;
using probe::remove_tree;
using probe::Stamp;
using probe::TimeStep;

}  // namespace rwlease::selftest

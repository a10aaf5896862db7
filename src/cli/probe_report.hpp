// What `rwlease probe` found, for people and for programs.
#pragma once

#include "probe/findings.hpp"

#include "palette.hpp"

#include <string>

namespace rwlease::cli {

std::string probe_text(const probe::Findings& findings, const probe::Advice& advice,
                       const Palette& palette = Palette());

// docs/probe.md describes it, docs/probe.schema.json is its form; change all together.
std::string probe_json(const probe::Findings& findings, const probe::Advice& advice);

}  // namespace rwlease::cli

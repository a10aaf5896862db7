// Tests that run once for each primitive.
#pragma once

#include <rwlease/softlock.hpp>

#include <gtest/gtest.h>

#include <string>

namespace rwlease::test {

inline constexpr Primitive primitives[] = {Primitive::hard_link, Primitive::directory, Primitive::exclusive_file};

inline std::string name_of_primitive(const testing::TestParamInfo<Primitive>& info) {
  switch (info.param) {
    case Primitive::hard_link:
      return "HardLink";
    case Primitive::directory:
      return "Directory";
    case Primitive::exclusive_file:
      return "ExclusiveFile";
  }
  return "";
}

// As participants and the command are told.
inline std::string word(Primitive primitive) {
  switch (primitive) {
    case Primitive::hard_link:
      return "hard_link";
    case Primitive::directory:
      return "directory";
    case Primitive::exclusive_file:
      return "exclusive_file";
  }
  return "";
}

}  // namespace rwlease::test

// How large each class of a source file is, by its text: public methods and data members. Reads declarations
// as this project writes them; it is no C++ parser.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/house/rules.h"

namespace evenkeel::house {

struct ClassSize {
  std::string name{};
  std::size_t offset = 0;  ///< of the keyword, in the code
  /// Public ones, without constructors, destructor, assignment and what is deleted.
  std::size_t methods = 0;
  std::size_t members = 0;  ///< data of each object: static ones do not count
};

/// Every `class`, and every `struct ...Impl`, which is the inside of one. Other structs are plain data.
std::vector<ClassSize> class_sizes(std::string_view code);

/// At most 15 public methods and 12 data members for a class of agent/. The other rooms have larger classes.
std::vector<std::string> check_class_sizes(const std::vector<Source>& project);

}  // namespace evenkeel::house

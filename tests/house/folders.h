// The rules about folders: allowed includes between folders, namespaces, and the number of files per folder.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/house/rules.h"

namespace evenkeel::house {

/// Folder -> the folders that its files may include, besides itself.
using Arrows = std::map<std::string, std::set<std::string>>;
const Arrows& arrows_between_folders();
/// One line for each circle: "a -> b -> a".
std::vector<std::string> circles(const Arrows& arrows);

/// Reports includes and folders missing from the table, and circles in it.
std::vector<std::string> check_folder_arrows(const std::vector<Source>& project);
/// Reports circles between single files.
std::vector<std::string> check_include_circles(const std::vector<Source>& project);
/// Every file opens the namespace of its folder and no other namespace of the project.
std::vector<std::string> check_namespaces(const std::vector<Source>& project);
/// At most 30 files in a folder of the program, 40 in one of the tests.
std::vector<std::string> check_folder_sizes(const std::vector<Source>& project);

}  // namespace evenkeel::house

// systemd/nodeslo.yaml is generated from the schema. After a change of the schema:
//   EVENKEEL_UPDATE_EXAMPLE=1 agent_tests --gtest_filter='NodeSloExample.*'
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "agent/config/node_pools.h"
#include "agent/config/nodeslo_config.h"
#include "agent/config/schema.h"
#include "agent/config/schema_read.h"

using namespace evenkeel;

namespace {

const char* const kPath = EVENKEEL_SOURCE_DIR "/systemd/nodeslo.yaml";

std::string example_file() {
  std::ostringstream text;
  text << std::ifstream(kPath).rdbuf();
  return text.str();
}
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(NodeSloExample, IsGeneratedFromTheSchema) {
  if (std::getenv("EVENKEEL_UPDATE_EXAMPLE") != nullptr) std::ofstream(kPath) << config::render_example();
  EXPECT_EQ(example_file(), config::render_example());
}

TEST(NodeSloExample, ParsesToExactlyTheDefaults) {
  const auto example = config::parse_nodeslo(example_file(), "nodeslo.yaml");
  const auto defaults = config::parse_nodeslo("", "nodeslo.yaml");
  ASSERT_TRUE(example.problems.empty()) << example.problems.front().text();
  EXPECT_TRUE(example.notices.empty());
  ASSERT_EQ(example.effective.size(), defaults.effective.size());
  for (std::size_t i = 0; i < example.effective.size(); ++i) {
    EXPECT_EQ(example.effective[i].key, defaults.effective[i].key);
    EXPECT_EQ(example.effective[i].value, defaults.effective[i].value) << example.effective[i].key;
  }
}

/// Each row has its own line, with a documentation line before it.
void expect_rows(std::span<const config::Row> rows, const std::vector<std::string>& lines) {
  for (const auto& row : rows) {
    const std::regex key("^#? *" + std::string(row.key) + ":.*");
    bool found = false;
    for (std::size_t i = 1; i < lines.size() && !found; ++i) {
      found = std::regex_match(lines[i], key) && std::regex_match(lines[i - 1], std::regex("^#? *# .*")) &&
              lines[i - 1].find(row.doc) != std::string::npos &&
              lines[i - 1].find(row.unit) != std::string::npos;
    }
    EXPECT_TRUE(found) << row.key;
    EXPECT_FALSE(row.doc.empty()) << row.key;
    if (row.rows != nullptr) expect_rows(row.rows(), lines);
  }
}

TEST(NodeSloExample, HasEveryKeyWithItsUnitAndALine) {
  expect_rows(config::node_slo_rows(), lines_of(example_file()));
  expect_rows(config::node_strategies_rows(), lines_of(example_file()));
}

TEST(NodeSloExample, ParsesWithEverythingUncommented) {
  std::string all;
  const std::regex commented("^# ( *#.*| *[A-Za-z]+:( .*)?| *\"[^\"]+\":| *-)$");
  bool head = true;
  for (const auto& line : lines_of(example_file())) {
    head = head && !line.empty();
    const bool take = !head && std::regex_match(line, commented);
    all += (take ? line.substr(2) : line) + '\n';
  }
  const auto config = config::parse_nodeslo(all, "all.yaml");
  for (const auto& problem : config.problems) ADD_FAILURE() << problem.text();
  EXPECT_EQ(config.slo.host_applications.size(), 1U);
  EXPECT_EQ(config.slo.host_applications.at(0).relative_dir, "system.slice/node-cache.service");
  EXPECT_TRUE(config.slo.qos.system.network);
  EXPECT_EQ(config.slo.qos.be.blkio->blocks.size(), 1U);
  EXPECT_EQ(config.slo.evenkeel.cpu_normalization_models.models.size(), 1U);
  EXPECT_TRUE(config.by_labels);
}

}  // namespace

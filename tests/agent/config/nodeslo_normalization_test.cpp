// Tests extensions.evenkeel.cpuNormalization and its table of CPU models.
#include <gtest/gtest.h>

#include <string>

#include "agent/config/nodeslo_config.h"

namespace evenkeel {
namespace {

std::string problems(const config::NodeSloConfig& config) {
  std::string out;
  for (const auto& problem : config.problems) out += problem.text() + '\n';
  return out;
}
config::NodeSloConfig with(const std::string& settings, const TextMap& labels = {}) {
  auto config = config::parse_nodeslo("extensions: {evenkeel: {" + settings + "}}\n", "f", &labels);
  EXPECT_EQ(problems(config), "") << settings;
  return config;
}
std::string refused(const std::string& settings) {
  const auto text = problems(config::parse_nodeslo("extensions: {evenkeel: {" + settings + "}}\n", "f"));
  return text.substr(0, text.find('\n'));
}
std::string setting(const config::NodeSloConfig& config, const std::string& key) {
  for (const auto& one : config.effective)
    if (one.key == "extensions.evenkeel." + key) return one.value + " from " + one.origin;
  return "no such key";
}

TEST(NodeSloNormalization, FollowsTheAnnotationUnlessToldOtherwise) {
  const auto is = [](const std::string& text, bool on, bool by_table) {
    const auto evenkeel = with(text).slo.evenkeel;
    EXPECT_EQ(evenkeel.cpu_normalization, on) << text;
    EXPECT_EQ(evenkeel.cpu_normalization_models.enable, by_table) << text;
  };
  is("", true, false);
  is("cpuNormalization: true", true, false);
  is("cpuNormalization: false", false, false);
  is("cpuNormalization: auto", true, true);
  EXPECT_EQ(setting(with(""), "cpuNormalization"), "true from default");
  EXPECT_EQ(setting(with("cpuNormalization: auto"), "cpuNormalization"), "auto from f:1:43");
  EXPECT_EQ(setting(with("cpuNormalization: false"), "cpuNormalization"), "false from f:1:43");
}

TEST(NodeSloNormalization, TakesTheManagersTableAsItIs) {
  const auto config = with(
      R"("cpuNormalization": "auto", "cpuNormalizationModels": {"defaultRatio": 1.1, "ratioModel": )"
      R"({"Some(R) CPU @ 2.1GHz": {"baseRatio": 1.3, "hyperThreadEnabledRatio": 1.0, )"
      R"("turboEnabledRatio": 1.5, "hyperThreadTurboEnabledRatio": 1.15}, "Other CPU": {"baseRatio": 5}}})");
  const auto& table = config.slo.evenkeel.cpu_normalization_models;
  EXPECT_EQ(table.default_ratio, 1.1);
  ASSERT_EQ(table.models.size(), 2U);
  EXPECT_EQ(table.models[0].model, "Some(R) CPU @ 2.1GHz");
  EXPECT_EQ(table.models[0].base, 1.3);
  EXPECT_EQ(table.models[0].hyper_thread, 1.0);
  EXPECT_EQ(table.models[0].turbo, 1.5);
  EXPECT_EQ(table.models[0].hyper_thread_turbo, 1.15);
  EXPECT_EQ(table.models[1].base, 5.0);
  EXPECT_EQ(table.models[1].turbo, std::nullopt);
  EXPECT_EQ(setting(config, R"(cpuNormalizationModels.ratioModel["Other CPU"].baseRatio)").substr(0, 11),
            "5 from f:1:");
  EXPECT_EQ(setting(with(""), "cpuNormalizationModels.ratioModel"), "{} from default");
  EXPECT_TRUE(config.notices.empty());
}

TEST(NodeSloNormalization, RefusesWhatTheManagerWouldRefuse) {
  EXPECT_EQ(refused("cpuNormalization: maybe"),
            "f:1:43: extensions.evenkeel.cpuNormalization: found 'maybe'; legal: false, true, auto");
  const std::string models = "cpuNormalizationModels: {";
  const std::string path = "extensions.evenkeel.cpuNormalizationModels.";
  EXPECT_EQ(refused(models + "defaultRatio: 0.99}"),
            "f:1:64: " + path + "defaultRatio: found '0.99'; legal: 1 to 5");
  EXPECT_EQ(refused(models + "ratioModel: {A CPU: {baseRatio: 5.01}}}"),
            "f:1:82: " + path + "ratioModel[\"A CPU\"].baseRatio: found '5.01'; legal: 1 to 5");
  EXPECT_EQ(refused(models + "ratioModel: {A CPU: 1.5}}"),
            "f:1:70: " + path + "ratioModel[\"A CPU\"]: found '1.5'; legal: a map");
  EXPECT_EQ(refused(models + "ratioModel: [A CPU]}"),
            "f:1:62: " + path + "ratioModel: found a list; legal: a map from names to maps");
  EXPECT_EQ(refused(models + "ratioModel: {A CPU: {turboRatio: 1.5}}}"),
            "f:1:71: " + path +
                "ratioModel[\"A CPU\"].turboRatio: found an unknown key; legal: baseRatio, "
                "hyperThreadEnabledRatio, turboEnabledRatio, hyperThreadTurboEnabledRatio");
}

TEST(NodeSloNormalization, HalfOfItIsANotice) {
  const auto notice = [](const std::string& text) {
    const auto notices = with(text).notices;
    return notices.size() == 1 ? notices[0] : std::to_string(notices.size()) + " notices";
  };
  EXPECT_NE(notice("cpuNormalization: auto").find("auto needs cpuNormalizationModels"), std::string::npos);
  EXPECT_NE(notice("cpuNormalizationModels: {defaultRatio: 1.2}").find("no effect without"),
            std::string::npos);
  EXPECT_NE(notice("cpuNormalization: false, cpuNormalizationModels: {ratioModel: {A: {}}}")
                .find("no effect without"),
            std::string::npos);
}

TEST(NodeSloNormalization, AmplifiesOnlyWhenAsked) {
  const auto amplifies = [](const std::string& text) {
    return with(text).slo.evenkeel.resource_amplification == ResourceAmplification::automatic;
  };
  const std::string table = "cpuNormalization: auto, cpuNormalizationModels: {defaultRatio: 1.2}, ";
  EXPECT_FALSE(amplifies(table));
  EXPECT_FALSE(amplifies(table + "resourceAmplification: false"));
  EXPECT_TRUE(amplifies(table + "resourceAmplification: auto"));
  EXPECT_TRUE(amplifies(table + "\"resourceAmplification\": \"auto\""));
  EXPECT_EQ(setting(with(""), "resourceAmplification"), "false from default");
  EXPECT_TRUE(with(table + "resourceAmplification: auto").notices.empty());
  EXPECT_EQ(with("resourceAmplification: auto").notices,
            std::vector<std::string>{"extensions.evenkeel.resourceAmplification: no effect without "
                                     "cpuNormalization: auto"});
  EXPECT_EQ(refused("resourceAmplification: true"),
            "f:1:48: extensions.evenkeel.resourceAmplification: found 'true'; legal: false, auto");
}

TEST(NodeSloNormalization, APoolAddsItsModels) {
  const TextMap labels = {{"pool", "new"}};
  const auto config = config::parse_nodeslo(
      "extensions: {evenkeel: {cpuNormalization: auto, cpuNormalizationModels: {ratioModel: {A: {baseRatio: "
      "1.2}}}}}\n"
      "nodeStrategies: [{nodeSelector: {matchLabels: {pool: new}}, extensions: {evenkeel: "
      "{cpuNormalizationModels: {ratioModel: {B: {baseRatio: 1.4}, A: {baseRatio: 1.3}}}}}}]\n",
      "f", &labels);
  EXPECT_EQ(problems(config), "");
  const auto& models = config.slo.evenkeel.cpu_normalization_models.models;
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0].base, 1.3);
  EXPECT_EQ(models[1].model, "B");
}

}  // namespace
}  // namespace evenkeel

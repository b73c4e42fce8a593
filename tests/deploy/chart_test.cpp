// deploy/helm and deploy/kustomize make the same objects, and what both configure is legal.
#include "tests/support/chart.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "agent/config/nodeslo_config.h"
#include "agent/demo/stage.h"

namespace evenkeel {
namespace {

using test::documents;
using test::flow_text;

std::string file(const std::string& name) {
  std::ifstream in(std::string(EVENKEEL_SOURCE_DIR) + "/deploy/" + name);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The value at the end of a path of names and list positions: {"spec", "containers", "0"}.
const document::Value* at(const document::Value& from, std::initializer_list<std::string> path) {
  const document::Value* value = &from;
  for (const auto& step : path) {
    if (!value) return nullptr;
    if (const auto* list = value->list())
      value = list->size() > std::stoul(step) ? &(*list)[std::stoul(step)] : nullptr;
    else
      value = value->find(step);
  }
  return value;
}
std::string shown_at(const document::Value& from, std::initializer_list<std::string> path) {
  const document::Value* value = at(from, path);
  return value ? flow_text(*value) : "(absent)";
}

/// Kind -> object.
std::map<std::string, document::Value> by_kind(const std::string& text) {
  std::map<std::string, document::Value> out;
  for (auto& object : documents(text)) {
    const auto kind = shown_at(object, {"kind"});
    out.emplace(kind, std::move(object));
  }
  return out;
}

/// With a line of values.yaml replaced.
std::map<std::string, document::Value> chart(const std::string& line = {}, const std::string& by = {}) {
  auto values_text = file("helm/values.yaml");
  if (!line.empty()) {
    const auto found = values_text.find('\n' + line + '\n');
    EXPECT_NE(found, std::string::npos) << line;
    values_text.replace(found + 1, line.size(), by);
  }
  const auto values = document::parse_yaml(values_text, "values.yaml");
  EXPECT_TRUE(values.problems.empty());
  std::string all;
  for (const char* name : {"rights", "configmap", "daemonset"}) {
    const auto rendered =
        test::render_template(file(std::string("helm/templates/") + name + ".yaml"), values.root, "evenkeel");
    EXPECT_EQ(rendered.error, "") << name;
    all += (all.empty() ? "" : "\n---\n") + rendered.text;
  }
  return by_kind(all);
}

std::map<std::string, document::Value> kustomize() {
  auto daemonset = file("kustomize/base/daemonset.yaml");
  const std::string untagged = "image: evenkeel\n";
  const auto found = daemonset.find(untagged);
  EXPECT_NE(found, std::string::npos);
  daemonset.replace(found, untagged.size(), "image: localhost/evenkeel:latest\n");
  return by_kind(file("kustomize/base/rights.yaml") + "\n---\n" + daemonset);
}

document::Value container(const std::map<std::string, document::Value>& objects) {
  const document::Value* found = at(objects.at("DaemonSet"), {"spec", "template", "spec", "containers", "0"});
  return found ? *found : document::Value{};
}

TEST(Chart, MakesTheObjectsOfTheKustomization) {
  const auto ours = chart();
  for (const auto& [kind, object] : kustomize()) {
    ASSERT_TRUE(ours.contains(kind)) << kind;
    EXPECT_EQ(flow_text(ours.at(kind)), flow_text(object)) << kind;
  }
  EXPECT_EQ(ours.size(), kustomize().size() + 1) << "the ConfigMap is made by a generator there";
}

TEST(Chart, BothConfigureTheSameAndItIsLegal) {
  const auto base = file("kustomize/base/nodeslo.yaml");
  const auto config_map = chart().at("ConfigMap");
  const auto in_chart = shown_at(config_map, {"data", "nodeslo.yaml"});
  EXPECT_EQ(flow_text(document::parse_yaml(in_chart, "chart").root),
            flow_text(document::parse_yaml(base, "base").root));
  EXPECT_TRUE(config::parse_nodeslo(base, "base").problems.empty());
}

/// What is installed is written once, besides the chart, which may not read files outside of it.
TEST(Installed, TheDemoAndTheScoreboardUseTheVeryFile) {
  EXPECT_EQ(demo::kInstalledNodeSlo, file("kustomize/base/nodeslo.yaml"));
  EXPECT_NE(file("../tests/scoreboard/contenders.py").find("\"../../deploy/kustomize/base/nodeslo.yaml\""),
            std::string::npos);
}

TEST(Chart, ListensOnTheNodeAsTheScrapedKustomizationDoes) {
  const auto patch = document::parse_yaml(file("kustomize/scraped/daemonset.yaml"), "patch").root;
  const auto patched = *at(patch, {"spec", "template", "spec", "containers", "0"});
  const auto ours = container(chart("listenOnNode: false", "listenOnNode: true"));
  EXPECT_EQ(shown_at(ours, {"args"}), shown_at(patched, {"args"}));
  EXPECT_EQ(shown_at(ours, {"env", "0"}), shown_at(patched, {"env", "0"}));
  for (const char* probe : {"livenessProbe", "readinessProbe"})
    EXPECT_EQ(shown_at(ours, {probe, "httpGet", "host"}), "(absent)");
  const auto monitor = document::parse_yaml(file("prometheus/podmonitor.yaml"), "monitor").root;
  for (const auto& by : {ours, patched})
    EXPECT_EQ(shown_at(by, {"ports", "0", "name"}),
              shown_at(monitor, {"spec", "podMetricsEndpoints", "0", "port"}));
  EXPECT_EQ(shown_at(monitor, {"spec", "selector"}), shown_at(chart().at("DaemonSet"), {"spec", "selector"}));
}

/// In the container's cgroup namespace the kernel refuses to write its root, where nsdelegate is set.
TEST(Chart, TheAgentLeavesItsOwnPodAlone) {
  for (const auto& objects : {chart(), kustomize(), chart("listenOnNode: false", "listenOnNode: true")})
    EXPECT_EQ(shown_at(objects.at("DaemonSet"),
                       {"spec", "template", "metadata", "annotations", "evenkeel.io/hands-off"}),
              "true");
}

/// An overlay and the chart's value that does the same.
struct Overlay {
  const char* name;
  const char* off;
  const char* on;
};
class Overlays : public testing::TestWithParam<Overlay> {};

/// The objects of the base, patched as the overlay's kustomization says.
std::map<std::string, document::Value> patched(const std::string& overlay) {
  auto objects = kustomize();
  const auto directory = "kustomize/" + overlay + '/';
  const auto kustomization = document::parse_yaml(file(directory + "kustomization.yaml"), overlay).root;
  const auto* patches = at(kustomization, {"patchesJson6902"});
  EXPECT_TRUE(patches && patches->list()) << overlay;
  for (const auto& patch : *patches->list()) {
    const auto text = document::parse_yaml(file(directory + patch.text("path")), patch.text("path"));
    EXPECT_EQ(test::apply_patch(text.root, objects.at(shown_at(patch, {"target", "kind"}))), "");
  }
  return objects;
}

TEST_P(Overlays, MakesTheObjectsOfTheChartWithThatValue) {
  const auto ours = chart(GetParam().off, GetParam().on), plain = chart();
  bool same = true;
  for (const auto& [kind, object] : patched(GetParam().name)) {
    EXPECT_EQ(flow_text(ours.at(kind)), flow_text(object)) << kind;
    same = same && flow_text(plain.at(kind)) == flow_text(object);
  }
  EXPECT_FALSE(same) << "it changes nothing";
}

INSTANTIATE_TEST_SUITE_P(
    Deploy, Overlays,
    testing::Values(Overlay{"kubelet-before-1.33", "  before133: false", "  before133: true"},
                    Overlay{"pods-from-api", "podsFromApi: false", "podsFromApi: true"},
                    Overlay{"nodeslo-api", "nodesloFromApi: false", "nodesloFromApi: true"},
                    Overlay{"node-metric", "nodeMetric: false", "nodeMetric: true"},
                    Overlay{"node-topology", "nodeTopology: false", "nodeTopology: true"},
                    Overlay{"node-taint", "nodeTaint: false", "nodeTaint: true"},
                    Overlay{"network", "network: false", "network: true"},
                    Overlay{"resctrl", "resctrl: false", "resctrl: true"},
                    Overlay{"request-size", "requestSize: false", "requestSize: true"},
                    Overlay{"run-queue", "runQueue: false", "runQueue: true"},
                    Overlay{"name-writers", "nameWriters: false", "nameWriters: true"},
                    Overlay{"core-sched", "coreSched: false", "coreSched: true"},
                    Overlay{"oom-score-adj", "oomScoreAdj: false", "oomScoreAdj: true"},
                    Overlay{"disk-names", "diskNames: false", "diskNames: true"},
                    Overlay{"pod-volumes", "podVolumes: false", "podVolumes: true"},
                    Overlay{"system-settings", "systemSettings: false", "systemSettings: true"},
                    Overlay{"seccomp", "seccompProfile: \"\"", "seccompProfile: evenkeel.json"},
                    Overlay{"without-sys-resource", "sysResource: true", "sysResource: false"}),
    [](const auto& each) {
      std::string name = each.param.name;
      std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
      return name;
    });

TEST(OverlayList, AllAreComparedWithTheChart) {
  std::set<std::string> names;
  for (const auto& each :
       std::filesystem::directory_iterator(std::string(EVENKEEL_SOURCE_DIR) + "/deploy/kustomize"))
    names.insert(each.path().filename());
  // ListensOnTheNodeAsTheScrapedKustomizationDoes compares the one that is no JSON patch.
  EXPECT_EQ(names.size(), 20U) << "18 of the table, the base, and scraped";
}

/// Who may get nodes/proxy may run commands in every container, who may list pods reads those of every node.
TEST(Chart, GrantsNoWideRightUnlessAsked) {
  for (const auto& objects : {chart(), kustomize()}) {
    const auto rules = shown_at(objects.at("ClusterRole"), {"rules"});
    for (const char* wide : {"nodes/proxy", "[pods]", "nodeslos", "nodemetrics", "noderesourcetopologies"})
      EXPECT_EQ(rules.find(wide), std::string::npos) << rules;
    EXPECT_NE(rules.find("resources: [nodes], verbs: [get]"), std::string::npos) << "no patch: " << rules;
    EXPECT_EQ(shown_at(objects.at("ClusterRole"), {"rules", "0", "resources"}), "[nodes/pods]");
    EXPECT_EQ(shown_at(container(objects), {"securityContext", "capabilities", "add"}),
              "[DAC_OVERRIDE, SYS_RESOURCE]");
    EXPECT_EQ(shown_at(objects.at("DaemonSet"), {"spec", "template", "spec", "hostPID"}), "(absent)");
  }
}

TEST(Chart, PassesExtraFlagsOn) {
  const auto ours = container(chart("extraArgs: []", "extraArgs: [--log-format=json, --interval=2s]"));
  EXPECT_EQ(shown_at(ours, {"args"}),
            "[run, --report=node-status, --events, --listen=127.0.0.1:9319,unix:/run/evenkeel/evenkeel.sock, "
            "--log-format=json, --interval=2s]");
}

TEST(Chart, SaysWhoVouchesForTheKubelet) {
  const std::string plain =
      "[run, --report=node-status, --events, --listen=127.0.0.1:9319,unix:/run/evenkeel/evenkeel.sock";
  EXPECT_EQ(shown_at(container(chart("  insecureTls: false", "  insecureTls: true")), {"args"}),
            plain + ", --kubelet-insecure-tls]");
  const auto by_address = container(chart("  byAddress: false", "  byAddress: true"));
  EXPECT_EQ(shown_at(by_address, {"args"}), plain + ", --kubelet-url=https://$(HOST_IP):10250]");
  EXPECT_EQ(shown_at(by_address, {"env", "1"}),
            "{name: HOST_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}");
  const auto vouched = chart("  caConfigMap: \"\"", "  caConfigMap: kubelets");
  EXPECT_EQ(shown_at(container(vouched), {"args"}), plain + ", --kubelet-ca=/etc/evenkeel-kubelet/ca.crt]");
  EXPECT_EQ(shown_at(container(vouched), {"volumeMounts", "4"}),
            "{mountPath: /etc/evenkeel-kubelet, name: kubelet-ca, readOnly: true}");
  EXPECT_EQ(shown_at(vouched.at("DaemonSet"), {"spec", "template", "spec", "volumes", "4"}),
            "{configMap: {name: kubelets}, name: kubelet-ca}");
}

TEST(Chart, TheAgentIsNeitherPrivilegedNorMayItBecomeSo) {
  const auto security = *at(container(kustomize()), {"securityContext"});
  EXPECT_EQ(shown_at(security, {"privileged"}), "false");
  EXPECT_EQ(shown_at(security, {"allowPrivilegeEscalation"}), "false");
  EXPECT_EQ(shown_at(security, {"readOnlyRootFilesystem"}), "true");
  EXPECT_EQ(shown_at(security, {"capabilities", "drop"}), "[ALL]");
}

TEST(Kustomize, EachCapabilityAndEachRightSaysWhy) {
  for (const char* name : {"kustomize/base/daemonset.yaml", "kustomize/base/rights.yaml"}) {
    std::ifstream in(std::string(EVENKEEL_SOURCE_DIR) + "/deploy/" + name);
    std::string above, line;
    int seen = 0;
    for (; std::getline(in, line); above = line) {
      const bool capability = line.starts_with("            - ") &&
                              line.find_first_not_of("_ -ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
      if (!capability && !line.starts_with("- {apiGroups:")) continue;
      ++seen;
      EXPECT_NE(above.find('#'), std::string::npos) << name << ": " << line;
    }
    EXPECT_GE(seen, 2) << name;
  }
}

TEST(RenderTemplate, RefusesWhatItDoesNotKnow) {
  const auto values = document::parse_yaml("a: {b: 1}", "values").root;
  EXPECT_EQ(test::render_template("x: {{ .Values.a.b }}", values, "n").text, "x: 1");
  for (const char* text : {"{{ .Values.c }}", "{{ include \"x\" . }}", "{{ toYaml .Values.a }}", "{{ end }}"})
    EXPECT_NE(test::render_template(text, values, "n").error, "") << text;
}

}  // namespace
}  // namespace evenkeel

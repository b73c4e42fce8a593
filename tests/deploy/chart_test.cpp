// deploy/helm and deploy/kustomize make the same objects, and what both configure is legal.
#include "tests/support/chart.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
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
std::string text_at(const document::Value& from, std::initializer_list<std::string> path) {
  const document::Value* value = at(from, path);
  return value ? flow_text(*value) : "(absent)";
}

/// Kind -> object.
std::map<std::string, document::Value> by_kind(const std::string& text) {
  std::map<std::string, document::Value> out;
  for (auto& object : documents(text)) {
    const auto kind = text_at(object, {"kind"});
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
  const auto in_chart = text_at(config_map, {"data", "nodeslo.yaml"});
  EXPECT_EQ(flow_text(document::parse_yaml(in_chart, "chart").root),
            flow_text(document::parse_yaml(base, "base").root));
  EXPECT_TRUE(config::parse_nodeslo(base, "base").problems.empty());
}

TEST(Chart, TheDemoUsesTheInstalledConfiguration) {
  EXPECT_EQ(flow_text(document::parse_yaml(demo::kInstalledNodeSlo, "demo").root),
            flow_text(document::parse_yaml(file("kustomize/base/nodeslo.yaml"), "base").root));
}

TEST(Chart, ListensOnTheNodeAsTheScrapedKustomizationDoes) {
  const auto patch = document::parse_yaml(file("kustomize/scraped/daemonset.yaml"), "patch").root;
  const auto patched = *at(patch, {"spec", "template", "spec", "containers", "0"});
  const auto ours = container(chart("listenOnNode: false", "listenOnNode: true"));
  EXPECT_EQ(text_at(ours, {"args"}), text_at(patched, {"args"}));
  EXPECT_EQ(text_at(ours, {"env", "0"}), text_at(patched, {"env", "0"}));
  for (const char* probe : {"livenessProbe", "readinessProbe"})
    EXPECT_EQ(text_at(ours, {probe, "httpGet", "host"}), "(absent)");
}

/// Who may get nodes/proxy may run commands in every container: only kubelets before 1.33 ask for that.
TEST(Chart, OnlyTheOverlayForOldKubeletsGrantsTheirProxy) {
  const auto patch = document::parse_yaml(file("kustomize/kubelet-before-1.33/rights.yaml"), "rights").root;
  EXPECT_EQ(text_at(patch, {"0", "path"}), "/rules/-");
  const auto ours = chart("  before133: false", "  before133: true");
  EXPECT_EQ(text_at(ours.at("ClusterRole"), {"rules", "5"}), text_at(patch, {"0", "value"}));
  EXPECT_EQ(text_at(patch, {"0", "value", "resources"}), "[nodes/proxy]");
  for (const auto& objects : {chart(), kustomize()}) {
    EXPECT_EQ(text_at(objects.at("ClusterRole"), {"rules"}).find("nodes/proxy"), std::string::npos);
    EXPECT_EQ(text_at(objects.at("ClusterRole"), {"rules", "0", "resources"}), "[nodes/pods]");
  }
}

TEST(Chart, GrantsPodsFromTheApiServerOnlyWhenAskedAndThenAsTheKustomizationDoes) {
  const auto patch = document::parse_yaml(file("kustomize/pods-from-api/rights.yaml"), "rights").root;
  EXPECT_EQ(text_at(patch, {"0", "path"}), "/rules/-");
  EXPECT_EQ(text_at(patch, {"0", "value"}), "{apiGroups: [\"\"], resources: [pods], verbs: [list, watch]}");
  const auto ours = chart("podsFromApi: false", "podsFromApi: true");
  EXPECT_EQ(text_at(ours.at("ClusterRole"), {"rules", "5"}), text_at(patch, {"0", "value"}));
  EXPECT_EQ(text_at(container(ours), {"args"}), text_at(container(chart()), {"args"})) << "auto finds it";
  for (const auto& objects : {chart(), kustomize()})
    EXPECT_EQ(text_at(objects.at("ClusterRole"), {"rules"}).find("[pods]"), std::string::npos);
}

TEST(Chart, WatchesNodeSlosAsThatKustomizationDoes) {
  const auto patch = [](const std::string& name) {
    const auto parsed = document::parse_yaml(file("kustomize/nodeslo-api/" + name), name);
    EXPECT_EQ(text_at(parsed.root, {"0", "op"}), "add");
    return parsed.root;
  };
  const auto ours = chart("nodesloFromApi: false", "nodesloFromApi: true");
  const auto flag = patch("daemonset.yaml"), right = patch("rights.yaml");
  EXPECT_EQ(text_at(container(ours), {"args", "4"}), text_at(flag, {"0", "value"}));
  EXPECT_EQ(text_at(flag, {"0", "path"}), "/spec/template/spec/containers/0/args/-");
  EXPECT_EQ(text_at(ours.at("ClusterRole"), {"rules", "5"}), text_at(right, {"0", "value"}));
  EXPECT_EQ(text_at(right, {"0", "value", "verbs"}), "[list, watch]");
  const auto rules = text_at(chart().at("ClusterRole"), {"rules"});
  EXPECT_EQ(rules.find("nodeslos"), std::string::npos) << "only when it is asked for: " << rules;
}

TEST(Chart, GivesTheRightsOfOptionsOnlyWhenAsked) {
  const auto plain = chart();
  EXPECT_EQ(text_at(container(plain), {"securityContext", "capabilities", "add"}),
            "[DAC_OVERRIDE, SYS_RESOURCE]");
  const auto naming = chart("nameWriters: false", "nameWriters: true");
  EXPECT_EQ(text_at(container(naming), {"securityContext", "capabilities", "add"}),
            "[DAC_OVERRIDE, SYS_RESOURCE, SYS_ADMIN]");
  EXPECT_EQ(text_at(container(chart("network: false", "network: true")),
                    {"securityContext", "capabilities", "add"}),
            "[DAC_OVERRIDE, SYS_RESOURCE, NET_ADMIN]");
  EXPECT_EQ(text_at(container(chart("runQueue: false", "runQueue: true")),
                    {"securityContext", "capabilities", "add"}),
            "[DAC_OVERRIDE, SYS_RESOURCE, BPF, PERFMON]");
  const auto patch = document::parse_yaml(file("kustomize/network/daemonset.yaml"), "network").root;
  EXPECT_EQ(text_at(patch, {"0", "path"}),
            "/spec/template/spec/containers/0/securityContext/capabilities/add/-");
  EXPECT_EQ(text_at(patch, {"0", "value"}), "NET_ADMIN") << "the kustomization does as the chart";
  EXPECT_EQ(text_at(naming.at("DaemonSet"), {"spec", "template", "spec", "hostPID"}), "true");
  EXPECT_EQ(text_at(plain.at("DaemonSet"), {"spec", "template", "spec", "hostPID"}), "(absent)");
}

TEST(Chart, ReportsUsageOnlyWhenAskedAndThenAsTheKustomizationDoes) {
  const auto plain = chart();
  EXPECT_EQ(text_at(container(plain), {"args"}).find("node-metric"), std::string::npos);
  EXPECT_EQ(text_at(plain.at("ClusterRole"), {"rules"}).find("nodemetrics"), std::string::npos);
  const auto reporting = chart("nodeMetric: false", "nodeMetric: true");
  // Each patch adds one item at the end of a list.
  const auto added = [](const std::string& name) {
    return text_at(document::parse_yaml(file("kustomize/node-metric/" + name + ".yaml"), name).root,
                   {"0", "value"});
  };
  const auto grown = [](const std::string& list, const std::string& item) {
    return list.substr(0, list.size() - 1) + ", " + item + "]";
  };
  EXPECT_EQ(text_at(container(reporting), {"args"}),
            grown(text_at(container(plain), {"args"}), added("daemonset")));
  EXPECT_EQ(text_at(reporting.at("ClusterRole"), {"rules"}),
            grown(text_at(plain.at("ClusterRole"), {"rules"}), added("rights")));
}

TEST(Chart, ReachesResctrlOnlyWhenAskedAndThenAsTheKustomizationDoes) {
  const auto patch = document::parse_yaml(file("kustomize/resctrl/daemonset.yaml"), "resctrl").root;
  const auto spec = [](const std::map<std::string, document::Value>& objects, const char* member) {
    return text_at(objects.at("DaemonSet"), {"spec", "template", "spec", member});
  };
  const auto plain = chart(), with = chart("resctrl: false", "resctrl: true");
  EXPECT_EQ(spec(plain, "hostPID"), "(absent)");
  EXPECT_EQ(spec(with, "hostPID"), text_at(patch, {"0", "value"}));
  EXPECT_EQ(text_at(container(with), {"volumeMounts", "3"}), text_at(patch, {"1", "value"}));
  EXPECT_EQ(text_at(with.at("DaemonSet"), {"spec", "template", "spec", "volumes", "3"}),
            text_at(patch, {"2", "value"}));
  EXPECT_EQ(text_at(container(plain), {"volumeMounts", "3"}), "(absent)");
}

TEST(Chart, SetsRequestSizesOnlyWhenAskedAndThenAsTheKustomizationDoes) {
  const auto patch = document::parse_yaml(file("kustomize/request-size/daemonset.yaml"), "request-size").root;
  const auto plain = chart(), with = chart("requestSize: false", "requestSize: true");
  const auto capabilities = [](const auto& objects) {
    return text_at(container(objects), {"securityContext", "capabilities", "add"});
  };
  const auto pid = [](const auto& objects) {
    return text_at(objects.at("DaemonSet"), {"spec", "template", "spec", "hostPID"});
  };
  EXPECT_EQ(pid(plain), "(absent)");
  EXPECT_EQ(pid(with), text_at(patch, {"0", "value"}));
  EXPECT_EQ(capabilities(plain), "[DAC_OVERRIDE, SYS_RESOURCE]");
  EXPECT_EQ(capabilities(with), "[DAC_OVERRIDE, SYS_RESOURCE, " + text_at(patch, {"1", "value"}) + "]");
}

TEST(Chart, LeavesSysResourceOutAsThatKustomizationDoes) {
  const auto patch =
      document::parse_yaml(file("kustomize/without-sys-resource/daemonset.yaml"), "patch").root;
  const auto capability = text_at(patch, {"0", "path"});
  EXPECT_EQ(capability, text_at(patch, {"1", "path"})) << "what is removed is what was tested";
  EXPECT_EQ(capability.back(), '1');
  EXPECT_EQ(text_at(container(kustomize()), {"securityContext", "capabilities", "add", "1"}),
            text_at(patch, {"0", "value"}));
  const auto without = container(chart("sysResource: true", "sysResource: false"));
  EXPECT_EQ(text_at(without, {"securityContext", "capabilities", "add"}), "[DAC_OVERRIDE]");
}

TEST(Chart, PassesExtraFlagsOn) {
  const auto ours = container(chart("extraArgs: []", "extraArgs: [--log-format=json, --interval=2s]"));
  EXPECT_EQ(
      text_at(ours, {"args"}),
      "[run, --report=node-status, --events, --listen=127.0.0.1:9319, --log-format=json, --interval=2s]");
}

TEST(Chart, SaysWhoVouchesForTheKubelet) {
  const std::string plain = "[run, --report=node-status, --events, --listen=127.0.0.1:9319";
  EXPECT_EQ(text_at(container(chart("  insecureTls: false", "  insecureTls: true")), {"args"}),
            plain + ", --kubelet-insecure-tls]");
  const auto by_address = container(chart("  byAddress: false", "  byAddress: true"));
  EXPECT_EQ(text_at(by_address, {"args"}), plain + ", --kubelet-url=https://$(HOST_IP):10250]");
  EXPECT_EQ(text_at(by_address, {"env", "1"}),
            "{name: HOST_IP, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}");
  const auto vouched = chart("  caConfigMap: \"\"", "  caConfigMap: kubelets");
  EXPECT_EQ(text_at(container(vouched), {"args"}), plain + ", --kubelet-ca=/etc/evenkeel-kubelet/ca.crt]");
  EXPECT_EQ(text_at(container(vouched), {"volumeMounts", "3"}),
            "{mountPath: /etc/evenkeel-kubelet, name: kubelet-ca, readOnly: true}");
  EXPECT_EQ(text_at(vouched.at("DaemonSet"), {"spec", "template", "spec", "volumes", "3"}),
            "{configMap: {name: kubelets}, name: kubelet-ca}");
}

TEST(Chart, TheAgentIsNeitherPrivilegedNorMayItBecomeSo) {
  const auto security = *at(container(kustomize()), {"securityContext"});
  EXPECT_EQ(text_at(security, {"privileged"}), "false");
  EXPECT_EQ(text_at(security, {"allowPrivilegeEscalation"}), "false");
  EXPECT_EQ(text_at(security, {"readOnlyRootFilesystem"}), "true");
  EXPECT_EQ(text_at(security, {"capabilities", "drop"}), "[ALL]");
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

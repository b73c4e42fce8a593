// Tests every known kind of mistake in a NodeSLO, and its message.
#include <gtest/gtest.h>

#include <string>

#include "agent/config/nodeslo_config.h"
#include "agent/config/schema_read.h"

using namespace evenkeel;

namespace {

struct Wrong {
  const char* text;
  const char* problem;  ///< the beginning of the first problem
};

std::string first_problem(const char* text) {
  const auto config = config::parse_nodeslo(text, "f");
  return config.problems.empty() ? "(none)" : config.problems.front().text();
}
void expect_problems(const std::vector<Wrong>& cases) {
  for (const auto& wrong : cases) {
    const auto found = first_problem(wrong.text);
    EXPECT_EQ(found.substr(0, std::string_view(wrong.problem).size()), wrong.problem) << wrong.text;
  }
}

TEST(NodeSloErrors, WrongTypesSayWhatWasFoundAndWhatIsLegal) {
  expect_problems({
      {"resourceUsedThresholdWithBE: {enable: \"true\"}",
       "f:1:39: resourceUsedThresholdWithBE.enable: found the text \"true\"; legal: true or false"},
      {"resourceUsedThresholdWithBE: {enable: yes}",
       "f:1:39: resourceUsedThresholdWithBE.enable: found 'yes'; legal: true or false"},
      {"resourceUsedThresholdWithBE: {enable: True}",
       "f:1:39: resourceUsedThresholdWithBE.enable: found 'True'"},
      {"resourceUsedThresholdWithBE: {enable: 1}", "f:1:39: resourceUsedThresholdWithBE.enable: found '1'"},
      {"cpuBurstStrategy:\n  cpuBurstPercent: 65.5\n",
       "f:2:20: cpuBurstStrategy.cpuBurstPercent: found '65.5'; legal: 0 to 10000"},
      {"cpuBurstStrategy: {cpuBurstPercent: \"65\"}",
       "f:1:37: cpuBurstStrategy.cpuBurstPercent: found the text \"65\""},
      {"cpuBurstStrategy: {cpuBurstPercent: 010}", "f:1:37: cpuBurstStrategy.cpuBurstPercent: found '010'"},
      {"cpuBurstStrategy: {cpuBurstPercent: 1_000}",
       "f:1:37: cpuBurstStrategy.cpuBurstPercent: found '1_000'"},
      {"cpuBurstStrategy: {cpuBurstPercent: 0x10}", "f:1:37: cpuBurstStrategy.cpuBurstPercent: found '0x10'"},
      {"cpuBurstStrategy: {cpuBurstPercent: 1e3}", "f:1:37: cpuBurstStrategy.cpuBurstPercent: found '1e3'"},
      {"cpuBurstStrategy: {cpuBurstPercent: +5}", "f:1:37: cpuBurstStrategy.cpuBurstPercent: found '+5'"},
      {"cpuBurstStrategy: {cpuBurstPercent: [5]}", "f:1:37: cpuBurstStrategy.cpuBurstPercent: found a list"},
      {"cpuBurstStrategy: {cpuBurstPercent: {}}", "f:1:37: cpuBurstStrategy.cpuBurstPercent: found a map"},
      {"cpuBurstStrategy: [policy]", "f:1:19: cpuBurstStrategy: found a list; legal: a map"},
      {"hostApplications: {}", "f:1:19: hostApplications: found a map; legal: a list of maps"},
      {"hostApplications: [x]", "f:1:20: hostApplications[0]: found 'x'; legal: a map"},
      {"systemStrategy: {schedFeatures: {A: on}}",
       "f:1:33: systemStrategy.schedFeatures: found a map; legal: a map from"},
      {"systemStrategy: {totalNetworkBandwidth: 010}",
       "f:1:41: systemStrategy.totalNetworkBandwidth: found '010'"},
      {"systemStrategy: {totalNetworkBandwidth: -1G}",
       "f:1:41: systemStrategy.totalNetworkBandwidth: found '-1G'"},
      {"extensions: {evenkeel: {suppressDwell: 10}}",
       "f:1:40: extensions.evenkeel.suppressDwell: found '10'; legal: 0s to 1h"},
      {"extensions: {colocation: {resourceDiffThreshold: nan}}",
       "f:1:50: extensions.colocation.resourceDiffThreshold"},
      {"extensions: {colocation: {metricAggregatePolicy: {durations: [0s]}}}",
       "f:1:62: extensions.colocation.metricAggregatePolicy.durations: found a list"},
      {"resourceQOSStrategy: {lsClass: {networkQOS: {ingressRequest: 40.5}}}",
       "f:1:62: resourceQOSStrategy.lsClass.networkQOS.ingressRequest: found '40.5'"},
      {"just a text", "f:1:1: found 'just a text'; legal: a NodeSLO or its spec"},
      {"[1, 2]", "f:1:1: found a list; legal: a NodeSLO or its spec"},
      {"spec: 5", "f:1:7: spec: found '5'; legal: a map"},
  });
}

TEST(NodeSloErrors, ValuesOutOfRange) {
  expect_problems({
      {"resourceUsedThresholdWithBE: {cpuSuppressThresholdPercent: 101}",
       "f:1:60: resourceUsedThresholdWithBE.cpuSuppressThresholdPercent: found '101'; legal: 0 to 100"},
      {"resourceUsedThresholdWithBE: {cpuSuppressThresholdPercent: -1}", "f:1:60:"},
      {"resourceUsedThresholdWithBE: {cpuEvictTimeWindowSeconds: 0}", "f:1:58:"},
      {"resourceUsedThresholdWithBE: {allocatableEvictPriorityThreshold: 8000}", "f:1:66:"},
      {"resourceUsedThresholdWithBE: {evictEnabledPriorityThreshold: 2147483648}", "f:1:62:"},
      {"cpuBurstStrategy: {cfsQuotaBurstPercent: 99}", "f:1:42:"},
      {"cpuBurstStrategy: {cfsQuotaBurstPeriodSeconds: -2}", "f:1:48:"},
      {"cpuBurstStrategy: {cpuBurstPercent: 10001}", "f:1:37:"},
      {"cpuBurstStrategy: {cpuBurstPercent: 99999999999999999999999}", "f:1:37:"},
      {"resourceQOSStrategy: {beClass: {cpuQOS: {groupIdentity: 3}}}", "f:1:57:"},
      {"resourceQOSStrategy: {beClass: {cpuQOS: {groupIdentity: -2}}}", "f:1:57:"},
      {"resourceQOSStrategy: {beClass: {memoryQOS: {wmarkMinAdj: 51}}}", "f:1:58:"},
      {"resourceQOSStrategy: {beClass: {memoryQOS: {wmarkScalePermill: 0}}}", "f:1:64:"},
      {"resourceQOSStrategy: {beClass: {memoryQOS: {oomKillGroup: 2}}}",
       "f:1:59: resourceQOSStrategy.beClass.memoryQOS.oomKillGroup: found '2'; legal: 0 or 1"},
      {"systemStrategy: {watermarkScaleFactor: 401}", "f:1:40:"},
      {"systemStrategy: {watermarkScaleFactor: 500}", "f:1:40:"},
      {"systemStrategy: {minFreeKbytesFactor: 0}", "f:1:39:"},
      {"systemStrategy: {minFreeKbytesFactor: -1}", "f:1:39:"},
      {"systemStrategy: {memcgReapBackGround: 2}", "f:1:39:"},
      {"extensions: {evenkeel: {suppressDwell: 2h}}", "f:1:40:"},
      {"extensions: {colocation: {resourceDiffThreshold: 1.5}}", "f:1:50:"},
      {"extensions: {evenkeel: {requestSize: {services: 99us}}}",
       "f:1:49: extensions.evenkeel.requestSize.services: found 99us; legal: 0s, or 100us to 100ms"},
      {"extensions: {evenkeel: {requestSize: {bestEffort: 1us}}}",
       "f:1:51: extensions.evenkeel.requestSize.bestEffort: found 1us; legal: 0s, or 100us to 100ms"},
      {"extensions: {evenkeel: {prediction: {trainingInterval: 9s}}}",
       "f:1:56: extensions.evenkeel.prediction.trainingInterval: found '9s'; legal: 10s to 1h"},
      {"extensions: {evenkeel: {prediction: {cpuHistogramDecayHalflife: 0s}}}", "f:1:65:"},
      {"extensions: {evenkeel: {prediction: {safetyMarginPercent: -1}}}", "f:1:59:"},
      {"extensions: {evenkeel: {prediction: {coldStartDuration: 721h}}}", "f:1:57:"},
  });
}

TEST(NodeSloErrors, UnknownKeysAndWordsAreCorrected) {
  expect_problems({
      {"cpuBurstStrateg: {}",
       "f:1:1: cpuBurstStrateg: found an unknown key; did you mean 'cpuBurstStrategy'?"},
      {"resourceUsedThresholdWithBE:\n  cpuSupressPolicy:\n    cfsQuota\n",
       "f:2:3: resourceUsedThresholdWithBE.cpuSupressPolicy: found an unknown key; did you mean "
       "'cpuSuppressPolicy'?"},
      {"resourceUsedThresholdWithBE: {Enable: true}",
       "f:1:31: resourceUsedThresholdWithBE.Enable: found an unknown key; did you mean 'enable'?"},
      {"nonsense: 1", "f:1:1: nonsense: found an unknown key; legal: resourceUsedThresholdWithBE"},
      {"kind: NodeSLO\nspec: {xyzzy: 1}\n", "f:2:8: spec.xyzzy: found an unknown key"},
      {"kind: NodeSLO\nspecs: {}\n", "f:2:1: specs: found an unknown key; did you mean 'spec'?"},
      {"kind: Pod\nspec: {}\n", "f:1:7: kind: found 'Pod'; legal: NodeSLO"},
      {"apiVersion: v1\nspec: {}\n", "f:1:13: apiVersion: found 'v1'; legal: slo.koordinator.sh/v1alpha1"},
      {"cpuBurstStrategy: {policy: sometimes}",
       "f:1:28: cpuBurstStrategy.policy: found 'sometimes'; legal: none, cpuBurstOnly, cfsQuotaBurstOnly, "
       "auto"},
      {"resourceUsedThresholdWithBE: {cpuSuppressPolicy: CfsQuota}",
       "f:1:50: resourceUsedThresholdWithBE.cpuSuppressPolicy: found 'CfsQuota'; legal: cpuset, cfsQuota, "
       "auto"},
      {"hostApplications: [{name: a, qos: best}]",
       "f:1:35: hostApplications[0].qos: found 'best'; legal: LSE, LSR,"},
      {"hostApplications: [{name: a, strategy: {x: 1}}]",
       "f:1:41: hostApplications[0].strategy.x: found an unknown key; legal: none"},
      {"extensions: {evenkeel: {handOff: true}}",
       "f:1:25: extensions.evenkeel.handOff: found an unknown key; did you"},
      {"extensions: {evenkeel: {featureGates: {BECPUEvit: true}}}",
       "f:1:40: extensions.evenkeel.featureGates.BECPUEvit: found an unknown key; did you mean "
       "'BECPUEvict'?"},
      {"cpuBurstStrategy: {policy: auto, policy: none}", "f:1:34: the key 'policy' occurs twice"},
  });
}

TEST(NodeSloErrors, SettingsThatContradictEachOther) {
  expect_problems({
      {"resourceUsedThresholdWithBE: {memoryEvictThresholdPercent: 70, memoryEvictLowerPercent: 70}",
       "f:1:89: resourceUsedThresholdWithBE.memoryEvictLowerPercent: found 70; legal: below "
       "memoryEvictThresholdPercent (70)"},
      {"resourceUsedThresholdWithBE: {memoryEvictLowerPercent: 80}",
       "f:1:56: resourceUsedThresholdWithBE.memoryEvictLowerPercent: found 80; legal: below "
       "memoryEvictThresholdPercent (70)"},
      {"resourceUsedThresholdWithBE: {cpuEvictBESatisfactionLowerPercent: 60, "
       "cpuEvictBESatisfactionUpperPercent: 60}",
       "f:1:67: resourceUsedThresholdWithBE.cpuEvictBESatisfactionLowerPercent: found 60"},
      {"resourceUsedThresholdWithBE: {cpuAllocatableEvictLowerPercent: 9, "
       "cpuAllocatableEvictThresholdPercent: 8}",
       "f:1:64: resourceUsedThresholdWithBE.cpuAllocatableEvictLowerPercent: found 9"},
      {"resourceUsedThresholdWithBE: {cpuEvictLowerPercent: 9, cpuEvictThresholdPercent: 8}", "f:1:53:"},
      {"resourceUsedThresholdWithBE: {memoryAllocatableEvictLowerPercent: 9, "
       "memoryAllocatableEvictThresholdPercent: 9}",
       "f:1:67:"},
      {"resourceQOSStrategy: {beClass: {resctrlQOS: {catRangeStartPercent: 30}}}",
       "f:1:68: resourceQOSStrategy.beClass.resctrlQOS.catRangeStartPercent: found 30; legal: below "
       "catRangeEndPercent (30)"},
      {"resourceQOSStrategy: {lsClass: {networkQOS: {ingressRequest: 60}}, beClass: {networkQOS: "
       "{ingressRequest: 41}}}",
       "f:1:107: resourceQOSStrategy.beClass.networkQOS.ingressRequest: found requests of 101 in all "
       "classes; legal: at "
       "most 100 percent"},
      {"resourceQOSStrategy: {lsClass: {networkQOS: {egressRequest: 60}}, beClass: {networkQOS: "
       "{egressRequest: 1M}}}",
       "f:1:105: resourceQOSStrategy.beClass.networkQOS.egressRequest: found a percentage beside quantities"},
      {"systemStrategy: {totalNetworkBandwidth: 1M}\n"
       "resourceQOSStrategy: {lsClass: {networkQOS: {egressRequest: 2M}}}",
       "f:2:61: resourceQOSStrategy.lsClass.networkQOS.egressRequest: found requests of 2000000"},
      {"hostApplications: [{qos: LS}]", "f:1:20: hostApplications[0]: found no name"},
      {"hostApplications: [{name: a}, {name: a}]",
       "f:1:38: hostApplications[1].name: found 'a' a second time"},
      {"hostApplications: [{name: a, cgroupPath: {base: CgroupRoot}}]",
       "f:1:42: hostApplications[0].cgroupPath: found no directory"},
      {"hostApplications: [{name: a, cgroupPath: {relativePath: ../../etc}}]",
       "f:1:42: hostApplications[0].cgroupPath: found '../../etc'; legal: a path without . and .."},
      {"hostApplications: [{name: ../a}]", "f: hostApplications[0].cgroupPath: found"},
      {"extensions: {evenkeel: {resctrlDynamic: {enable: true}}}",
       "f:1:50: extensions.evenkeel.resctrlDynamic.enable: found true without memoryBandwidthBytesPerSecond"},
      {"extensions: {evenkeel: {resctrlDynamic: {lowMissPercent: 150}}}",
       "f:1:58: extensions.evenkeel.resctrlDynamic.lowMissPercent: found 150; legal: below highMissPercent "
       "(150)"},
      {"extensions: {evenkeel: {resctrlDynamic: {lowPercent: 90}}}",
       "f:1:54: extensions.evenkeel.resctrlDynamic.lowPercent: found 90; legal: below highPercent (80)"},
      {"extensions: {evenkeel: {prediction: {modelExpirationDuration: 1m}}}",
       "f:1:63: extensions.evenkeel.prediction.modelExpirationDuration: found 1m; legal: above "
       "trainingInterval (1m)"},
      {"extensions: {evenkeel: {prediction: {trainingInterval: 40m}}}",
       "f:1:56: extensions.evenkeel.prediction.trainingInterval: found 40m; legal: below "
       "modelExpirationDuration (30m)"},
      {"resourceQOSStrategy: {beClass: {blkioQOS: {blocks: [{type: device}]}}}",
       "f:1:53: resourceQOSStrategy.beClass.blkioQOS.blocks[0]: found no name"},
  });
}

TEST(NodeSloErrors, ATrustRuleNamesKnownClaimsAndClasses) {
  expect_problems({
      {"extensions: {evenkeel: {trust: [{namespaces: [a]}]}}",
       "f:1:33: extensions.evenkeel.trust[0]: claims: found none; legal: hands-off, "},
      {"extensions: {evenkeel: {trust: [{claims: [cpus]}, {claims: [hands-of]}]}}",
       "f:1:60: extensions.evenkeel.trust[1].claims: found hands-of; legal: hands-off, "},
      {"extensions: {evenkeel: {trust: [{claims: [cpus], kubeQOS: [LS]}]}}",
       "f:1:59: extensions.evenkeel.trust[0].kubeQOS: found LS; legal: Guaranteed, Burstable, BestEffort"},
  });
}

TEST(NodeSloErrors, AllAreReportedNotOnlyTheFirst) {
  const auto config =
      config::parse_nodeslo("cpuBurstStrategy: {policy: x, cpuBurstPercent: y, z: 1}\nq: 1\n", "f");
  EXPECT_EQ(config.problems.size(), 4U);
  const auto text = config::render_check(config);
  EXPECT_NE(text.find("4 problems"), std::string::npos);
  EXPECT_NE(text.find("f:2:1: q: "), std::string::npos);
}

TEST(NodeSloErrors, MissingPartnersGiveANotice) {
  const auto notices = [](const char* text) {
    std::string out;
    for (const auto& notice : config::parse_nodeslo(text, "f").notices) out += notice + '\n';
    return out;
  };
  EXPECT_NE(
      notices("resourceUsedThresholdWithBE: {memoryAllocatableEvictThresholdPercent: 110}")
          .find("cannot run without memoryAllocatableEvictLowerPercent, allocatableEvictPriorityThreshold"),
      std::string::npos);
  EXPECT_NE(notices("resourceUsedThresholdWithBE: {cpuEvictThresholdPercent: 90}")
                .find("evictEnabledPriorityThreshold"),
            std::string::npos);
  EXPECT_NE(notices("resourceUsedThresholdWithBE: {cpuEvictBESatisfactionLowerPercent: 70}")
                .find("runs with 1 to 60"),
            std::string::npos);
  EXPECT_NE(notices("extensions: {evenkeel: {featureGates: {CPUEvict: true}}}").find("featureGates.CPUEvict"),
            std::string::npos);
  EXPECT_NE(notices("extensions: {evenkel: {}}").find("did you mean evenkeel?"), std::string::npos);
}

/// One valid model, except for what a case changes.
std::string given(const std::string& fields) {
  return "extensions: {evenkeel: {interference: {models: [{" + fields + "}]}}}";
}

TEST(NodeSloErrors, ProblemsOfGivenModelsNameTheirPlace) {
  const std::string path = "extensions.evenkeel.interference.models[0]";
  const std::string rest = ", signal: cpi, usual: 1.2, deviation: 0.1";
  const auto problem = [](const std::string& fields) { return first_problem(given(fields).c_str()); };
  EXPECT_EQ(problem("workload: shop/web/server" + rest), "(none)");
  EXPECT_EQ(problem("workload: host/nginx, signal: run-queue-wait, usual: 0, deviation: 0"), "(none)");
  for (const char* bad : {"web", "shop/web", "shop//server", "/web/server", "shop/web/", "a/b/c/d", "host/"})
    EXPECT_NE(problem("workload: " + std::string(bad) + rest).find(path + ".workload: found '"),
              std::string::npos)
        << bad;
  EXPECT_NE(problem(rest.substr(2)).find(path + ": found no workload; legal: namespace/owner/container"),
            std::string::npos);
  EXPECT_NE(problem("workload: a/b/c, signal: ipc, usual: 1, deviation: 0")
                .find(path + ".signal: found 'ipc'; legal: cpi, reference-cpi"),
            std::string::npos);
  EXPECT_NE(problem("workload: a/b/c, signal: cpi, deviation: 0").find(path + ": found no usual"),
            std::string::npos);
  EXPECT_NE(problem("workload: a/b/c, signal: cpi, usual: 1").find(path + ": found no deviation"),
            std::string::npos);
  EXPECT_NE(problem("workload: a/b/c, usual: 1, deviation: 0").find(path + ": found no signal"),
            std::string::npos);
  EXPECT_NE(problem("workload: a/b/c, signal: cpi, usual: 0, deviation: 0").find(path + ".usual: found 0"),
            std::string::npos);
  for (const char* bad :
       {"usual: -1", "usual: 1001", "usual: nan", "deviation: -0.1", "samples: 0", "samples: 1.5"})
    EXPECT_NE(problem("workload: a/b/c, signal: cpi, " + std::string(bad)).find(path + '.'),
              std::string::npos)
        << bad;
  EXPECT_NE(problem("workload: a/b/c" + rest + "}, {workload: a/b/c" + rest)
                .find("models[1].workload: found 'a/b/c' a second time"),
            std::string::npos);
}

}  // namespace

#include "tests/support/scenes/nodeslo_texts.h"

namespace evenkeel::test {

std::string full_nodeslo() {
  return R"(apiVersion: slo.koordinator.sh/v1alpha1
kind: NodeSLO
metadata:
  name: worker-17
  labels: {anything: goes}
spec:
  resourceUsedThresholdWithBE:
    enable: true
    cpuSuppressThresholdPercent: 65
    cpuSuppressMinPercent: 10
    cpuSuppressPolicy: cpuset
    memoryEvictThresholdPercent: 80
    memoryEvictLowerPercent: 75
    memoryAllocatableEvictThresholdPercent: 110
    memoryAllocatableEvictLowerPercent: 100
    cpuEvictPolicy: evictByRealLimit
    cpuEvictBEUsageThresholdPercent: 90
    cpuEvictBESatisfactionLowerPercent: 40
    cpuEvictBESatisfactionUpperPercent: 60
    cpuEvictTimeWindowSeconds: 60
    cpuEvictThresholdPercent: 90
    cpuEvictLowerPercent: 85
    evictEnabledPriorityThreshold: 5999
    cpuAllocatableEvictThresholdPercent: 110
    cpuAllocatableEvictLowerPercent: 100
    allocatableEvictPriorityThreshold: 5999
  resourceQOSStrategy:
    policies:
      cpuPolicy: groupIdentity
      netQOSPolicy: tc
    lsrClass:
      cpuQOS:     {enable: true, groupIdentity: 2, schedIdle: 0, coreExpeller: true}
      memoryQOS:  {enable: true, minLimitPercent: 0, lowLimitPercent: 0, throttlingPercent: 0,
                   wmarkRatio: 95, wmarkScalePermill: 20, wmarkMinAdj: -25,
                   priorityEnable: 0, priority: 0, oomKillGroup: 0}
      resctrlQOS: {enable: true, catRangeStartPercent: 0, catRangeEndPercent: 100, mbaPercent: 100}
      networkQOS: {enable: true, ingressRequest: 40, ingressLimit: 100, egressRequest: 40, egressLimit: 100}
    lsClass:
      cpuQOS:     {enable: true, groupIdentity: 2}
      memoryQOS:  {enable: true, wmarkRatio: 95, wmarkScalePermill: 20, wmarkMinAdj: -25}
      resctrlQOS: {enable: true, catRangeStartPercent: 0, catRangeEndPercent: 100, mbaPercent: 90}
      networkQOS: {enable: true, ingressRequest: 30, ingressLimit: 100, egressRequest: 30, egressLimit: 100}
    beClass:
      cpuQOS:     {enable: true, groupIdentity: -1}
      memoryQOS:  {enable: true, throttlingPercent: 80, wmarkRatio: 90, wmarkScalePermill: 20, wmarkMinAdj: 50,
                   pageCacheLimitPercent: 50, pageCacheReclaimSync: false}
      resctrlQOS: {enable: true, catRangeStartPercent: 0, catRangeEndPercent: 30, mbaPercent: 20}
      networkQOS: {enable: true, ingressRequest: 20, ingressLimit: 50, egressRequest: 20, egressLimit: 50}
      blkioQOS:
        enable: true
        blocks:
        - name: /dev/vdb
          type: device
          ioCfg: {readIOPS: 2000, writeIOPS: 1000, readBPS: 104857600, writeBPS: 52428800, ioWeightPercent: 20}
    systemClass:
      cpuQOS:     {enable: false, groupIdentity: 0}
      memoryQOS:  {enable: false}
    cgroupRoot:
      blkioQOS:
        enable: true
        blocks:
        - name: /dev/vdb
          type: device
          ioCfg: {readLatency: 3000, readLatencyPercent: 95, writeLatency: 4000, writeLatencyPercent: 95,
                  enableUserModel: true, modelReadBPS: 3000000000, modelWriteBPS: 2500000000,
                  modelReadSeqIOPS: 160000, modelWriteSeqIOPS: 300000,
                  modelReadRandIOPS: 350000, modelWriteRandIOPS: 330000}
  cpuBurstStrategy:
    policy: auto
    cpuBurstPercent: 1000
    cfsQuotaBurstPercent: 300
    cfsQuotaBurstPeriodSeconds: 300
    sharePoolThresholdPercent: 50
  systemStrategy:
    minFreeKbytesFactor: 100
    watermarkScaleFactor: 150
    memcgReapBackGround: 0
    schedGroupIdentityEnabled: 1
    schedIdleSaverWmark: 0
    schedFeatures: {ID_ABSOLUTE_EXPEL: true}
    pageCacheLimitEnabled: 1
    totalNetworkBandwidth: 10G
  hostApplications:
  - name: node-cache
    priority: koord-prod
    qos: LS
    cgroupPath: {base: CgroupRoot, parentDir: host-latency-sensitive, relativePath: node-cache}
  - name: log-shipper
    priority: koord-batch
    qos: BE
    cgroupPath: {base: KubepodsBesteffort, relativePath: log-shipper}
  extensions: {}
status: {}
)";
}

}  // namespace evenkeel::test

"""Random NodeSLO texts that switch on many features at once, and the gates of eviction."""
import json

GATES = ("BECPUEvict", "CPUEvict", "CPUAllocatableEvict", "BEMemoryEvict", "MemoryEvict", "MemoryAllocatableEvict",
         "InterferenceEvict")


def some(rng, table):
    """About two thirds of the settings of a table {key: choices}."""
    return {key: rng.choice(choices) for key, choices in table.items() if rng.random() < 0.67}


def threshold(rng):
    used = {"enable": rng.random() < 0.85, "cpuSuppressPolicy": rng.choice(["cfsQuota", "cfsQuota", "cpuset"]),
            "cpuSuppressThresholdPercent": rng.choice([30, 45, 65, 80, 95]),
            "memoryEvictThresholdPercent": rng.choice([3, 8, 20, 80]), "evictEnabledPriorityThreshold": 5999}
    used.update(some(rng, {
        "cpuSuppressMinPercent": [0, 5, 20], "cpuEvictPolicy": ["evictByRealLimit", "evictByAllocatable"],
        "cpuEvictBEUsageThresholdPercent": [50, 90], "cpuEvictTimeWindowSeconds": [5, 10, 60],
        "cpuEvictThresholdPercent": [40, 70, 95]}))
    if rng.random() < 0.6:
        used.update(cpuEvictBESatisfactionLowerPercent=rng.choice([20, 50]), cpuEvictBESatisfactionUpperPercent=70)
    if rng.random() < 0.5:
        used.update(cpuAllocatableEvictThresholdPercent=rng.choice([50, 110]), cpuAllocatableEvictLowerPercent=40,
                    memoryAllocatableEvictThresholdPercent=rng.choice([50, 110]),
                    memoryAllocatableEvictLowerPercent=40, allocatableEvictPriorityThreshold=5999)
    return used


def memory_qos(rng):
    return {"enable": rng.random() < 0.8, **some(rng, {
        "minLimitPercent": [0, 30, 60], "lowLimitPercent": [0, 50, 80], "throttlingPercent": [0, 60, 90],
        "wmarkRatio": [0, 50, 80, 95], "wmarkScalePermill": [20, 200], "wmarkMinAdj": [-25, 0, 50],
        "priorityEnable": [0, 1], "priority": [0, 6, 12], "oomKillGroup": [0, 1], "pageCacheEnable": [True, False],
        "pageCacheLimitPercent": [20, 50]})}


def block(rng, disk):
    return {"name": disk, "type": "device", "ioCfg": some(rng, {
        "readIOPS": [0, 100, 2000], "writeIOPS": [0, 500], "readBPS": [0, "10M", "64M"], "writeBPS": [1048576, "32M"],
        "ioWeightPercent": [5, 50, 100]})}


def service_class(rng, disk, best_effort=False):
    return {"cpuQOS": {"enable": rng.random() < 0.7, "groupIdentity": -1 if best_effort else rng.choice([0, 1, 2]),
                       "schedIdle": int(best_effort)},
            "memoryQOS": memory_qos(rng),
            "resctrlQOS": {"enable": rng.random() < 0.5, "catRangeStartPercent": 0,
                           "catRangeEndPercent": rng.choice([20, 30, 60, 100]), "mbaPercent": rng.choice([20, 50, 90])},
            "blkioQOS": {"enable": rng.random() < 0.5, "blocks": [block(rng, disk)]},
            "networkQOS": {"enable": False}}


def own_settings(rng):
    return {
        "cpusets": rng.random() < 0.8, "batchResources": rng.random() < 0.8, "cpuNormalization": rng.random() < 0.8,
        "suppressRecovery": rng.choice(["0s", "2s", "5s"]), "suppressDwell": rng.choice(["0s", "10s"]),
        "burstGrowthBudgetPercent": rng.choice([0, 10, 1000]), "handsOff": rng.random() < 0.05,
        "reclaimBytesPerSecond": rng.choice([0, 1048576, 268435456]),
        "featureGates": {gate: rng.random() < 0.5 for gate in GATES},
        "memoryPushBack": {"enable": rng.random() < 0.6, "pressureSomePercent": rng.choice([1, 10]),
                           "freePercent": 100, "stepPercent": rng.choice([5, 30])},
        "resctrlDynamic": {"enable": rng.random() < 0.4, "memoryBandwidthBytesPerSecond": rng.choice([0, 10**9]),
                           "cacheWays": True},
        "interference": {"enable": rng.random() < 0.85, "act": rng.random() < 0.7, "stallWindow": "1s",
                         "counterWindow": "1s", "counterPeriod": rng.choice(["1s", "5s"]),
                         "capLease": rng.choice(["5s", "30s", "5m"]), "evictAfter": rng.choice([1, 3]),
                         "causalTest": rng.random() < 0.6, "capPercent": rng.choice([10, 25, 60]),
                         "mostTestsPerDay": 1000},
        "brake": {"enable": rng.random() < 0.5, "maxDutyPercent": 100},
        "prediction": {"coldStartDuration": "0s", "leastHistoryDuration": "0s", "trainingInterval": "10s",
                       "modelExpirationDuration": "2m"}}


def random_slo(rng, disk="/dev/vda"):
    return {
        "resourceUsedThresholdWithBE": threshold(rng),
        "resourceQOSStrategy": {
            "policies": {"cpuPolicy": rng.choice(["groupIdentity", "groupIdentity", "coreSched"])},
            "lsrClass": service_class(rng, disk), "lsClass": service_class(rng, disk),
            "beClass": service_class(rng, disk, best_effort=True)},
        "cpuBurstStrategy": {"policy": rng.choice(["none", "auto", "auto", "cpuBurstOnly", "cfsQuotaBurstOnly"]),
                             "cpuBurstPercent": rng.choice([50, 100, 1000]),
                             "cfsQuotaBurstPercent": rng.choice([100, 150, 300]),
                             "cfsQuotaBurstPeriodSeconds": rng.choice([-1, 10, 60]),
                             "sharePoolThresholdPercent": rng.choice([20, 50, 90])},
        "hostApplications": [{"name": "shipper", "qos": "BE", "priority": "koord-batch", "cgroupPath": {
            "base": "KubepodsBesteffort", "relativePath": "shipper"}}] if rng.random() < 0.3 else [],
        "extensions": {
            "colocation": {"enable": rng.random() < 0.85, "metricAggregateDurationSeconds": rng.choice([5, 60, 300]),
                           "cpuReclaimThresholdPercent": rng.choice([40, 60, 90]),
                           "cpuCalculatePolicy": rng.choice(["usage", "maxUsageRequest", "request"]),
                           "memoryCalculatePolicy": rng.choice(["usage", "maxUsageRequest", "request"]),
                           "resourceDiffThreshold": rng.choice([0, 0.1]), "midUnallocatedPercent": rng.choice([0, 50])},
            "evenkeel": own_settings(rng)}}


def random_text(rng, disk="/dev/vda", broken=0.03):
    """As a file; now and then one that is refused."""
    text = json.dumps(random_slo(rng, disk), indent=1)
    return text.replace('"enable"', '"enabel"', 1) if rng.random() < broken else text

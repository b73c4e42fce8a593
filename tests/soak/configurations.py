"""What the agent is configured with during a soak: legal texts, and others; and how a file is replaced."""

import os

NODESLOS = [
    {},
    {"resourceUsedThresholdWithBE": {"enable": True, "cpuSuppressPolicy": "cfsQuota", "cpuSuppressThresholdPercent": 50},
     "cpuBurstStrategy": {"policy": "auto"}},
    {"resourceUsedThresholdWithBE": {"enable": True, "cpuSuppressPolicy": "cpuset", "cpuSuppressThresholdPercent": 40},
     "resourceQOSStrategy": {"beClass": {"cpuQOS": {"enable": True}},
                             "lsClass": {"cpuQOS": {"enable": True}, "memoryQOS": {"enable": True, "minLimitPercent": 20,
                                                                                   "lowLimitPercent": 30, "throttlingPercent": 80}}}},
    {"resourceUsedThresholdWithBE": {"enable": True}, "cpuBurstStrategy": {"policy": "cfsQuotaBurstOnly"},
     "extensions": {"evenkeel": {"brake": {"enable": True}, "interference": {"enable": True}, "memoryPushBack": {"enable": True},
                                 "diskSuppress": {"enable": True, "serviceStallPercent": 1},
                                 "proof": {"enable": True}, "requestSize": {"services": "200us"}}}},
    {"extensions": {"evenkeel": {"handsOff": True}}},
    # Any node uses 1 % of its memory: batch pods are evicted, one after the other.
    {"resourceUsedThresholdWithBE": {"enable": True, "cpuSuppressPolicy": "cfsQuota", "cpuSuppressThresholdPercent": 40,
                                     "memoryEvictThresholdPercent": 1, "memoryEvictLowerPercent": 0},
     "extensions": {"evenkeel": {"featureGates": {"BEMemoryEvict": True}}}},
]
BAD_NODESLOS = ["", "cpuBurstStrategi: {}\n", "resourceUsedThresholdWithBE: [1, 2\n", "a: &a [*a]\n", "\x00\xff\n", "x" * 3_000_000]
BAD_SPECS = [None, {"cpuBurstStrategi": {}}, {"resourceUsedThresholdWithBE": [1, 2]}, 7, {"": "\x00"}, {"x": "x" * 3_000_000}]


def replace(path, text):
    with open(path + ".new", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.rename(path + ".new", path)

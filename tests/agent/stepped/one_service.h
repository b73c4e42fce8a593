// The smallest list of pods, for stepped tests.
#pragma once

#include <string>

namespace evenkeel::test {

inline constexpr const char* kServiceUid = "11111111-1111-1111-1111-111111111111";

/// One service of two CPUs.
inline std::string one_service() {
  return "items: [{metadata: {uid: " + std::string(kServiceUid) +
         ", namespace: shop, name: cart}, spec: {containers: [{name: a, resources: {requests: {cpu: 1}, "
         "limits: {cpu: 2}}}]}, status: {phase: Running, qosClass: Burstable, containerStatuses: [{name: a, "
         "containerID: 'containerd://aaa', state: {running: {}}}]}}]\n";
}

}  // namespace evenkeel::test

// Answers of a kubelet and an API server: one real answer of each, trimmed, and generated lists of any size.
#pragma once

#include <string>
#include <vector>

namespace evenkeel::test {

/// /pods of a kubelet 1.20 with a Guaranteed, a Burstable and a batch pod.
std::string real_pods();
/// /api/v1/nodes/127.0.0.1 of an API server 1.20.
std::string real_node();

struct PodText {
  std::string uid{}, name = "pod", namespace_ = "default";
  std::string labels{}, annotations{};  ///< JSON objects; empty: none
  std::string owners{};                 ///< a JSON list; empty: none
  std::string qos = "Burstable";        ///< status.qosClass
  std::vector<std::string>
      container_ids{};           ///< one container each; an empty text is a container without an id yet
  std::string resources = "{}";  ///< of each container
  std::string phase = "Running";
  bool terminating = false;
  int version = 0;  ///< metadata.resourceVersion; zero: none
};
std::string pod_json(const PodText& pod);
std::string pod_list_json(const std::vector<PodText>& pods);
/// Like a busy node's list: `count` pods of about `bytes_each`, most of it managedFields.
std::string many_pods(int count, std::size_t bytes_each);

}  // namespace evenkeel::test

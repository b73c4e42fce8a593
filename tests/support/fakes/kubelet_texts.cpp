#include "tests/support/fakes/kubelet_texts.h"

#include <cstdio>

#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ",") + item;
  return out;
}

/// The API server's managedFields entry for one member set by a client.
std::string managed_fields(std::size_t bytes) {
  std::string fields;
  while (fields.size() + 60 < bytes)
    fields += R"("k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:resources":{"f:limits":{"f:cpu":{}}}},)";
  return R"([{"manager":"kubelet","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{)" +
         fields + R"("f:status":{}}}])";
}

}  // namespace

std::string real_pods() { return text_of_file(EVENKEEL_SOURCE_DIR "/tests/data/kubelet_pods.json"); }
std::string real_node() { return text_of_file(EVENKEEL_SOURCE_DIR "/tests/data/node.json"); }

std::string pod_json(const PodText& pod) {
  std::vector<std::string> specs, statuses;
  for (const auto& id : pod.container_ids) {
    const std::string name = "c" + std::to_string(specs.size());
    specs.push_back(R"({"name":")" + name + R"(","resources":)" + pod.resources + "}");
    if (!id.empty())
      statuses.push_back(R"({"name":")" + name + R"(","state":{"running":{}},"containerID":"containerd://)" +
                         id + "\"}");
  }
  const auto object = [](const std::string& text) { return text.empty() ? std::string("{}") : text; };
  return R"({"metadata":{"name":")" + pod.name + R"(","namespace":")" + pod.namespace_ + R"(","uid":")" +
         pod.uid + R"(","labels":)" + object(pod.labels) + R"(,"annotations":)" + object(pod.annotations) +
         (pod.owners.empty() ? "" : R"(,"ownerReferences":)" + pod.owners) +
         (pod.terminating ? R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")" : "") +
         (pod.version > 0 ? R"(,"resourceVersion":")" + std::to_string(pod.version) + '"' : "") +
         R"(},"spec":{"containers":[)" + joined(specs) + R"(]},"status":{"phase":")" + pod.phase +
         R"(","qosClass":")" + pod.qos + R"(","containerStatuses":[)" + joined(statuses) + "]}}";
}

std::string pod_list_json(const std::vector<PodText>& pods) {
  std::vector<std::string> items;
  for (const auto& pod : pods) items.push_back(pod_json(pod));
  const std::string list =
      items.empty() ? "null" : "[" + joined(items) + "]";  // the kubelet writes null for an empty list
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":)" + list + "}";
}

std::string many_pods(int count, std::size_t bytes_each) {
  const std::string real = real_pods();
  const auto begin = real.find(R"({"metadata":{"name":"bu1")");
  const auto end = real.find(R"({"metadata":{"name":"batch1")");
  std::string pod = real.substr(begin, end - 1 - begin);
  const std::string uid = "07c5ca87-3cee-419b-8d73-19bc1d676c1c";
  const std::string fields =
      R"("managedFields":)" + managed_fields(bytes_each - pod.size()) + R"(,"ownerReferences":)";
  pod.replace(pod.find(R"("managedFields":)"), 16, fields);
  std::string out = R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)";
  for (int i = 0; i < count; ++i) {
    char number[16];
    std::snprintf(number, sizeof number, "%012d", i);
    std::string one = pod;
    one.replace(one.find(uid) + 24, 12, number);
    out += (i == 0 ? "" : ",") + one;
  }
  return out + "]}";
}

}  // namespace evenkeel::test

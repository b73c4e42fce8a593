// Reads the annotation koordinator.sh/blkioQOS: a pod's disk limits, and the volumes that it may name.
#include "agent/config/schema_read.h"
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {
namespace {

constexpr const char* kKey = "koordinator.sh/blkioQOS";
constexpr std::size_t kMostBlocks = 64;
constexpr std::size_t kMostVolumes = 256;  ///< each block may have to be looked for among them, in each tick

void ignore(Pod& pod, const std::string& why, std::vector<std::string>& notices) {
  pod.blocks.clear();
  notices.push_back("pod " + pod_title(pod) + ": annotation ignored, no limits of its own: " + why);
}

/// The same keys and ranges as blkioQOS of a class. Not empty: why it is invalid.
std::string read_blocks(const Pod& pod, std::vector<Block>& blocks) {
  // Koordinator writes an empty text for "none".
  const auto text = pod.annotations.find(kKey);
  if (text == pod.annotations.end() || text->second.find_first_not_of(" \t\n") == std::string::npos)
    return {};
  const auto parsed = annotation_object(pod.annotations, kKey);
  if (!parsed.problems.empty()) return parsed.problems.front().text();
  if (parsed.root.null()) return {};
  config::SchemaRead read{.file = kKey};
  BlkioQos out{.enable = true};
  config::read_section(parsed.root, config::blkio_rows(), &out, "", false, read);
  if (!read.problems.empty()) return read.problems.front().text();
  if (out.blocks.size() > kMostBlocks)
    return std::string(kKey) + ": found " + std::to_string(out.blocks.size()) + " blocks; legal: at most " +
           std::to_string(kMostBlocks);
  for (const auto& block : out.blocks)
    if (block.name.empty()) return std::string(kKey) + ": found a block without a name";
  if (out.enable) blocks = std::move(out.blocks);
  return {};
}

}  // namespace

void read_blkio(Pod& pod, std::vector<std::string>& notices) {
  if (const auto why = read_blocks(pod, pod.blocks); !why.empty()) ignore(pod, why, notices);
}

void read_volumes(const document::Value& item, Pod& pod, std::vector<std::string>& notices) {
  const auto volumes = pod.blocks.empty() ? std::nullopt : list_at(item, {"spec", "volumes"});
  if (!volumes) return;
  if (volumes->size() > kMostVolumes)
    return ignore(pod,
                  std::string(kKey) + ": the pod has " + std::to_string(volumes->size()) +
                      " volumes; legal: at most " + std::to_string(kMostVolumes),
                  notices);
  for (const auto& volume : *volumes) {
    const bool is_claim =
        value_at(volume, {"persistentVolumeClaim"}) != nullptr || value_at(volume, {"ephemeral"}) != nullptr;
    pod.volumes.push_back({text_at(volume, {"name"}), is_claim});
  }
}

}  // namespace evenkeel::pods

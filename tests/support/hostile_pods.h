// What a tenant may write into a pod to harm the agent: in each annotation that is parsed a text that its
// parser has to refuse, and of everything as much as is read.
#pragma once

#include <string>
#include <vector>

namespace evenkeel::test {

/// An annotation, and what is told about it.
struct HostileText {
  std::string key{}, value{};
  int notices = 1;  ///< that name the pod and the key
  int claims = 0;   ///< the same, of claims that do not count (docs/labels.md)
};

/// Pods of so many numbers in a row have each text in each annotation, if they are all of batch work or of
/// none.
inline constexpr int kHostileKinds = 20;
/// The annotations of the pod of this number that are read. Together they are nearly as long as a pod's may
/// be.
std::vector<HostileText> hostile_texts(int number, bool batch);

/// The same as a JSON object, with another annotation of a mebibyte that is not read.
std::string hostile_annotations(int number, bool batch);
/// A JSON object of 256 labels, among them those that are read.
std::string hostile_labels(bool batch);

}  // namespace evenkeel::test

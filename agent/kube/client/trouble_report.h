// Reports trouble with a server when it changes, not each time that it happens. Does not log.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace evenkeel::kube {

class TroubleReport {
 public:
  explicit TroubleReport(std::function<void(const std::string&)> failed) : failed_(std::move(failed)) {}
  /// `why` empty: there is no trouble any more.
  void update(const std::string& why) {
    if (!why.empty() && why != last_ && failed_) failed_(why);
    last_ = why;
  }

 private:
  std::function<void(const std::string&)> failed_;
  std::string last_{};
};

}  // namespace evenkeel::kube

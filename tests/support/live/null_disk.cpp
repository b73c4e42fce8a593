#include "tests/support/live/null_disk.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <utility>

namespace evenkeel::test {
namespace {

const std::string kConfig = "/sys/kernel/config", kMaker = kConfig + "/nullb";
constexpr int kMiB = 256;

bool put(const std::string& file, const std::string& value) {
  std::ofstream out(file);
  out << value << std::flush;
  return out.good();
}
std::string first_word(const std::string& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

}  // namespace

NullDisk::NullDisk(std::chrono::nanoseconds each, int at_a_time) {
  if (::access(kMaker.c_str(), F_OK) != 0)
    static_cast<void>(::mount("config", kConfig.c_str(), "configfs", 0, nullptr));
  if (::access(kMaker.c_str(), F_OK) != 0) {
    unavailable_reason_ = "no null_blk here, whose disks are as slow as one likes";
    return;
  }
  const auto name = "nullb-test-" + std::to_string(::getpid());
  item_ = kMaker + '/' + name;
  if (::mkdir(item_.c_str(), 0700) != 0) {
    unavailable_reason_ = "null_blk makes no disk: " + item_;
    return;
  }
  const std::pair<const char*, std::string> settings[] = {
      {"size", std::to_string(kMiB)},
      {"blocksize", "4096"},
      {"queue_mode", "2"},
      {"irqmode", "2"},  // completes requests by a timer
      {"submit_queues", "1"},
      {"hw_queue_depth", std::to_string(at_a_time)},
      {"completion_nsec", std::to_string(each.count())},
      {"power", "1"},
  };
  for (const auto& [file, value] : settings)
    if (!put(item_ + '/' + file, value)) unavailable_reason_ = std::string("null_blk does not take ") + file;
  // Since Linux 5.19 the disk is named like its configfs directory, before by its number.
  name_ = ::access(("/sys/block/" + name).c_str(), F_OK) == 0 ? name : "nullb" + first_word(item_ + "/index");
  number_ = first_word("/sys/block/" + name_ + "/dev");
  path_ = "/dev/" + name_;
  if (number_.empty()) unavailable_reason_ = "null_blk made no disk";
}

NullDisk::~NullDisk() {
  if (item_.empty()) return;
  static_cast<void>(put(item_ + "/power", "0"));
  ::rmdir(item_.c_str());
}

bool NullDisk::set(const std::string& setting, const std::string& value) const {
  return put("/sys/block/" + name_ + "/queue/" + setting, value);
}

}  // namespace evenkeel::test

// The resctrl model answers as this machine's kernel does: errno, texts and schemata, row by row.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "cgroup/base/text.h"
#include "cgroup/executor/file_writer.h"
#include "cgroup/resctrl/text.h"
#include "collectors/devices/devices.h"
#include "tests/support/fakes/fake_resctrl.h"
#include "tests/support/fakes/schemata_text.h"

namespace evenkeel::test {
namespace {

const std::string kRoot = resctrl::kResctrlDir;
const std::string kGroup = "evenkeel-matrix";

enum class Do : std::uint8_t { write, make, remove };
struct Row {
  Do what;
  std::string path;
  std::string text{};
};
/// "PID" is a task of the test, "LAST" the machine's last domain.
const std::vector<Row> kRows = {
    {Do::make, kGroup},
    {Do::make, kGroup},
    {Do::make, kGroup + "/inside"},
    {Do::write, kGroup + "/schemata", "L3:0=3;LAST=3\nMB:0=20;LAST=30\n"},
    {Do::write, kGroup + "/schemata", "L3:0=7\nMB:0=1\n"},
    {Do::write, kGroup + "/schemata", "L3:0=7\nXX:0=1\n"},
    {Do::write, kGroup + "/schemata", "L3:0=f"},
    {Do::write, kGroup + "/schemata", "L3:0=f;LAST=5\n"},
    {Do::write, kGroup + "/schemata", "L3:0=f;0=3\n"},
    {Do::write, kGroup + "/schemata", " L3:0=1f\n"},
    {Do::write, kGroup + "/schemata", "L3: 0=1f\n"},
    {Do::write, kGroup + "/schemata", "L3:0=0x1f\n"},
    {Do::write, kGroup + "/schemata", "L3:0=1f;\n"},
    {Do::write, kGroup + "/schemata", "L3:0= 3\n"},
    {Do::write, kGroup + "/schemata", "\n"},
    {Do::write, kGroup + "/schemata", "garbage\n"},
    {Do::write, kGroup + "/schemata", "L3:\n"},
    {Do::write, kGroup + "/schemata", "L3:0=\n"},
    {Do::write, kGroup + "/schemata", "L3:0=zz\n"},
    {Do::write, kGroup + "/schemata", "L3:0=0\n"},
    {Do::write, kGroup + "/schemata", "L3:0=5\n"},
    {Do::write, kGroup + "/schemata", "L3:0=ffffff\n"},
    {Do::write, kGroup + "/schemata", "L3:9=3\n"},
    {Do::write, kGroup + "/schemata", "L2:0=1\n"},
    {Do::write, kGroup + "/schemata", "MB:0=abc\n"},
    {Do::write, kGroup + "/schemata", "MB:0=5\n"},
    {Do::write, kGroup + "/schemata", "MB:0=101\n"},
    {Do::write, kGroup + "/schemata", "MB:0=23\n"},
    {Do::write, kGroup + "/schemata", "MB:0=100\nL3:0=1\n"},
    {Do::write, kGroup + "/tasks", "PID\n"},
    {Do::write, kGroup + "/tasks", "PID"},
    {Do::write, kGroup + "/tasks", "4194000\n"},
    {Do::write, kGroup + "/tasks", "abc\n"},
    {Do::write, kGroup + "/tasks", "-1\n"},
    {Do::write, kGroup + "/tasks", "PID\nPID\n"},
    {Do::write, "tasks", "PID\n"},
    {Do::remove, kGroup},
    {Do::remove, kGroup},
    {Do::write, kGroup + "/schemata", "L3:0=1\n"},
};

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word))
    text.replace(at, word.size(), by);
  return text;
}

std::string text_of(ResctrlFiles& files, const std::string& path) {
  std::string buffer;
  const auto text = files.read(kRoot + "/" + path, buffer);
  return text ? std::string(trimmed(*text)) : "<missing>";
}

std::string answer(ResctrlFiles& files, const Row& row) {
  const auto path = kRoot + "/" + row.path;
  const auto done = row.what == Do::make     ? files.make_dir(path)
                    : row.what == Do::remove ? files.remove_dir(path)
                                             : files.write(path, row.text);
  const std::string status = text_of(files, "info/last_cmd_status");
  const auto schemata = resctrl::parse_schemata(text_of(files, kGroup + "/schemata"));
  return std::string(done ? "taken" : errno_name(done.error().code)) + " | " + status + " | " +
         (schemata ? schemata_text(*schemata) : "<missing>");
}

class LiveResctrlMatrix : public testing::Test {
 protected:
  void SetUp() override {
    const auto system = devices::read_resctrl(host_);
    if (!system) GTEST_SKIP() << "resctrl is not mounted here (tests/run resctrl)";
    for (const auto& resource : system->resources) {
      if (resource.name == "L3") machine_.mask = resource.full;
      if (resource.name == "MB" && resource.unit == ResctrlUnit::percent) bandwidth_ = true;
      machine_.domains.assign(resource.domains.begin(), resource.domains.end());
    }
    if (!bandwidth_ || system->resources.size() != 2 || machine_.mask < 0x1f)
      GTEST_SKIP() << "this machine is not like the model: L3 and MB in percent";
    machine_.max_groups = system->max_groups - system->other_groups;
    child_ = ::fork();
    if (child_ == 0)
      for (;;) ::pause();
  }
  void TearDown() override {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    static_cast<void>(real_.remove_dir(kRoot + "/" + kGroup));
  }
  [[nodiscard]] Row filled(const Row& row) const {
    auto out = row;
    out.text = replaced(replaced(row.text, "LAST", std::to_string(machine_.domains.back())), "PID",
                        std::to_string(child_));
    return out;
  }
  Host host_ = *Host::open("/");
  executor::ResctrlKernelFiles real_{host_};
  FakeResctrl::Machine machine_{};
  bool bandwidth_ = false;
  pid_t child_ = -1;
};

TEST_F(LiveResctrlMatrix, EveryRow) {
  FakeResctrl model(machine_);
  model.task(child_, "sys/fs/cgroup/cgroup.threads");
  for (const auto& row : kRows) {
    const auto asked = filled(row);
    EXPECT_EQ(answer(model, asked), answer(real_, asked)) << asked.path << " <- " << asked.text;
  }
}

TEST_F(LiveResctrlMatrix, ClassesOfServiceRunOut) {
  FakeResctrl model(machine_);
  std::vector<std::string> made;
  for (int i = 0; i < 200; ++i) {
    const Row row{Do::make, kGroup + std::to_string(i)};
    const auto real = answer(real_, row), expected = answer(model, row);
    EXPECT_EQ(expected, real) << "group " << i;
    if (!real.starts_with("taken")) break;
    made.push_back(row.path);
  }
  EXPECT_EQ(made.size(), static_cast<std::size_t>(machine_.max_groups - 1));
  for (const auto& name : made) EXPECT_TRUE(real_.remove_dir(kRoot + "/" + name)) << name;
}

}  // namespace
}  // namespace evenkeel::test

// The files of a new cgroup with their initial texts, as read on Linux 6.1 (v2) and 6.18 (v1), and the
// machine's own files in proc/ and sys/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "qos/model/knob.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {

/// Name (or path) and text.
using FakeFiles = std::vector<std::pair<std::string, std::string>>;

/// "0-3\n"; "\n" for none.
std::string cpu_list_text(int cpus);

/// `besteffort`: with the minimum shares, as the kubelet sets them. The root cgroup has no settings of its
/// own.
FakeFiles fake_v1_files(Controller controller, int cpus, bool besteffort);
FakeFiles fake_v2_files(bool controllers, int cpus, bool besteffort, bool is_root);
/// Paths relative to the host's root.
FakeFiles fake_machine_files(const FakeMachine& machine);

}  // namespace evenkeel::test

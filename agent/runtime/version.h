// The version of this build: what git says of the tree (agent/runtime/version.cmake), or the project's own
// number. Does not run git at run time.
#pragma once

namespace evenkeel::runtime {

/// "0.2.0" for the commit with the tag v0.2.0, "0.2.0+5.g1a2b3c4" for the fifth after it, "….dirty" with
/// changes.
extern const char* const kVersion;

}  // namespace evenkeel::runtime

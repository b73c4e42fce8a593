// What tests with a scripted API server share: a refusal as the server words it, and the program's access to
// it.
#pragma once

#include <fstream>
#include <string>

#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {

/// An answer with a v1 Status: refusal(404, "NotFound", "not found").
inline std::string refusal(int code, const std::string& reason, const std::string& message) {
  return http_answer(code, R"({"kind":"Status","reason":")" + reason + R"(","message":")" + message + "\"}");
}

/// Writes the files kubeconfig and ca.crt, for --kubeconfig.
inline void write_access(const ScriptedServer& server, const std::string& dir) {
  std::ofstream(dir + "/ca.crt") << server.authority().certificate();
  std::ofstream(dir + "/kubeconfig")
      << "{current-context: t, contexts: [{name: t, context: {cluster: c, user: u}}], clusters: [{name: c, "
         "cluster: {certificate-authority: ca.crt, server: '"
      << server.url() << "'}}], users: [{name: u, user: {token: abc}}]}\n";
}

}  // namespace evenkeel::test

// The program: flags in, exit status out.
#include "agent/cli/flags.h"
#include "agent/cli/verbs.h"
#include "agent/demo/demo.h"

int main(int argc, char** argv) {
  using namespace evenkeel;
  const auto parsed = parse_flags(argc, argv);
  if (parsed.exit_code) return *parsed.exit_code;
  const Flags& flags = parsed.flags;
  switch (flags.verb) {
    case Verb::run:
      return flags.stepped ? run_stepped(flags) : run_agent(flags);
    case Verb::check:
      return run_check(flags);
    case Verb::capabilities:
      return run_capabilities(flags);
    case Verb::explain:
      return run_explain(flags);
    case Verb::restore:
      return run_restore(flags);
    case Verb::withdraw:
      return run_withdraw(flags);
    case Verb::demo:
      return run_demo({flags.demo_seconds, flags.demo_rounds, flags.demo_quick, flags.demo_json});
  }
  return 2;
}

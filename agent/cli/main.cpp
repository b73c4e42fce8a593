// The program's entry point: parses the flags and runs the verb.
#include "agent/cli/verbs.h"
#include "agent/demo/experiment.h"
#include "agent/runtime/heap.h"

int main(int argc, char** argv) {
  using namespace evenkeel;
  runtime::keep_heap_small();
  runtime::abort_without_memory();
  const auto parsed = cli::parse_flags(argc, argv);
  if (parsed.exit_code) return *parsed.exit_code;
  const cli::Flags& flags = parsed.flags;
  switch (flags.verb) {
    case cli::Verb::run:
      return flags.stepped ? cli::run_stepped(flags) : cli::run_agent(flags);
    case cli::Verb::check:
      return cli::run_check(flags);
    case cli::Verb::capabilities:
      return cli::run_capabilities(flags);
    case cli::Verb::explain:
      return cli::run_explain(flags);
    case cli::Verb::top:
      return cli::run_top(flags);
    case cli::Verb::health:
      return cli::run_health(flags);
    case cli::Verb::proof:
      return cli::run_proof(flags);
    case cli::Verb::restore:
      return cli::run_restore(flags);
    case cli::Verb::withdraw:
      return cli::run_withdraw(flags);
    case cli::Verb::demo:
      return demo::run_demo(
          {flags.demo_seconds, flags.demo_rounds, flags.demo_quick, flags.demo_json, flags.demo_service});
  }
  return 2;
}

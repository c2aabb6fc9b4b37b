// The gcnjit program: parses the command line and runs a subcommand.
#include <fmt/format.h>

#include <exception>

#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace gcnjit::cli;
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    fmt::print(stderr, "gcnjit: this processor lacks AVX2 or FMA, which gcnjit needs\n");
    return kExitBadInput;
  }
  CLI::App app("Runs AMD GCN GPU code objects (gfx6 to gfx906) on the CPU.", "gcnjit");
  app.require_subcommand(1);
  app.set_version_flag("--version", "gcnjit " GCNJIT_VERSION);
  app.footer(
      "Exit codes: 0 done, 2 bad usage or input, 3 guest fault, 4 mismatch, 5 time-out,\n"
      "6 findings of run --check.\n"
      "'gcnjit COMMAND --help' explains a command, with examples.");
  Action action;
  AddExec(app, action);
  AddRun(app, action);
  AddBench(app, action);
  AddInfo(app, action);
  AddDisasm(app, action);
  AddIsa(app, action);
  AddFuzz(app, action);
  AddDiff(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitDone : kExitBadInput;
  }
  try {
    return action();
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "gcnjit: out of host memory\n");
    return kExitBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gcnjit: {}\n", error.what());
    return kExitBadInput;
  }
}

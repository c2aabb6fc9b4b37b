#include "differential/command_line.h"

#include <charconv>
#include <string_view>

namespace gcnjit::differential {
namespace {

template <typename T>
bool ParseNumber(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseOne(std::string_view name, std::string_view value, CommandLine& command) {
  if (name == "--count") return command.long_dose = true, ParseNumber(value, command.count);
  if (name == "--time") return command.long_dose = true, ParseNumber(value, command.seconds);
  if (name == "--seed") return command.long_dose = true, ParseNumber(value, command.seed);
  if (name == "--states") return ParseNumber(value, command.states) && command.states > 0;
  if (name == "--failures") return ParseNumber(value, command.max_failures);
  if (name == "--sweep") {
    command.long_dose = command.sweep = true;
    if (value != "all") command.row = value;
    return true;
  }
  if (name == "--isa") return command.isas = {std::string(value)}, true;
  if (name != "--gen") return false;
  const auto generation = frontend::GenerationOfTarget(value);
  if (generation) command.generations = {*generation};
  return generation.has_value();
}

}  // namespace

std::optional<CommandLine> ParseCommandLine(int argc, char** argv, std::ostream& errors) {
  CommandLine command;
  command.generations.assign(std::begin(frontend::kGenerations), std::end(frontend::kGenerations));
  command.isas = {"avx2", "avx512", "avx2-live", "avx512-live"};
  for (int n = 1; n < argc; ++n) {
    const std::string_view argument = argv[n];
    const size_t equals = argument.find('=');
    if (equals == argument.npos ||
        !ParseOne(argument.substr(0, equals), argument.substr(equals + 1), command)) {
      errors << "cannot make sense of " << argument
             << "; known are --count=N --time=SECONDS --seed=S --states=N --gen=TARGET "
                "--isa=avx2|avx512|avx2-live|avx512-live|interp "
                "--sweep=all|ROW --failures=N\n";
      return std::nullopt;
    }
  }
  if (command.long_dose && command.count == UINT64_MAX && command.seconds == 0) command.count = 1;
  return command;
}

}  // namespace gcnjit::differential

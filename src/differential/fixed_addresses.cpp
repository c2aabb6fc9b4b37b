#include "differential/fixed_addresses.h"

#include <sys/personality.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

namespace gcnjit::differential {
namespace {

// The arguments that this program was started with.
std::vector<std::string> CommandLine() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

}  // namespace

void FixAddresses() {
  const int current = personality(0xFFFFFFFF);
  if (current == -1 || (current & ADDR_NO_RANDOMIZE) != 0) return;
  std::vector<std::string> arguments = CommandLine();
  if (arguments.empty()) return;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  if (personality(static_cast<unsigned long>(current) | ADDR_NO_RANDOMIZE) == -1) return;
  execv("/proc/self/exe", argv.data());
}

}  // namespace gcnjit::differential

// How to launch a command: a plain value.
#pragma once

#include <string>
#include <vector>

namespace tacho {

struct Launch {
  std::vector<std::string> argv;
  std::vector<std::string> environment = {};  // NAME=VALUEs to add to the environment of tacho
  // The working directory; empty: that of tacho. A relative name of the command is below it, as for
  // "cd DIRECTORY && ./command".
  std::string directory = {};
  // Descriptors of tacho that become the standard streams; -1: those of tacho. The caller owns
  // them. They have to be open until the command runs, and may be close-on-exec.
  int input = -1;
  int output = -1;
  int error = -1;
  // The addresses of the stack, the heap and the libraries are the same in each launch: without
  // address space layout randomisation (personality(2), ADDR_NO_RANDOMIZE).
  bool fixed_addresses = false;
};

// Returns the launch of another program that runs the command itself, such as a simulator: it gets
// the same streams, directory and environment. The variables of `environment` take precedence. The
// addresses are those that the other program gives, so they are not fixed.
Launch run_by(const Launch& launch, std::vector<std::string> argv,
              std::vector<std::string> environment);

}  // namespace tacho

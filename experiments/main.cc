// The program `opyard`.
#include <iostream>
#include <string>
#include <vector>

#include "experiments/runner/command_line.h"

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return opyard::experiments::RunCommandLine(args, std::cout, std::cerr);
}

#include "experiments/runner/command_line/command_line.h"

#include <exception>
#include <iostream>
#include <new>

#include <unistd.h>

#include "experiments/runner/command_line/command_line_parser.h"
#include "experiments/runner/command_line/interrupt_signals.h"
#include "experiments/runner/console.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::experiments {

int RunCommandLine(const std::vector<std::string>& args,
                   const agents::AgentRegistry& agents,
                   std::ostream& out,
                   std::ostream& err) {
  InterruptFlag interrupt;
  const InterruptSignals signals(interrupt);
  const Console console{.out = out,
                        .err = err,
                        .out_is_terminal = &out == &std::cout && isatty(STDOUT_FILENO) != 0,
                        .err_is_terminal = &err == &std::cerr && isatty(STDERR_FILENO) != 0,
                        .interrupt = interrupt,
                        .agents = agents};
  int status = kInternalError;
  try {
    status = ParseCommandLine(args)(console);
  } catch (const Error& error) {
    err << error.what() << '\n';
    status = kBadInput;
  } catch (const std::bad_alloc&) {
    err << "opyard: out of memory\n";
    status = kBadInput;
  } catch (const std::exception& error) {
    err << "opyard: this is a bug of opyard, please report it: " << error.what() << '\n';
  }
  out.flush();
  err.flush();
  return status;
}

}  // namespace opyard::experiments

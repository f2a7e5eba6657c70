#include "experiments/cli/command_line/command_line.h"

#include <cerrno>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include <poll.h>
#include <unistd.h>

#include "experiments/cli/command_line/interrupt_signals.h"
#include "experiments/cli/command_line/parser.h"
#include "experiments/console/console.h"
#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// True for a pipe or socket whose other end is closed. Asked afterwards, because the error of the
// write that failed is gone by then.
bool HasNoReader(int descriptor) {
  pollfd end{.fd = descriptor, .events = POLLOUT, .revents = 0};
  return ::poll(&end, 1, 0) > 0 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

// The status of a command that would end with `status`, now that all it printed has to arrive.
int Deliver(std::ostream& out, std::ostream& err, int status) {
  errno = 0;
  out.flush();
  const int error = errno;  // 0 if a write has failed before: its reason is gone
  if (out.good()) {
    return status;
  }
  out.clear();  // the next command of this process may have better luck
  if (&out == &std::cout && HasNoReader(STDOUT_FILENO)) {
    return status == kSuccess ? kNobodyReads : status;
  }
  err << "standard output: cannot be written"
      << (error != 0 ? ": " + std::generic_category().message(error) : "") << '\n';
  return status == kSuccess ? kAnswerIsNo : status;
}

}  // namespace

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
    status = interrupt.is_raised() ? kInterrupted : kBadInput;
  } catch (const std::bad_alloc&) {
    err << "opyard: out of memory\n";
    status = kBadInput;
  } catch (const std::exception& error) {
    err << "opyard: this is a bug of opyard, please report it: " << error.what() << '\n';
  }
  status = Deliver(out, err, status);
  err.flush();
  return status;
}

}  // namespace opyard::experiments

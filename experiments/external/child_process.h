// A program of somebody else's, started by this one and ended with it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace opyard::experiments {

struct ChildOptions {
  std::vector<std::string> command;                // a program, found on PATH, and its arguments
  std::map<std::string, std::string> environment;  // replaces what this process has of these names
  // Whether a Ctrl-C at the terminal reaches the child by itself. If not, it leads a group of
  // processes, which ends with it.
  bool hears_terminal = false;
};

// The end of a child: with an exit code, by a signal, or in a way that is no longer known.
struct ChildEnd {
  bool was_killed = false;  // by ChildProcess, because it was too slow
  std::optional<int> exit_code;
  std::optional<int> signal;
  double cpu_seconds = 0.0;  // of the child and of those of its own children that it waited for

  // "with exit code 3", "by signal 11 (Segmentation fault)".
  [[nodiscard]] std::string Text() const;
};

// The child inherits nothing but the environment, the current folder, standard error, which is its
// standard output, too, and a socket to this process, its descriptor kSocketOfChild. From any
// thread, one at a time.
class ChildProcess {
 public:
  static constexpr int kSocketOfChild = 3;

  // Throws InputError naming the program if it cannot be started. REQUIRES: a command.
  explicit ChildProcess(const ChildOptions& options);
  ~ChildProcess();  // kills it, if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // This process's end of the socket.
  [[nodiscard]] int socket() const { return socket_; }
  // True once the child has ended by itself; what it has sent can still be received.
  [[nodiscard]] bool HasEnded() const;
  // Closes the socket, gives the child `patience` to end by itself, kills it and its group if it
  // does not, and says how it ended. A second call says the same. Blocks.
  const ChildEnd& End(std::chrono::milliseconds patience);

 private:
  void Kill() const;
  void Reap(bool was_killed);

  pid_t pid_ = -1;
  bool leads_group_ = false;
  int socket_ = -1;
  std::optional<ChildEnd> end_;
};

}  // namespace opyard::experiments

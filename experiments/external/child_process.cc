#include "experiments/external/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/check.h"
#include "sim/base/error.h"

extern char** environ;

namespace opyard::experiments {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void ThrowCannotStart(const std::string& program, int error) {
  throw InputError(program + ": cannot be started: " + std::generic_category().message(error));
}

// A socket's two ends. Above all descriptors that a child gets, and inherited by none.
std::pair<int, int> MakeSockets(const std::string& program) {
  constexpr int kAboveThoseOfChildren = 16;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    ThrowCannotStart(program, errno);
  }
  for (int& end : ends) {
    const int moved = ::fcntl(end, F_DUPFD_CLOEXEC, kAboveThoseOfChildren);
    const int error = errno;
    ::close(end);
    end = moved;
    if (moved < 0) {
      ::close(ends[0] == moved ? ends[1] : ends[0]);
      ThrowCannotStart(program, error);
    }
  }
  return {ends[0], ends[1]};
}

// The attributes that a child is started with, freed at the end.
class SpawnPlan {
 public:
  SpawnPlan(int socket, bool leads_group) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, ChildProcess::kSocketOfChild);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, ChildProcess::kSocketOfChild + 1);
    ::posix_spawnattr_init(&attributes_);
    // A child begins with the signals as a program expects them, whatever this process does.
    sigset_t all;
    sigset_t none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
    if (leads_group) {
      ::posix_spawnattr_setpgroup(&attributes_, 0);
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    ::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* actions() const { return &actions_; }
  [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// "NAME=VALUE" of this process, but for the names that `replaced` has, and of `replaced`.
std::vector<std::string> EnvironmentWith(const std::map<std::string, std::string>& replaced) {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!replaced.contains(std::string(text.substr(0, text.find('='))))) {
      entries.emplace_back(text);
    }
  }
  for (const auto& [name, value] : replaced) {
    entries.push_back(name + "=" + value);
  }
  return entries;
}

// As exec takes them; they point into `texts`.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

std::string ChildEnd::Text() const {
  if (exit_code.has_value()) {
    return "with exit code " + std::to_string(*exit_code);
  }
  if (signal.has_value()) {
    return "by signal " + std::to_string(*signal) + " (" + ::strsignal(*signal) + ")";
  }
  return "in an unknown way";
}

ChildProcess::ChildProcess(const ChildOptions& options) : leads_group_(!options.hears_terminal) {
  OPYARD_CHECK(!options.command.empty(), "a child needs a command");
  const std::string& program = options.command.front();
  const auto [ours, theirs] = MakeSockets(program);
  const SpawnPlan plan(theirs, leads_group_);
  std::vector<std::string> arguments = options.command;
  std::vector<std::string> environment = EnvironmentWith(options.environment);
  const int error = ::posix_spawnp(&pid_,
                                   program.c_str(),
                                   plan.actions(),
                                   plan.attributes(),
                                   Pointers(arguments).data(),
                                   Pointers(environment).data());
  ::close(theirs);
  if (error != 0) {
    ::close(ours);
    ThrowCannotStart(program, error);
  }
  socket_ = ours;
}

ChildProcess::~ChildProcess() {
  End(std::chrono::milliseconds(0));
}

const ChildEnd& ChildProcess::End(std::chrono::milliseconds patience) {
  if (end_.has_value()) {
    return *end_;
  }
  ::close(socket_);
  socket_ = -1;
  const Clock::time_point last = Clock::now() + patience;
  constexpr auto kLongestNap = std::chrono::milliseconds(20);
  auto nap = std::chrono::milliseconds(1);
  while (!HasEnded() && Clock::now() < last) {
    std::this_thread::sleep_for(nap);
    nap = std::min(2 * nap, kLongestNap);
  }
  const bool is_late = !HasEnded();
  Kill();  // what the child has started may outlive it
  Reap(is_late);
  return *end_;
}

// It stays a zombie until Reap.
bool ChildProcess::HasEnded() const {
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return (result == 0 && info.si_pid == pid_) || (result != 0 && errno == ECHILD);
}

// Before the child is reaped its number, and that of its group, are nobody else's.
void ChildProcess::Kill() const {
  if (leads_group_) {
    ::kill(-pid_, SIGKILL);
  }
  ::kill(pid_, SIGKILL);
}

void ChildProcess::Reap(bool was_killed) {
  int status = 0;
  rusage usage{};
  pid_t reaped = -1;
  do {
    reaped = ::wait4(pid_, &status, 0, &usage);
  } while (reaped < 0 && errno == EINTR);
  ChildEnd end{.was_killed = was_killed};
  if (reaped == pid_) {
    end.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
    if (WIFEXITED(status)) {
      end.exit_code = WEXITSTATUS(status);
    } else if (WIFSIGNALED(status)) {
      end.signal = WTERMSIG(status);
    }
  }
  end_ = std::move(end);
}

}  // namespace opyard::experiments

#include "experiments/external/child_process.h"

#include <chrono>
#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "experiments/external/message_channel.h"
#include "sim/base/error.h"
#include "tests/experiments/external/shell_child.h"

namespace opyard::experiments {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::SendText;
using testing::Shell;

bool Never() {
  return false;
}

TEST(ChildProcessTest, AChildHasItsEnvironmentAndSpeaksThroughItsSocket) {
  ChildProcess child({.command = Shell(R"(printf '\003\000\000\000'"$WORD" >&3)"),
                      .environment = {{"WORD", "abc"}}});
  EXPECT_EQ(ReceiveMessage(child.socket(), 10, Never).text, "abc");
  const ChildEnd& end = child.End(seconds(10));
  EXPECT_FALSE(end.was_killed);
  EXPECT_EQ(end.exit_code, 0);
}

TEST(ChildProcessTest, AChildInheritsNoOtherDescriptor) {
  const int leaked = ::fcntl(STDERR_FILENO, F_DUPFD, 4);  // without close-on-exec
  ASSERT_GE(leaked, 4);
  ChildProcess child({.command = Shell("if { true >&" + std::to_string(leaked) +
                                       "; } 2>/dev/null; then exit 1; "
                                       "fi; exit 7")});
  EXPECT_EQ(child.End(seconds(10)).exit_code, 7);
  ::close(leaked);
}

TEST(ChildProcessTest, TheEndIsKnownByCodeOrBySignal) {
  ChildProcess exits({.command = Shell("exit 3")});
  EXPECT_EQ(exits.End(seconds(10)).Text(), "with exit code 3");
  ChildProcess crashes({.command = Shell("kill -SEGV $$")});
  EXPECT_EQ(crashes.End(seconds(10)).Text(), "by signal 11 (Segmentation fault)");
}

TEST(ChildProcessTest, WhoDoesNotEndIsKilledWithAllThatItStarted) {
  ChildProcess child({.command = Shell("sleep 600 & " + SendText("up") + "wait; wait")});
  ASSERT_EQ(ReceiveMessage(child.socket(), 10, Never).text, "up");
  const ChildEnd& end = child.End(milliseconds(0));
  EXPECT_TRUE(end.was_killed);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST(ChildProcessTest, ProcessorTimeOfTheChildIsCounted) {
  ChildProcess child({.command = Shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")});
  const ChildEnd& end = child.End(seconds(60));
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_GT(end.cpu_seconds, 0.001);  // some 0.02 s on a machine of 2020
}

TEST(ChildProcessTest, AProgramThatIsNotThereIsNamed) {
  try {
    const ChildProcess child({.command = {"/no/such/program"}});
    FAIL() << "it was started";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/no/such/program: cannot be started: No such file or directory");
  }
}

}  // namespace
}  // namespace opyard::experiments

#include "experiments/cli/command_line/command_line.h"

#include <cerrno>
#include <sstream>
#include <streambuf>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

// A disk without space, as standard output may be redirected to: what is printed waits in a buffer
// of `room` bytes.
class FullBuffer : public std::streambuf {
 public:
  explicit FullBuffer(std::size_t room) : room_(room) {}

 protected:
  int_type overflow(int_type character) override {
    return room_-- > 0 ? traits_type::not_eof(character) : traits_type::eof();
  }
  int sync() override {
    errno = ENOSPC;
    return -1;
  }

 private:
  std::size_t room_;
};

struct Ended {
  int status = 0;
  std::string err;
  bool out_is_good = false;
};

Ended RunInto(std::size_t room, const std::vector<std::string>& args) {
  FullBuffer buffer(room);
  std::ostream out(&buffer);
  std::ostringstream err;
  const int status = RunCommandLine(args, agents::ClassicalAgents(), out, err);
  return {.status = status, .err = err.str(), .out_is_good = out.good()};
}

TEST(CommandLineTest, OutputThatDoesNotArriveEndsWithStatus1AndItsReason) {
  const Ended ended = RunInto(1'000'000, {"agents", "list"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.err, "standard output: cannot be written: No space left on device\n");
}

TEST(CommandLineTest, OutputThatFailsOnItsWayEndsWithStatus1) {
  const Ended ended = RunInto(10, {"agents", "list"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.err, "standard output: cannot be written\n");
}

TEST(CommandLineTest, AFailureOfItsOwnKeepsItsStatus) {
  EXPECT_EQ(RunInto(1'000'000, {"agents", "show", "nobody"}).status, 2);
}

TEST(CommandLineTest, TheNextCommandOfTheProcessMayPrintAgain) {
  EXPECT_TRUE(RunInto(10, {"agents", "list"}).out_is_good);
}

}  // namespace
}  // namespace opyard::experiments

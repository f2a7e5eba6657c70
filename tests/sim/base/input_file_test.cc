#include "sim/base/input_file.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/descriptor.h"
#include "tests/support/temporary_folder.h"

namespace opyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class InputFileTest : public ::testing::Test {
 protected:
  // The bytes that are read from a FIFO into which `text` is written by and by.
  InputBytes ThroughFifo(const std::string& text, std::size_t most_bytes) {
    const fs::path fifo = folder_.path() / "fifo";
    EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const std::jthread writer([&] { std::ofstream(fifo) << text; });
    return ReadInputFile(fifo, most_bytes);
  }

  testing::TemporaryFolder folder_;
};

TEST_F(InputFileTest, AFifoIsReadToItsEnd) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) {
    text += std::to_string(i);  // 238890 bytes: several times what a pipe holds
  }
  const InputBytes input = ThroughFifo(text, std::size_t{1} << 20U);
  EXPECT_EQ(input.problem, "");
  EXPECT_EQ(input.bytes, text);
}

TEST_F(InputFileTest, AStreamMayHoldAsMuchAsIsAllowedAndNoMore) {
  EXPECT_EQ(ThroughFifo("12345", 5).bytes, "12345");
  fs::remove(folder_.path() / "fifo");
  EXPECT_EQ(ThroughFifo("123456", 5).problem, "found more than 5 bytes, expected at most that");
}

TEST_F(InputFileTest, ARegularFileMayHoldAsMuchAsIsAllowedAndNoMore) {
  EXPECT_EQ(ReadInputFile(folder_.Write("f", "12345"), 5).bytes, "12345");
  EXPECT_EQ(ReadInputFile(folder_.Write("f", "123456"), 5).problem,
            "found 6 bytes, expected at most 5 bytes");
  EXPECT_EQ(ReadInputFile(folder_.Write("f", ""), 5).bytes, "");
}

TEST_F(InputFileTest, ADescriptorIsReadFromWhereItStands) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Descriptor reader(ends[0]);
  ASSERT_EQ(::write(ends[1], "in the pipe", 11), 11);
  ASSERT_EQ(::close(ends[1]), 0);
  EXPECT_EQ(ReadInputFile("/dev/fd/" + std::to_string(ends[0]), 100).bytes, "in the pipe");
  EXPECT_THAT(ReadInputFile("/dev/fd/999", 100).problem, HasSubstr("cannot be read: Bad file"));
}

TEST_F(InputFileTest, SaysWhyThereIsNothing) {
  EXPECT_EQ(ReadInputFile(folder_.path(), 9).problem, "found a folder, expected a file");
  EXPECT_EQ(ReadInputFile(folder_.path() / "no", 9).problem, "found nothing here, expected a file");
  EXPECT_EQ(ReadInputFile("", 9).problem, "found nothing here, expected a file");
  EXPECT_EQ(ReadInputFile("/dev/null", 9).bytes, "");
}

}  // namespace
}  // namespace opyard

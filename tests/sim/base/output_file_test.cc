#include "sim/base/output_file.h"

#include <array>
#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim/base/descriptor.h"
#include "sim/base/error.h"
#include "tests/support/temporary_folder.h"

namespace opyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

void Write(const fs::path& path, std::string_view text) {
  WriteOutputFile(path, [text](std::ostream& out) { out << text; });
}

std::string Refusal(const fs::path& path) {
  try {
    Write(path, "x");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string TextOf(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The content of `descriptor`, up to 100 bytes.
std::string Drain(int descriptor) {
  std::array<char, 100> bytes{};
  const ssize_t got = ::read(descriptor, bytes.data(), bytes.size());
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

struct stat StatusOf(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

// Whoever runs the tests, as somebody whom rights bind.
class WithoutPrivileges {
 public:
  WithoutPrivileges() {
    constexpr uid_t kNobody = 65534;
    if (was_root_) {
      EXPECT_EQ(::seteuid(kNobody), 0);
    }
  }
  ~WithoutPrivileges() {
    if (was_root_) {
      EXPECT_EQ(::seteuid(0), 0);
    }
  }
  WithoutPrivileges(const WithoutPrivileges&) = delete;
  WithoutPrivileges& operator=(const WithoutPrivileges&) = delete;

 private:
  bool was_root_ = ::geteuid() == 0;
};

class OutputFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path Path(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] std::ptrdiff_t NumFiles() const {
    return std::distance(fs::directory_iterator(folder_.path()), {});
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(OutputFileTest, ANewFileHasTheModeThatTheUmaskLeaves) {
  const mode_t former = ::umask(027);
  Write(Path("new"), "x");
  ::umask(former);
  EXPECT_EQ(StatusOf(Path("new")).st_mode & 07777U, 0640U);  // 0666 without 027
}

TEST_F(OutputFileTest, AReplacedFileKeepsItsMode) {
  Write(Path("private"), "old");
  fs::permissions(Path("private"), fs::perms::owner_read | fs::perms::owner_write);
  const auto inode = StatusOf(Path("private")).st_ino;
  Write(Path("private"), "new");
  EXPECT_EQ(TextOf(Path("private")), "new");
  EXPECT_EQ(StatusOf(Path("private")).st_mode & 07777U, 0600U);
  EXPECT_NE(StatusOf(Path("private")).st_ino, inode);  // renamed: no reader saw a part
  EXPECT_EQ(NumFiles(), 1);
}

TEST_F(OutputFileTest, LinksStayAndLeadToWhatIsWritten) {
  fs::create_directory(Path("deep"));
  fs::create_symlink("deep/second", Path("first"));
  fs::create_symlink("../last", Path("deep/second"));
  Write(Path("first"), "1");  // dangling
  EXPECT_EQ(TextOf(Path("last")), "1");
  Write(Path("first"), "2");
  EXPECT_EQ(TextOf(Path("last")), "2");
  EXPECT_TRUE(fs::is_symlink(Path("first")));
  EXPECT_TRUE(fs::is_symlink(Path("deep/second")));
  EXPECT_FALSE(fs::is_symlink(Path("last")));
}

TEST_F(OutputFileTest, ALinkToItselfIsRefused) {
  fs::create_symlink("loop", Path("loop"));
  EXPECT_THAT(Refusal(Path("loop")), HasSubstr("cannot be written: Too many levels"));
}

TEST_F(OutputFileTest, AFifoIsWrittenThroughAndStaysOne) {
  ASSERT_EQ(::mkfifo(Path("fifo").c_str(), 0600), 0);
  const Descriptor reader(::open(Path("fifo").c_str(), O_RDONLY | O_NONBLOCK));
  Write(Path("fifo"), "through");
  EXPECT_EQ(Drain(reader.number()), "through");
  EXPECT_TRUE(fs::is_fifo(Path("fifo")));
  EXPECT_EQ(NumFiles(), 1);
}

TEST_F(OutputFileTest, AFullDeviceSaysSoAndStaysADevice) {
  // Through a link: were the device itself replaced, the machine would be without it.
  fs::create_symlink("/dev/full", Path("full"));
  EXPECT_THAT(Refusal(Path("full")), HasSubstr("full: cannot be written: No space left on device"));
  EXPECT_TRUE(fs::is_symlink(Path("full")));
  EXPECT_TRUE(fs::is_character_file(Path("full")));
}

TEST_F(OutputFileTest, FoldersAndSocketsAreRefused) {
  EXPECT_THAT(Refusal(Path("")), HasSubstr("found a folder"));
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  Path("socket").string().copy(address.sun_path, sizeof(address.sun_path) - 1);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of sockets
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  ASSERT_EQ(::bind(socket.number(), name, sizeof(address)), 0);
  EXPECT_THAT(Refusal(Path("socket")), HasSubstr("found a socket"));
}

TEST_F(OutputFileTest, APlantedLinkUnderATemporaryNameIsNotFollowed) {
  Write(Path("victim"), "whole");
  fs::create_symlink("victim", Path("out.part" + std::to_string(::getpid()) + "-0"));
  Write(Path("out"), "x");
  EXPECT_EQ(TextOf(Path("victim")), "whole");
  EXPECT_EQ(TextOf(Path("out")), "x");
}

TEST_F(OutputFileTest, NamesMayBeAsLongAsTheyCan) {
  const fs::path longest = Path(std::string(255, 'n'));
  Write(longest, "1");
  Write(longest, "2");
  EXPECT_EQ(TextOf(longest), "2");
}

TEST_F(OutputFileTest, AFileWithoutTheRightToWriteIsRefused) {
  Write(Path("kept"), "kept");
  fs::permissions(Path("kept"), fs::perms(0444));
  fs::permissions(Path(""), fs::perms(0777));  // it could be renamed onto
  const WithoutPrivileges bound;
  EXPECT_THAT(Refusal(Path("kept")), HasSubstr("cannot be written: Permission denied"));
  EXPECT_THAT(FindOutputProblem(Path("kept")).value_or(""), HasSubstr("Permission denied"));
  EXPECT_EQ(TextOf(Path("kept")), "kept");
}

TEST_F(OutputFileTest, AFileIsOverwrittenWhereNoneMayBePutBesideIt) {
  Write(Path("out"), "a longer text");
  fs::permissions(Path("out"), fs::perms(0666));
  fs::permissions(Path(""), fs::perms(0555));
  const auto inode = StatusOf(Path("out")).st_ino;
  {
    const WithoutPrivileges bound;
    Write(Path("out"), "short");
  }
  fs::permissions(Path(""), fs::perms(0755));
  EXPECT_EQ(TextOf(Path("out")), "short");
  EXPECT_EQ(StatusOf(Path("out")).st_ino, inode);
}

TEST_F(OutputFileTest, AFileOfAnotherOwnerStaysHis) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can be two owners";
  }
  Write(Path("out"), "old");
  fs::permissions(Path("out"), fs::perms(0666));
  fs::permissions(Path(""), fs::perms(0777));
  {
    const WithoutPrivileges bound;
    Write(Path("out"), "new");
  }
  EXPECT_EQ(TextOf(Path("out")), "new");
  EXPECT_EQ(StatusOf(Path("out")).st_uid, 0U);
  EXPECT_EQ(NumFiles(), 1);
}

TEST_F(OutputFileTest, AWriterThatThrowsLeavesTheOldFileAndNoOther) {
  Write(Path("out"), "old");
  EXPECT_THROW(WriteOutputFile(Path("out"), [](std::ostream&) { throw InputError("no"); }),
               InputError);
  EXPECT_EQ(TextOf(Path("out")), "old");
  EXPECT_EQ(NumFiles(), 1);
}

TEST_F(OutputFileTest, APathOfADescriptorGoesToIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const Descriptor reader(ends[0]);
  const Descriptor writer(ends[1]);
  Write("/dev/fd/" + std::to_string(ends[1]), "to the pipe");
  EXPECT_EQ(Drain(ends[0]), "to the pipe");
  EXPECT_THAT(Refusal("/dev/fd/999"), HasSubstr("/dev/fd/999: cannot be written: Bad file"));
}

TEST_F(OutputFileTest, ProblemsAreFoundBeforehand) {
  EXPECT_EQ(FindOutputProblem(Path("new")), std::nullopt);
  EXPECT_EQ(FindOutputProblem("-"), std::nullopt);
  EXPECT_EQ(FindOutputProblem("bare"), std::nullopt);
  EXPECT_THAT(FindOutputProblem("").value_or(""), HasSubstr("expected the name of a file"));
  EXPECT_THAT(FindOutputProblem(Path("")).value_or(""), HasSubstr("found a folder"));
  EXPECT_THAT(FindOutputProblem(Path("no/f")).value_or(""), HasSubstr("does not exist"));
  fs::create_symlink("no/f", Path("dangling"));
  EXPECT_THAT(FindOutputProblem(Path("dangling")).value_or(""), HasSubstr("does not exist"));
}

TEST(DescriptorNamedTest, KnowsTheNamesOfDescriptors) {
  EXPECT_EQ(DescriptorNamed("/dev/stdin"), 0);
  EXPECT_EQ(DescriptorNamed("/dev//stdout"), 1);
  EXPECT_EQ(DescriptorNamed("/dev/fd/63"), 63);
  EXPECT_EQ(DescriptorNamed("/proc/self/fd/2"), 2);
  for (const char* other : {"/dev/null", "/dev/fd/", "/dev/fd/x", "/dev/fd/-1", "stdin", "-", ""}) {
    EXPECT_EQ(DescriptorNamed(other), std::nullopt) << other;
  }
}

TEST(IsStandardOutputTest, HoldsForTheDashAndItsPaths) {
  EXPECT_TRUE(IsStandardOutput("-"));
  EXPECT_TRUE(IsStandardOutput("/dev/stdout"));
  EXPECT_FALSE(IsStandardOutput("./-"));
  EXPECT_FALSE(IsStandardOutput("/dev/stderr"));
  EXPECT_FALSE(IsStandardOutput(""));
}

}  // namespace
}  // namespace opyard

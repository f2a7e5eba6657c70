#include "sim/io/text/text_file.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/io/text/gzip.h"

namespace opyard::sim {
namespace {

using ::testing::HasSubstr;

class TextFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("opyard_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Writes `bytes` as they are.
  std::filesystem::path Raw(const std::string& name, std::string_view bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  static std::string Refusal(const std::filesystem::path& path) {
    try {
      (void)ReadTextFile(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path folder_;
};

TEST_F(TextFileTest, ReadsWhatWasWritten) {
  const std::string text = "grüße\n" + std::string(200000, 'x');
  WriteTextFile(folder_ / "a.json", text);
  WriteTextFile(folder_ / "a.json.gz", text);
  EXPECT_EQ(ReadTextFile(folder_ / "a.json"), text);
  EXPECT_EQ(ReadTextFile(folder_ / "a.json.gz"), text);
  EXPECT_LT(std::filesystem::file_size(folder_ / "a.json.gz"), 2000U);
}

TEST_F(TextFileTest, WritingLeavesNoOtherFile) {
  WriteTextFile(folder_ / "a.json", "1");
  WriteTextFile(folder_ / "a.json", "2");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
  EXPECT_EQ(ReadTextFile(folder_ / "a.json"), "2");
}

TEST_F(TextFileTest, WritingIntoNothingNamesTheFile) {
  try {
    WriteTextFile(folder_ / "missing" / "a.json", "1");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.json: cannot be written: No such file"));
  }
}

TEST_F(TextFileTest, EqualTextsGiveEqualArchives) {
  EXPECT_EQ(Gzip("abc"), Gzip("abc"));
}

TEST_F(TextFileTest, MissingPathAndFolderAreRefused) {
  EXPECT_THAT(Refusal(folder_ / "none.json"), HasSubstr("none.json: found nothing here"));
  EXPECT_THAT(Refusal(folder_), HasSubstr(": found a folder, expected a file"));
  EXPECT_THAT(Refusal(Raw("file", "") / "below"), HasSubstr("found nothing here"));
}

TEST_F(TextFileTest, PackedTextIsRecognisedByItsBytes) {
  EXPECT_EQ(ReadTextFile(Raw("packed.json", Gzip("[1]"))), "[1]");
  EXPECT_THAT(Refusal(Raw("plain.json.gz", "[1]")), HasSubstr("found no gzip data"));
}

TEST_F(TextFileTest, ADeviceThatNeverEndsIsRefusedAtTheLimit) {
  EXPECT_THAT(Refusal("/dev/zero"), HasSubstr("/dev/zero: found more than 512 MiB"));
}

TEST_F(TextFileTest, PackingGoesByNameThroughALinkToo) {
  std::filesystem::create_symlink("far.json", folder_ / "near.json.gz");
  WriteTextFile(folder_ / "near.json.gz", "[1]");
  EXPECT_EQ(ReadTextFile(folder_ / "far.json"), "[1]");
  EXPECT_NE(std::filesystem::file_size(folder_ / "far.json"), 3U);
}

TEST_F(TextFileTest, GzipThatIsCutShortIsRefusedWhereverItIsCut) {
  const std::string packed = Gzip("a text that is long enough to be cut somewhere");
  for (std::size_t size = 2; size < packed.size(); ++size) {
    EXPECT_THAT(Refusal(Raw("cut.json.gz", packed.substr(0, size))), HasSubstr("cut short"))
        << size;
  }
}

TEST_F(TextFileTest, DamagedGzipAndForeignTailAreRefused) {
  std::string packed = Gzip("some text");
  EXPECT_EQ(Gunzip(packed + Gzip("; more"), "f"), "some text; more");
  EXPECT_THAT(Refusal(Raw("tail.gz", packed + "tail")), HasSubstr("expected gzip data"));
  packed[packed.size() - 5] = static_cast<char>(packed[packed.size() - 5] ^ 1);  // in the checksum
  EXPECT_THAT(Refusal(Raw("sum.gz", packed)), HasSubstr("incorrect data check"));
}

TEST_F(TextFileTest, GzipThatUnpacksBeyondTheLimitIsRefused) {
  // 1 MiB of zeros packs to about 1 KiB; 513 members of it go one beyond 512 MiB.
  const std::string member = Gzip(std::string(std::size_t{1} << 20U, '0'));
  std::string bomb;
  for (int i = 0; i < 513; ++i) {
    bomb += member;
  }
  EXPECT_THAT(Refusal(Raw("bomb.json.gz", bomb)), HasSubstr("unpacks beyond 512 MiB"));
}

TEST_F(TextFileTest, PlainFilesBeyondTheLimitAreRefusedUnread) {
  const std::filesystem::path path = Raw("large.json", "");
  std::filesystem::resize_file(path, kLargestTextBytes + 1);  // sparse
  EXPECT_THAT(Refusal(path), HasSubstr("found 536870913 bytes, expected at most 512 MiB"));
}

TEST(EnsureUtf8Test, AcceptsEveryLengthOfCharacter) {
  EXPECT_NO_THROW(EnsureUtf8("a é € 😀 \xf4\x8f\xbf\xbf \xed\x9f\xbf \xee\x80\x80", "f"));
}

TEST(EnsureUtf8Test, RefusesWhatRfc3629Forbids) {
  for (const char* bad : {"\x80",              // a continuation alone
                          "\xc1\xbf",          // overlong, two bytes
                          "\xe0\x9f\xbf",      // overlong, three bytes
                          "\xf0\x8f\xbf\xbf",  // overlong, four bytes
                          "\xed\xa0\x80",      // a surrogate
                          "\xf4\x90\x80\x80",  // beyond U+10FFFF
                          "\xf5\x80\x80\x80",  // beyond any lead byte
                          "\xe2\x82"}) {       // cut short
    EXPECT_THROW(EnsureUtf8(std::string("12345678") + bad, "f"), InputError) << bad;
  }
}

TEST(EnsureUtf8Test, FindsOneControlCharacterAnywhereInAWord) {
  for (std::size_t at = 0; at < 16; ++at) {
    std::string text(16, '~');
    EXPECT_NO_THROW(EnsureUtf8(text, "f"));
    for (const char bad : {'\0', '\x1f', '\x7f', '\x80'}) {
      text[at] = bad;
      EXPECT_THROW(EnsureUtf8(text, "f"), InputError) << at;
    }
  }
}

TEST(EnsureUtf8Test, NamesLineAndColumn) {
  try {
    EnsureUtf8(std::string("12345678\nabcdefghij\0", 20), "f");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f:2:11: found a NUL byte, expected UTF-8 text");
  }
}

}  // namespace
}  // namespace opyard::sim

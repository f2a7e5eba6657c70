#include "experiments/tracking/event_record.h"

#include <gtest/gtest.h>

namespace opyard::experiments {
namespace {

TEST(EventRecordTest, TheSumIsMaskedCastagnoli) {
  // CRC-32C of "123456789" is 0xe3069283 (the check value of the Rocksoft catalogue); rotated right
  // by 15 bits 0x2507c60d; plus 0xa282ead8.
  EXPECT_EQ(MaskedCrc32c("123456789"), 0xc78ab0e5U);
  // RFC 3720, B.4: 32 bytes of zero have 0x8a9136aa; rotated 0x6d551522.
  EXPECT_EQ(MaskedCrc32c(std::string(32, '\0')), 0x0fd7fffaU);
}

TEST(EventRecordTest, ARecordIsItsLengthAndDataEachWithItsSum) {
  const std::string record = VersionRecord(0.0);
  // Tag and 8 bytes of wall_time, tag, length and 13 bytes of "brain.Event:2": 24 bytes.
  ASSERT_EQ(record.size(), 8U + 4U + 24U + 4U);
  EXPECT_EQ(record.substr(0, 8), std::string("\x18\0\0\0\0\0\0\0", 8));
  const auto sum_at = [&](std::size_t at) {
    std::uint32_t sum = 0;
    for (std::size_t i = 4; i-- > 0;) {
      sum = sum << 8 | static_cast<unsigned char>(record[at + i]);
    }
    return sum;
  };
  EXPECT_EQ(sum_at(8), MaskedCrc32c(record.substr(0, 8)));
  EXPECT_EQ(sum_at(36), MaskedCrc32c(record.substr(12, 24)));
  EXPECT_EQ(record.substr(23, 13), "brain.Event:2");
}

TEST(EventRecordTest, ScalarsAreEncodedAsTheirMessageSays) {
  const std::string record =
      ScalarsRecord({.step = 300, .unix_time_s = 1.0}, {{"ab", 0.5}, {"c", -2.0}});
  const std::string data = record.substr(12, record.size() - 16);
  // wall_time 1.0; step 300 = 0xac 0x02; summary of 9 + 2 and 8 + 2 bytes: a value has its tag
  // (field 1, a text) and its number (field 2, four bytes): 0.5 is 0x3f000000, -2 is 0xc0000000.
  EXPECT_EQ(data,
            std::string("\x09\0\0\0\0\0\0\xf0\x3f"
                        "\x10\xac\x02"
                        "\x2a\x15"
                        "\x0a\x09\x0a\x02"
                        "ab"
                        "\x15\0\0\0\x3f"
                        "\x0a\x08\x0a\x01"
                        "c"
                        "\x15\0\0\0\xc0",
                        9 + 3 + 2 + 11 + 10));
}

}  // namespace
}  // namespace opyard::experiments

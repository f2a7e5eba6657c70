#include "sim/io/text/units_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opyard::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(UnitsTextTest, SizesInPowersOfThousandAndOf1024) {
  EXPECT_EQ(ParseSize("3 GB").value, Bytes{3'000'000'000});
  EXPECT_EQ(ParseSize("16 GiB").value, Bytes{17'179'869'184});  // 16 · 2^30
  EXPECT_EQ(ParseSize("5 kB").value, Bytes{5000});
  EXPECT_EQ(ParseSize("7 B").value, Bytes{7});
}

TEST(UnitsTextTest, TheSpaceMayBeLeftOut) {
  EXPECT_EQ(ParseSize("16GiB").value, ParseSize("16   GiB").value);
}

TEST(UnitsTextTest, DecimalFractionsAndExponentsAreExact) {
  EXPECT_EQ(ParseSize("0.3 GB").value, Bytes{300'000'000});
  EXPECT_EQ(ParseSize("1.5 KiB").value, Bytes{1536});
  EXPECT_EQ(ParseSize("1e3 B").value, Bytes{1000});
  EXPECT_EQ(ParseSeconds("10 us").value, 10e-6);
  EXPECT_EQ(SimTime::FromSeconds(ParseSeconds("5.7 us").value.value()), SimTime{5'700'000});
}

TEST(UnitsTextTest, LowerCaseBIsBits) {
  EXPECT_EQ(ParseBytesPerSecond("8 Gb/s").value, 1e9);
  EXPECT_EQ(ParseBytesPerSecond("8 GB/s").value, 8e9);
  EXPECT_EQ(ParseBytesPerSecond("2 GiB/s").value, 2147483648.0);
}

TEST(UnitsTextTest, TimesFromPicosecondsToSeconds) {
  EXPECT_EQ(ParseSeconds("2 s").value, 2.0);
  EXPECT_EQ(ParseSeconds("3 ms").value, 3e-3);
  EXPECT_EQ(ParseSeconds("4 ns").value, 4e-9);
  EXPECT_EQ(ParseSeconds("5 ps").value, 5e-12);
  EXPECT_EQ(ParseSeconds("0 us").value, 0.0);
}

TEST(UnitsTextTest, FlopRates) {
  EXPECT_EQ(ParseFlopsPerSecond("15.7 TFLOP/s").value, 15.7e12);
  EXPECT_EQ(ParseFlopsPerSecond("2 PFLOP/s").value, 2e15);
}

TEST(UnitsTextTest, ABareNumberIsRefusedWithAnExample) {
  EXPECT_THAT(ParseSize("16").problem, AllOf(HasSubstr("bare number \"16\""), HasSubstr("16 GiB")));
  EXPECT_THAT(ParseSeconds("0").problem, AllOf(HasSubstr("bare number"), HasSubstr("5 us")));
}

TEST(UnitsTextTest, AmbiguousUnitsAreRefusedWithBothReadings) {
  EXPECT_THAT(ParseSize("5 KB").problem, AllOf(HasSubstr("kB"), HasSubstr("KiB")));
  EXPECT_THAT(ParseSize("5 G").problem, AllOf(HasSubstr("GB"), HasSubstr("GiB")));
  EXPECT_THAT(ParseBytesPerSecond("5 Gbps").problem, AllOf(HasSubstr("Gb/s"), HasSubstr("GB/s")));
}

TEST(UnitsTextTest, ARateWithoutPerSecondIsRefusedWithAHint) {
  EXPECT_THAT(ParseBytesPerSecond("900 GB").problem, HasSubstr("write GB/s"));
  EXPECT_THAT(ParseFlopsPerSecond("15 TFLOPS").problem, HasSubstr("write TFLOP/s"));
}

TEST(UnitsTextTest, AnUnknownUnitListsTheKnownOnes) {
  EXPECT_THAT(ParseSeconds("5 parsec").problem,
              AllOf(HasSubstr("unknown unit \"parsec\""), HasSubstr("s, ms, us, ns, ps")));
}

TEST(UnitsTextTest, TheGreekMicroIsRefusedWithAHint) {
  EXPECT_THAT(ParseSeconds("5 \u00b5s").problem, HasSubstr("write us"));
}

TEST(UnitsTextTest, NegativeInfiniteAndNoNumbersAreRefused) {
  EXPECT_THAT(ParseSize("-1 GB").problem, HasSubstr("negative"));
  for (const char* text : {"", "GB", "inf GB", "nan GB", "+1 GB", ".5 GB", "one GB", "1..5 GB"}) {
    EXPECT_FALSE(ParseSize(text).value.has_value()) << text;
    EXPECT_FALSE(ParseSize(text).problem.empty()) << text;
  }
}

TEST(UnitsTextTest, NumbersBeyondTheirTypeAreRefused) {
  EXPECT_FALSE(ParseSize("1e30 B").value.has_value());
  EXPECT_FALSE(ParseSize("1e400 GB").value.has_value());
  EXPECT_FALSE(ParseSize("5000 PiB").value.has_value());  // 2^62 bytes are 4096 PiB
  EXPECT_TRUE(ParseSize("4096 PiB").value.has_value());
  EXPECT_FALSE(ParseSeconds("4600001 s").value.has_value());
  EXPECT_FALSE(ParseBytesPerSecond("1e300 TB/s").value.has_value());
}

TEST(UnitsTextTest, APartOfAByteIsRefused) {
  EXPECT_THAT(ParseSize("0.5 B").problem, HasSubstr("whole number"));
}

}  // namespace
}  // namespace opyard::sim

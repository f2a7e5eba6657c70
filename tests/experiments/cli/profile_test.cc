// `opyard profile diff`, and the drawing of `opyard profile show`.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RunCommand;
using testing::Workplace;

TEST(ProfileDiffTest, EqualProfilesHaveStatusZeroAndPrintNothing) {
  const Ended ended = RunCommand({"profile", "diff", "p100x2-pcie", "p100x2-pcie"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, IsEmpty());
}

TEST(ProfileDiffTest, PrintsWhatOneHasAndWhatChanged) {
  const Ended ended = RunCommand({"profile", "diff", "p100x2-pcie", "p100x4-pcie"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("+ devices.gpu2\n"));
  EXPECT_THAT(ended.out, HasSubstr("~ links.uplink0: between: [plx0, cpu0] -> [plx0, root]\n"));
}

TEST(ProfileDiffTest, JsonHasNumbersInBaseUnits) {
  const Ended ended = RunCommand({"profile", "diff", "p100-pcie-16gb", "p100-sxm2-16gb", "--json"});
  EXPECT_EQ(ended.status, 1);
  const nlohmann::json json = ended.Json();
  EXPECT_EQ(json.at("equal"), false);
  // the SXM2 module has 10.6 TFLOP/s, the card 9.3
  const auto& changes = json.at("changes");
  const auto peak = std::ranges::find_if(
      changes, [](const nlohmann::json& change) { return change.at("key") == "peak_flops.f32"; });
  ASSERT_NE(peak, changes.end());
  EXPECT_EQ(peak->at("section"), nullptr);
  EXPECT_EQ(peak->at("unit"), "FLOP/s");
  EXPECT_EQ(peak->at("before"), 9.3e12);
  EXPECT_EQ(peak->at("after"), 10.6e12);
}

TEST(ProfileDiffTest, ADeviceAndAMachineAreBadInput) {
  const Ended ended = RunCommand({"profile", "diff", "p100-pcie-16gb", "p100x2-pcie"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("found a device and a machine, expected two"));
}

TEST(ProfileDiffTest, AnUnknownProfileIsBadInput) {
  EXPECT_EQ(RunCommand({"profile", "diff", "p100x2-pcie", "nowhere.yaml"}).status, 2);
}

TEST(ProfileShowTest, DrawsAMachine) {
  const Workplace place;
  const std::string file = place.Path("dgx1.svg");
  const Ended ended = RunCommand({"profile", "show", "v100x8-dgx1", "--svg", file});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("bandwidth [GB/s]"));
  std::ifstream drawing(file);
  const std::string svg(std::istreambuf_iterator<char>(drawing), {});
  EXPECT_THAT(svg, HasSubstr(">gpu7</text>"));
  EXPECT_THAT(svg, HasSubstr(">47.9 GB/s, 10 us: 8 links</text>"));
  EXPECT_THAT(svg, HasSubstr("</svg>"));
}

// Remade by `opyard profile show v100x8-dgx1 --svg docs/pictures/v100x8-dgx1.svg`.
TEST(ProfileShowTest, ThePictureOfThePageIsTheDrawing) {
  std::ifstream picture("docs/pictures/v100x8-dgx1.svg");
  EXPECT_EQ(RunCommand({"profile", "show", "v100x8-dgx1", "--svg", "-"}).out,
            std::string(std::istreambuf_iterator<char>(picture), {}));
}

TEST(ProfileShowTest, TheDrawingMayTakeStandardOutput) {
  const Ended ended = RunCommand({"profile", "show", "gh200x1", "--svg", "-"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_THAT(ended.out, HasSubstr("<svg "));
  EXPECT_THAT(ended.out, Not(HasSubstr("launch_overhead")));
  EXPECT_THAT(ended.err, HasSubstr("grace-cpu"));
}

TEST(ProfileShowTest, ADeviceHasNoDrawing) {
  const Ended ended = RunCommand({"profile", "show", "p100-pcie-16gb", "--svg", "-"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("found a device, expected a machine"));
}

TEST(ProfileShowTest, NamesAreEscapedInTheDrawing) {
  const Workplace place;
  place.Write("machines/odd.yaml",
              "schema_version: 1\nname: a<b&c\ndevices:\n"
              "  - {name: d, type: p100-pcie-16gb}\n");
  const Ended ended =
      RunCommand({"profile", "show", place.Path("machines/odd.yaml"), "--svg", "-"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(">a&lt;b&amp;c</text>"));
}

}  // namespace
}  // namespace opyard::experiments

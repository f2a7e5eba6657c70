// Wrong keys and values of the blocks of kernels in a device's `cost`.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/io/machine/profile_files.h"

namespace opyard::sim {
namespace {

using opyard::testing::kSmallDevice;
using opyard::testing::kSmallMachine;
using opyard::testing::ProfileFiles;
using ::testing::HasSubstr;

struct BadCost {
  const char* name;
  const char* cost;  // in place of the block
  const char* problem;
};

class CostBlocksTest : public ::testing::TestWithParam<BadCost> {};

TEST_P(CostBlocksTest, IsRefusedWithItsPlace) {
  const BadCost& bad = GetParam();
  const std::string device = kSmallDevice + "cost: {" + bad.cost + "}\n";
  const std::string problems = ProfileFiles(kSmallMachine, device).DeviceProblems();
  EXPECT_THAT(problems, HasSubstr(bad.problem));
  EXPECT_THAT(problems, HasSubstr("small.yaml:"));
}

INSTANTIATE_TEST_SUITE_P(
    All,
    CostBlocksTest,
    ::testing::Values(
        BadCost{"TileText", "gemm: {f32: {tiles: [big]}}", "found \"big\", expected ROWSxCOLUMNS"},
        BadCost{
            "TileOfZero", "gemm: {f32: {tiles: [0x64]}}", "found \"0x64\", expected ROWSxCOLUMNS"},
        BadCost{"TileWithoutEnd",
                "gemm: {f32: {tiles: [64x]}}",
                "found \"64x\", expected ROWSxCOLUMNS"},
        BadCost{"TileTooLarge",
                "gemm: {f32: {tiles: [64x65537]}}",
                "found \"64x65537\", expected ROWSxCOLUMNS"},
        BadCost{"TileOfThree",
                "gemm: {f32: {tiles: [64x64x64]}}",
                "found \"64x64x64\", expected ROWSxCOLUMNS"},
        BadCost{"TilesNoList", "gemm: {f32: {tiles: 64x64}}", "tiles"},
        BadCost{"SplitWithoutUnit", "gemm: {f32: {split_overhead: 3}}", "a bare number"},
        BadCost{
            "Quantize", "gemm: {f32: {quantize_bandwidth: 0 GB/s}}", "quantize_bandwidth is zero"},
        BadCost{"ComputeUnits", "compute_units: 0", "found \"0\", expected"},
        BadCost{"StrideLoss", "conv: {f32: {forward: {stride_loss: -1}}}", "found \"-1\""},
        BadCost{"AttentionPass",
                "attention: {f32: {sideways: {}}}",
                "unknown key \"sideways\" in attention block"},
        BadCost{"RnnDType", "rnn: {f33: {}}", "unknown key \"f33\" in rnn"},
        BadCost{"RnnKey", "rnn: {f32: {forward: {h_q: 1}}}", "unknown key \"h_q\" in rnn pass"},
        BadCost{"Traffic",
                "types: {Add: {traffic: 0}}",
                "found \"0\", expected a number from 0.01 to 100"},
        BadCost{"TypeName", "types: {'a b': {}}", "a b"},
        BadCost{"TypeKey", "types: {Add: {bytes: 2}}", "unknown key \"bytes\" in type block"},
        BadCost{"KernelQ",
                "conv: {f32: {forward: {softmax_q: 0.5}}}",
                "expected a number from 1 to 1e+06"}),
    [](const auto& bad) { return std::string(bad.param.name); });

}  // namespace
}  // namespace opyard::sim

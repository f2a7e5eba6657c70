// `opyard plan export`.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/graph/graph_json.h"
#include "sim/io/text/text_file.h"
#include "tests/experiments/workplace.h"
#include "tests/support/block_network.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

// Two blocks on two devices.
class PlanExportTest : public ::testing::Test {
 protected:
  PlanExportTest() {
    const auto graph = opyard::testing::MakeBlockNetwork({.num_blocks = 2, .has_backward = false});
    place_.Write("blocks.graph.json", sim::WriteGraphText(*graph));
    nlohmann::json placement = nlohmann::json::array();
    for (const DeviceId device :
         opyard::testing::PlacedByModule(*graph, {{"", 1}, {"embed", 0}, {"layers.0", 0}})) {
      placement.push_back("gpu" + std::to_string(device.value));
    }
    plan_ = {{"format", "opyard-plan/1"}, {"queue", "program"}, {"placement", placement}};
  }

  [[nodiscard]] Ended Export(std::vector<std::string> args) const {
    args.insert(args.begin(),
                {"plan",
                 "export",
                 place_.Write("p.plan.json", plan_.dump()),
                 "--graph",
                 place_.Path("blocks.graph.json"),
                 "--hardware",
                 place_.Path("machines/two.yaml")});
    return RunCommand(args);
  }

  Workplace place_;
  nlohmann::json plan_;
};

TEST_F(PlanExportTest, PrintsTheFileAndSaysWhatItTakes) {
  const Ended ended = Export({"--to", "accelerate"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json(),
            nlohmann::json({{"embed", 0}, {"layers.0", 0}, {"layers.1", 1}, {"head", 1}}));
  EXPECT_THAT(ended.err, HasSubstr("\nas accelerate runs it: completed: "));
  EXPECT_THAT(ended.err, HasSubstr("main_device=0"));
}

TEST_F(PlanExportTest, WritesFilesIntoAFolder) {
  const std::string out = place_.Path("layout");
  const Ended ended = Export({"--to", "vllm", "--out", out});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(sim::ReadTextFile(out + "/vllm.env"), "VLLM_PP_LAYER_PARTITION=1,1\n");
  EXPECT_THAT(ended.out, HasSubstr("vllm-arguments.txt\n"));
}

TEST_F(PlanExportTest, SeveralFilesArePrintedWithTheirNames) {
  EXPECT_EQ(Export({"--to", "vllm"}).out,
            "==> vllm.env <==\nVLLM_PP_LAYER_PARTITION=1,1\n"
            "==> vllm-arguments.txt <==\n--pipeline-parallel-size 2\n");
}

TEST_F(PlanExportTest, NamesWhatCannotBeExpressedAndWritesNothing) {
  plan_["placement"].back() = "gpu0";  // the loss, which reads the head on gpu1
  const std::string out = place_.Path("layout");
  const Ended ended = Export({"--to", "accelerate", "--out", out});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("accelerate cannot express:\n  the network: its own op loss"));
  EXPECT_THAT(ended.out, HasSubstr("nothing written; --nearest writes"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(PlanExportTest, TheNearestPlanIsComparedWithThePlan) {
  plan_["placement"].back() = "gpu0";
  const Ended ended = Export({"--to", "accelerate", "--nearest", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const nlohmann::json json = ended.Json();
  EXPECT_EQ(json.at("inexpressible").size(), 1U);
  EXPECT_EQ(json.at("moves"),
            nlohmann::json({{{"module", ""}, {"device", "gpu0"}, {"ops", 1}, {"all_ops", 2}},
                            {{"module", ""}, {"device", "gpu1"}, {"ops", 1}, {"all_ops", 2}}}));
  EXPECT_EQ(json.at("files").at(0).at("name"), "device_map.json");
  EXPECT_LT(json.at("as_exported").at("makespan_s"), json.at("plan").at("makespan_s"));
}

TEST_F(PlanExportTest, WrongWordsAreRefused) {
  EXPECT_EQ(Export({"--to", "slurm"}).status, 2);
  EXPECT_THAT(Export({"--to", "python", "--names", "gpu0"}).err,
              HasSubstr("--names: found \"gpu0\", expected DEVICE=NAME"));
  EXPECT_THAT(Export({"--to", "python", "--names", "gpu7=cpu"}).err,
              HasSubstr("device \"gpu7\" does not exist"));
  EXPECT_THAT(Export({"--to", "onnxruntime", "--onnx", "m.onnx"}).err,
              HasSubstr("by the Python package"));
  EXPECT_THAT(Export({"--to", "vllm", "--schedule", "1f1b"}).err,
              HasSubstr("--schedule: found one, expected none"));
}

}  // namespace
}  // namespace opyard::experiments

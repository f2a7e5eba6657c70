// Machines whose devices share a memory, as commands show them.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/store/fingerprint.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

using testing::Ended;
using ::testing::HasSubstr;
using testing::RunCommand;
using testing::Workplace;

// x and y move 400 MB in 4 ms each, all that the memory can, and hold 0.75 GiB meanwhile.
constexpr const char* kMovingGraph =
    R"({"format": "opyard-graph/1", "name": "toy", "ops": [
  {"name": "x", "type": "Custom", "outputs": [{"bytes": 805306368}], "bytes_accessed": 400000000,
   "seconds": {"*": 0.004}},
  {"name": "y", "type": "Custom", "outputs": [{"bytes": 805306368}], "bytes_accessed": 400000000,
   "seconds": {"*": 0.004}}]})";

std::string SharedMachine(const std::string& memory) {
  return "schema_version: 1\nname: soc\nmemory_pools:\n  - {name: ram, memory: " + memory +
         ", bandwidth: 100 GB/s}\ndevices:\n  - {name: gpu, type: tiny, count: 2, memory_pool: "
         "ram}\nlinks:\n  - {name: cable, between: [gpu0, gpu1], bandwidth: 1 GB/s}\n";
}

// `command` on the graph above and a machine whose two devices have `memory` together.
Ended RunOnShared(const std::string& command,
                  const std::string& memory,
                  const std::vector<std::string>& more) {
  const Workplace place;
  std::vector<std::string> args = {command,
                                   "--graph",
                                   place.Write("toy.graph.json", kMovingGraph),
                                   "--hardware",
                                   place.Write("machines/soc.yaml", SharedMachine(memory))};
  if (command == "simulate") {
    args.emplace_back("--plan");
    args.push_back(place.Write("p.plan.json",
                               R"({"format": "opyard-plan/1", "placement": ["gpu0", "gpu1"]})"));
  }
  args.insert(args.end(), more.begin(), more.end());
  return RunCommand(args);
}

TEST(MemoryPoolsTest, SimulateReportsThePeakOfThePool) {
  const nlohmann::json answer = RunOnShared("simulate", "2 GiB", {"--json"}).Json();
  EXPECT_EQ(answer.at("makespan_s"), 0.008);  // 800 MB at 100 GB/s
  EXPECT_EQ(answer.at("devices").at(0).at("peak_memory_bytes"), 805'306'368);
  EXPECT_EQ(answer.at("memory_pools"),
            nlohmann::json::parse(R"([{"name": "ram", "peak_memory_bytes": 1610612736}])"));
  EXPECT_THAT(RunOnShared("simulate", "2 GiB", {}).out,
              HasSubstr("memory pool  peak memory  capacity\n"
                        "ram             1.50 GiB  2.00 GiB\n"));
}

TEST(MemoryPoolsTest, TheCriticalPathNamesTheBandwidth) {
  const std::string out = RunOnShared("simulate", "2 GiB", {"--explain"}).out;
  EXPECT_THAT(out,
              HasSubstr("kernels           4.000000000 ms   50.0 %\n"
                        "memory bandwidth  4.000000000 ms   50.0 %\n"));
  EXPECT_THAT(out, HasSubstr("x runs longer on gpu0, whose memory others use, too"));
  EXPECT_THAT(out, HasSubstr("memory pools twice as fast  4.000 ms"));
}

TEST(MemoryPoolsTest, APoolThatIsFullIsNamedWithWhatItLacks) {
  const Ended ended = RunOnShared("simulate", "1 GiB", {});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("out of memory on gpu1 (memory pool ram)"));
  EXPECT_THAT(ended.out, HasSubstr("needs 1.50 GiB on ram"));
  const nlohmann::json failure = RunOnShared("simulate", "1 GiB", {"--json"}).Json().at("failure");
  EXPECT_EQ(failure.at("memory_pool"), "ram");
  EXPECT_EQ(failure.at("capacity_bytes"), std::int64_t{1} << 30);
}

// In 1 GiB one op after the other fits, on one device or in turns.
TEST(MemoryPoolsTest, SearchesFindPlansThere) {
  const Ended ended =
      RunOnShared("place", "1 GiB", {"--agent", "local_search", "--evaluations", "50", "--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.Json().at("makespan_s"), 0.008);
}

TEST(MemoryPoolsTest, ProfilesShowThem) {
  const Ended shown = RunCommand({"profile", "show", "edge-soc"});
  EXPECT_THAT(shown.out, HasSubstr("lpddr"));
  EXPECT_THAT(shown.out, HasSubstr("204.8  gpu, npu, cpu"));
  const nlohmann::json json = RunCommand({"profile", "show", "edge-soc", "--json"}).Json();
  EXPECT_EQ(json.at("memory_pools").at(0).at("name"), "lpddr");
  EXPECT_EQ(json.at("devices").at(0).at("memory_pool"), "lpddr");
}

TEST(MemoryPoolsTest, TheyAreAPartOfTheFingerprint) {
  const auto machine = sim::LoadMachine("edge-soc");
  sim::HardwareProfile other = *machine;
  other.memory_pools[0].bandwidth_bytes_per_s *= 2.0;
  EXPECT_NE(Fingerprint(*machine), Fingerprint(other));
  other = *machine;
  other.devices[1].memory_pool = sim::Device::kNoMemoryPool;
  EXPECT_NE(Fingerprint(*machine), Fingerprint(other));
}

}  // namespace
}  // namespace opyard::experiments

// One transfer of every shipped machine, computed by hand.
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/hardware/routes.h"
#include "sim/io/machine/profile_yaml.h"

namespace opyard::sim {
namespace {

// Alone on its way: the latencies of its links and its bytes at the rate of the narrowest.
struct Transfer {
  const char* machine;
  const char* src;
  const char* dst;
  double bytes;
  std::int64_t picoseconds;
};

constexpr auto kTransfers = std::to_array<Transfer>({
    // 30 us + 24.7 MB / 24.7 GB/s
    Transfer{"a100x1-pcie", "cpu0", "gpu0", 24.7e6, 1'030'000'000},
    // 30 us + 24.7 MB / 24.7 GB/s
    Transfer{"a100x1-sxm4", "cpu0", "gpu0", 24.7e6, 1'030'000'000},
    // 15 us + 1.2 us + 1.2 us + 15 us + 24.1 MB / 24.1 GB/s
    Transfer{"a100x16-ib", "node0.gpu0", "node1.gpu7", 24.1e6, 1'032'400'000},
    // 2 × 8 us + 248.9 MB / 248.9 GB/s
    Transfer{"a100x8-dgx", "gpu0", "gpu7", 248.9e6, 1'016'000'000},
    // 30 us + 24.7 MB / 24.7 GB/s
    Transfer{"a40x1-pcie", "cpu0", "gpu0", 24.7e6, 1'030'000'000},
    // 20 us + 100 MB / 100 GB/s
    Transfer{"apple-m2-max", "cpu", "gpu", 100e6, 1'020'000'000},
    // 30 us + 49.4 MB / 49.4 GB/s
    Transfer{"b200x1-sxm", "cpu0", "gpu0", 49.4e6, 1'030'000'000},
    // 2 × 4.25 us + 727 MB / 727 GB/s
    Transfer{"b200x8-hgx", "gpu0", "gpu7", 727e6, 1'008'500'000},
    // 2 × 15 us + 10.76 MB / 10.76 GB/s
    Transfer{"baechi-4", "gpu1", "gpu3", 10.76e6, 1'030'000'000},
    // 2 × 0.5 us + 10 MB / 10 GB/s
    Transfer{"cpu-cores-64", "core0", "core63", 10e6, 1'001'000'000},
    // a picosecond for a byte
    Transfer{"doppler-4", "device0", "device1", 3, 3},
    // a picosecond for a byte
    Transfer{"doppler-8", "device0", "device1", 3, 3},
    // 10 us + 60 MB / 60 GB/s
    Transfer{"edge-soc", "gpu", "npu", 60e6, 1'010'000'000},
    // 10 us + 450 MB / 450 GB/s
    Transfer{"gh200x1", "cpu0", "gpu0", 450e6, 1'010'000'000},
    // 5 us + 2 × 5 us + 5 us + 22.9 MB / 22.9 GB/s
    Transfer{"gh200x8-slingshot", "node0.gpu0", "node1.gpu3", 22.9e6, 1'020'000'000},
    // 30 us + 49.4 MB / 49.4 GB/s
    Transfer{"h100x1-pcie", "cpu0", "gpu0", 49.4e6, 1'030'000'000},
    // 30 us + 49.4 MB / 49.4 GB/s
    Transfer{"h100x1-sxm5", "cpu0", "gpu0", 49.4e6, 1'030'000'000},
    // 2 × 4.25 us + 363.5 MB / 363.5 GB/s
    Transfer{"h100x8-hgx", "gpu0", "gpu7", 363.5e6, 1'008'500'000},
    // 30 us + 49.4 MB / 49.4 GB/s
    Transfer{"h200x1-sxm", "cpu0", "gpu0", 49.4e6, 1'030'000'000},
    // 2 × 4.25 us + 363.5 MB / 363.5 GB/s
    Transfer{"h200x8-hgx", "gpu0", "gpu7", 363.5e6, 1'008'500'000},
    // 10.75 us, five switches, 10.75 us + 10 MB / 10 GB/s
    Transfer{"k40x8-pcie", "gpu0", "gpu7", 10e6, 1'021'500'000},
    // 30 us + 12.35 MB / 12.35 GB/s
    Transfer{"k80x1-pcie", "cpu0", "gpu0", 12.35e6, 1'030'000'000},
    // 10.75 us + 0 + 0 + 10.75 us + 10 MB / 10 GB/s
    Transfer{"k80x4-pcie", "gpu0", "gpu3", 10e6, 1'021'500'000},
    // 30 us + 24.7 MB / 24.7 GB/s
    Transfer{"l40sx1-pcie", "cpu0", "gpu0", 24.7e6, 1'030'000'000},
    // 30 us + 24.7 MB / 24.7 GB/s
    Transfer{"l4x1-pcie", "cpu0", "gpu0", 24.7e6, 1'030'000'000},
    // 30 us + 12.35 MB / 12.35 GB/s
    Transfer{"m40x1-pcie", "cpu0", "gpu0", 12.35e6, 1'030'000'000},
    // 30 us + 24.7 MB / 24.7 GB/s
    Transfer{"mi250x-1", "cpu0", "gpu0", 24.7e6, 1'030'000'000},
    // 30 us + 49.4 MB / 49.4 GB/s
    Transfer{"mi300x-1", "cpu0", "gpu0", 49.4e6, 1'030'000'000},
    // 10 us + 64 MB / 64 GB/s
    Transfer{"mi300x-8", "gpu1", "gpu6", 64e6, 1'010'000'000},
    // 30 us + 12.35 MB / 12.35 GB/s
    Transfer{"p100x1-pcie", "cpu0", "gpu0", 12.35e6, 1'030'000'000},
    // 2 × 10.75 us + 50 MB / 10 GB/s = 21.5 us + 5 ms
    Transfer{"p100x2-pcie", "gpu0", "gpu1", 50e6, 5'021'500'000},
    // 19.25 us + 10.75 us + 20 MB / 10 GB/s: the card is the narrowest
    Transfer{"p100x2-pcie", "cpu0", "gpu1", 20e6, 2'030'000'000},
    // 10.75 us + 0 + 0 + 10.75 us + 30 MB / min(10, 12.35) GB/s
    Transfer{"p100x4-pcie", "gpu0", "gpu3", 30e6, 3'021'500'000},
    // the same below one socket
    Transfer{"p100x8-pcie", "gpu4", "gpu7", 30e6, 3'021'500'000},
    // the same across the sockets: QPI has 10.28 GB/s
    Transfer{"p100x8-pcie", "gpu0", "gpu7", 30e6, 3'021'500'000},
    // 9.7 us + 18.5 MB / 18.5 GB/s
    Transfer{"p100x8-sxm2-dgx1", "gpu2", "gpu6", 18.5e6, 1'009'700'000},
    // 30 us + 12.35 MB / 12.35 GB/s
    Transfer{"p40x1-pcie", "cpu0", "gpu0", 12.35e6, 1'030'000'000},
    // 7600 bytes in a microsecond
    Transfer{"placeto-2", "gpu0", "gpu1", 7.6e6, 1'000'000'000},
    // 7600 bytes in a microsecond
    Transfer{"placeto-4", "gpu0", "gpu1", 7.6e6, 1'000'000'000},
    // 7600 bytes in a microsecond
    Transfer{"placeto-8", "gpu0", "gpu1", 7.6e6, 1'000'000'000},
    // 0 us + 7.6 MB / 7.6 GB/s
    Transfer{"placeto-p2-8xlarge", "gpu0", "gpu7", 7.6e6, 1'000'000'000},
    // 1 ms for a megabyte
    Transfer{"processors-16", "processor0", "processor1", 2e6, 2'000'000'000},
    // 1 ms for a megabyte
    Transfer{"processors-2", "processor0", "processor1", 2e6, 2'000'000'000},
    // 1 ms for a megabyte
    Transfer{"processors-4", "processor0", "processor1", 2e6, 2'000'000'000},
    // 1 ms for a megabyte
    Transfer{"processors-8", "processor0", "processor1", 2e6, 2'000'000'000},
    // 30 us + 12.35 MB / 12.35 GB/s
    Transfer{"rtx2080x1-pcie", "cpu0", "gpu0", 12.35e6, 1'030'000'000},
    // 30 us + 24.7 MB / 24.7 GB/s
    Transfer{"rtx3090x1-pcie", "cpu0", "gpu0", 24.7e6, 1'030'000'000},
    // 30 us + 24.7 MB / 24.7 GB/s
    Transfer{"rtx4090x1-pcie", "cpu0", "gpu0", 24.7e6, 1'030'000'000},
    // 2 × 15 us + 24.7 MB / 24.7 GB/s
    Transfer{"rtx4090x2-pcie", "gpu0", "gpu1", 24.7e6, 1'030'000'000},
    // 30 us + 49.4 MB / 49.4 GB/s
    Transfer{"rtxpro6000x1-pcie", "cpu0", "gpu0", 49.4e6, 1'030'000'000},
    // 30 us + 12.35 MB / 12.35 GB/s
    Transfer{"t4x1-pcie", "cpu0", "gpu0", 12.35e6, 1'030'000'000},
    // a row and a column on: 2 × 1 us + 50 MB / 50 GB/s
    Transfer{"tpu-v5e-4x8", "tpu0", "tpu9", 50e6, 1'002'000'000},
    // 21.5 us + 12.35 MB / 12.35 GB/s
    Transfer{"v100-t4-cpu", "v100", "t4", 12.35e6, 1'021'500'000},
    // 30 us + 12.35 MB / 12.35 GB/s
    Transfer{"v100x1-pcie", "cpu0", "gpu0", 12.35e6, 1'030'000'000},
    // two NVLink bricks: 10 us + 95.8 MB / 47.9 GB/s
    Transfer{"v100x8-dgx1", "gpu0", "gpu3", 95.8e6, 2'010'000'000},
    // no NVLink: 2 × 10.75 us + 102.8 MB / 10.28 GB/s of QPI
    Transfer{"v100x8-dgx1", "gpu0", "gpu7", 102.8e6, 10'021'500'000},
    // 10.75 us + 2 × 1.15 us + 10.75 us + 12.075 MB / 12.075 GB/s
    Transfer{"v100x8-edr", "node0.gpu1", "node1.gpu2", 12.075e6, 1'023'800'000},
});

TEST(ShippedTransfersTest, TakeTheirLatencyAndTheirBytesAtTheNarrowestRate) {
  for (const Transfer& transfer : kTransfers) {
    const auto profile = LoadMachine(transfer.machine);
    const RouteTable routes(*profile);
    const Route* route = routes.Find(profile->FindDevice(transfer.src).value(),
                                     profile->FindDevice(transfer.dst).value());
    ASSERT_NE(route, nullptr) << transfer.machine;
    EXPECT_EQ(route->latency + SimTime::FromSeconds(transfer.bytes / route->bandwidth_bytes_per_s),
              SimTime{transfer.picoseconds})
        << transfer.machine << ": " << transfer.src << " to " << transfer.dst;
  }
}

TEST(ShippedTransfersTest, AreOfEveryMachineThatHasLinks) {
  std::set<std::string> expected;
  for (const ShippedProfile& profile : ListShippedProfiles()) {
    if (profile.is_machine && !ReadMachineFile(profile.path).machine->links.empty()) {
      expected.insert(profile.name);
    }
  }
  std::set<std::string> found;
  for (const Transfer& transfer : kTransfers) {
    found.insert(transfer.machine);
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace opyard::sim

// docs/formats.md names every key that the readers of device and machine files know.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/data_root.h"
#include "sim/base/error.h"
#include "sim/io/machine/profile_yaml.h"
#include "tests/support/temporary_folder.h"

namespace opyard::sim {
namespace {

using ::testing::Contains;

// Every map holds a key that is nobody's, so that its reader lists those that it knows.
constexpr const char* kDevice = R"(schema_version: 1
name: tiny
kind: gpu
memory: 1 GiB
memory_bandwidth: 1 GB/s
peak_flops: {f32: 1 TFLOP/s, nobodys_key: 1}
cost:
  nobodys_key: 1
  gemm: {f32: {nobodys_key: 1}}
  conv: {f32: {nobodys_key: 1, forward: {nobodys_key: 1}}}
  l2: {size: 1 MiB, bandwidth: 1 GB/s, nobodys_key: 1}
  rnn: {nobodys_key: 1}
  classes: {nobodys_key: 1, heavy: {nobodys_key: 1}}
provenance: {memory: {kind: datasheet, source: s, nobodys_key: 1}}
nobodys_key: 1
)";
constexpr const char* kMachine = R"(schema_version: 1
name: two
devices: [{name: gpu, type: tiny, count: 2, nobodys_key: 1}]
links: [{name: l, between: [gpu0, gpu1], bandwidth: 1 GB/s, nobodys_key: 1}]
routes: [{from: gpu0, to: gpu1, via: [l], nobodys_key: 1}]
execution: {nobodys_key: 1}
fusion: {nobodys_key: 1}
transfers: {nobodys_key: 1}
memory: {nobodys_key: 1}
nobodys_key: 1
)";

// The keys in "unknown key … in WHAT, expected one of KEY, KEY".
std::set<std::string> KeysIn(const std::string& problems) {
  static const std::regex list("expected one of ([a-z0-9_, ]+)");
  static const std::regex word("[a-z0-9_]+");
  std::set<std::string> keys;
  for (std::sregex_iterator found(problems.begin(), problems.end(), list), end; found != end;
       ++found) {
    const std::string names = (*found)[1];
    keys.insert(std::sregex_token_iterator(names.begin(), names.end(), word),
                std::sregex_token_iterator());
  }
  return keys;
}

template <class Read>
std::set<std::string> KnownKeys(const Read& read, std::ptrdiff_t num_maps) {
  try {
    static_cast<void>(read());
  } catch (const InputError& error) {
    const std::string problems = error.what();
    EXPECT_EQ(std::count(problems.begin(), problems.end(), '\n') + 1, num_maps) << problems;
    return KeysIn(problems);
  }
  return {};
}

// The part of the page that is about devices and machines.
std::string ProfileSection() {
  std::ifstream file(DataRoot() / "docs" / "formats.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const std::size_t begin = page.find("## Device and machine");
  return page.substr(begin, page.find("\n## ", begin) - begin);
}

TEST(FormatsPageTest, NamesEveryKeyOfDeviceAndMachineFiles) {
  const opyard::testing::TemporaryFolder folder;
  const auto device = folder.Write("devices/tiny.yaml", kDevice);
  std::set<std::string> keys = KnownKeys([&] { return ReadDeviceFile(device); }, 11);
  EXPECT_THAT(keys, Contains("winograd_gain"));
  folder.Write("devices/tiny.yaml",
               "schema_version: 1\nname: tiny\nkind: gpu\nmemory: 1 GiB\n"
               "memory_bandwidth: 1 GB/s\npeak_flops: {f32: 1 TFLOP/s}\n");
  const auto machine = folder.Write("machines/two.yaml", kMachine);
  keys.merge(KnownKeys([&] { return ReadMachineFile(machine); }, 8));
  EXPECT_THAT(keys, Contains("trailing_gaps_count"));
  const std::string page = ProfileSection();
  for (const std::string& key : keys) {
    EXPECT_TRUE(std::regex_search(page, std::regex("`[^`]*\\b" + key + "\\b[^`]*`"))) << key;
  }
}

}  // namespace
}  // namespace opyard::sim

// docs/formats.md names every key and word that the readers of graphs, plans, devices and machines
// know, and the range of every number.
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/data_root.h"
#include "sim/base/error.h"
#include "sim/io/graph/graph_json.h"
#include "sim/io/machine/profile_yaml.h"
#include "sim/io/plan/plan_json.h"
#include "tests/support/small_graphs.h"
#include "tests/support/temporary_folder.h"

namespace opyard::sim {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

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
nodes: [{name: box, devices: [{name: cpu, type: tiny}], nobodys_key: 1}]
links:
  - {name: l, between: [gpu0, gpu1], bandwidth: 1 GB/s, nobodys_key: 1}
  - {name: m, topology: torus, between: [gpu0, gpu1], shape: [2], bandwidth: 1 GB/s, nobodys_key: 1}
  - name: n
    topology: fat-tree
    between: [gpu0, gpu1]
    shape: [2]
    bandwidth: 1 GB/s
    uplink: {bandwidth: 1 GB/s, nobodys_key: 1}
    nobodys_key: 1
  - {name: o, topology: cube-mesh, between: [gpu0, gpu1], bandwidth: 1 GB/s, nobodys_key: 1}
routes: [{from: gpu0, to: gpu1, via: [l], nobodys_key: 1}]
execution: {nobodys_key: 1}
fusion: {nobodys_key: 1}
transfers: {nobodys_key: 1}
memory: {nobodys_key: 1}
nobodys_key: 1
)";
constexpr const char* kGraph =
    R"({"format": "opyard-graph/1", "name": "g", "nobodys_key": 1, "ops": [
 {"name": "a", "type": "t", "outputs": [{"bytes": 1, "nobodys_key": 1}], "nobodys_key": 1,
  "gemm": {"m": 1, "n": 1, "k": 1, "nobodys_key": 1}},
 {"name": "b", "type": "t", "conv": {"n": 1, "c": 1, "h": 1, "w": 1, "k": 1, "r": 1, "s": 1,
                                     "nobodys_key": 1}},
 {"name": "c", "type": "t", "rnn": {"hidden": 1, "batch": 1, "timesteps": 1, "nobodys_key": 1}}]})";
constexpr const char* kPlan = R"({"format": "opyard-plan/1", "placement": ["d0"], "nobodys_key": 1,
 "transfer_priority": [{"op": 0, "output": 0, "device": "d0", "priority": 1, "nobodys_key": 1}]})";

template <class Read>
std::string ProblemsOf(const Read& read) {
  try {
    static_cast<void>(read());
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// The first group of each match of `pattern`, taken apart into words.
std::set<std::string> WordsIn(const std::string& problems, const char* pattern) {
  static const std::regex word("[a-z0-9_]+");
  const std::regex list(pattern);
  std::set<std::string> words;
  for (std::sregex_iterator found(problems.begin(), problems.end(), list), end; found != end;
       ++found) {
    const std::string names = (*found)[1];
    words.insert(std::sregex_token_iterator(names.begin(), names.end(), word),
                 std::sregex_token_iterator());
  }
  return words;
}

// The keys in "unknown key … in WHAT, expected one of KEY, KEY" and "… "x", expected KEY, KEY".
template <class Read>
std::set<std::string> KnownKeys(const Read& read, std::ptrdiff_t num_maps) {
  const std::string problems = ProblemsOf(read);
  EXPECT_EQ(std::ranges::count(problems, '\n') + 1, num_maps) << problems;
  return WordsIn(problems, "expected (?:one of )?([a-z0-9_, ]+)");
}

// The part of the page whose heading begins with `heading`.
std::string Section(const std::string& heading) {
  std::ifstream file(DataRoot() / "docs" / "formats.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const std::size_t begin = page.find("\n## " + heading);
  return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

// The lines of `text` that hold `first` and `second`.
std::vector<std::string> LinesWith(const std::string& text,
                                   const std::string& first,
                                   const std::string& second) {
  std::istringstream lines(text);
  std::vector<std::string> found;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(first) != std::string::npos && line.find(second) != std::string::npos) {
      found.push_back(line);
    }
  }
  return found;
}

// Each stands between backquotes, perhaps beside others.
void ExpectNamed(const std::set<std::string>& keys, const std::string& section) {
  for (const std::string& key : keys) {
    EXPECT_TRUE(std::regex_search(section, std::regex("`[^`]*\\b" + key + "\\b[^`]*`"))) << key;
  }
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
  keys.merge(KnownKeys([&] { return ReadMachineFile(machine); }, 14));
  EXPECT_THAT(keys, Contains("trailing_gaps_count"));
  ExpectNamed(keys, Section("Device and machine"));
}

TEST(FormatsPageTest, NamesEveryKeyOfGraphs) {
  const auto keys = KnownKeys([] { return ReadGraphText(kGraph, "page.graph.json"); }, 6);
  EXPECT_THAT(keys, Contains("stride_w"));
  EXPECT_THAT(keys, Contains("measured"));
  ExpectNamed(keys, Section("Graph"));
}

// In its example.
TEST(FormatsPageTest, NamesEveryKeyOfPlans) {
  const auto graph = testing::MakeGraph({{.name = "a", .type = "Relu", .outputs = {{}}}});
  const HardwareProfile machine = testing::MeshMachine(1);
  const auto keys =
      KnownKeys([&] { return ReadPlanText(kPlan, "page.plan.json", *graph, machine); }, 2);
  EXPECT_THAT(keys, Contains("fusion_priority"));
  for (const std::string& key : keys) {
    EXPECT_THAT(Section("Plan"), HasSubstr('"' + key + '"'));
  }
}

// A field with a value that its reader refuses, saying what it takes.
struct Field {
  const char* key;
  const char* text;
};

// The messages of the readers about a file with the field and little else.
std::string ProblemsOfDevice(const Field& field) {
  const opyard::testing::TemporaryFolder folder;
  const auto path =
      folder.Write("d.yaml", std::string("schema_version: 1\nname: d\n") + field.text);
  return ProblemsOf([&] { return ReadDeviceFile(path); });
}
std::string ProblemsOfMachine(const Field& field) {
  const opyard::testing::TemporaryFolder folder;
  const auto path =
      folder.Write("m.yaml", std::string("schema_version: 1\nname: m\n") + field.text);
  return ProblemsOf([&] { return ReadMachineFile(path); });
}
std::string ProblemsOfOp(const Field& field) {
  const std::string op = std::string(R"({"name": "a", "type": "t", )") + field.text + "}";
  const std::string text = R"({"format": "opyard-graph/1", "name": "g", "ops": [)" + op + "]}";
  return ProblemsOf([&] { return ReadGraphText(text, "page.graph.json"); });
}

// "from 1 to 65536".
std::string RangeIn(const std::string& problems) {
  static const std::regex range("expected a (?:whole )?number (from [^ ]+ to [^ \n]+)");
  std::smatch found;
  return std::regex_search(problems, found, range) ? std::string(found[1])
                                                   : "no range: " + problems;
}

constexpr auto kNumbersOfDevices = std::to_array<Field>({
    {"softmax_q", "cost: {softmax_q: []}"},
    {"e_max", "cost: {gemm: {f32: {e_max: []}}}"},
    {"h_m", "cost: {gemm: {f32: {h_m: []}}}"},
    {"winograd_gain", "cost: {conv: {f32: {forward: {winograd_gain: []}}}}"},
    {"median_error", "provenance: {memory: {kind: fitted, source: s, median_error: []}}"},
});
constexpr auto kFractionsOfDevices = std::to_array<Field>({
    {"sustained_fraction", "cost: {sustained_fraction: {f32: []}}"},
    {"default_sustained_fraction", "cost: {default_sustained_fraction: []}"},
    {"memory_efficiency", "cost: {memory_efficiency: []}"},
    {"classes", "cost: {classes: {heavy: {efficiency: []}}}"},
    {"classes", "cost: {classes: {heavy: {memory_efficiency: []}}}"},
});
constexpr auto kNumbersOfMachines = std::to_array<Field>({
    {"count", "devices: [{name: gpu, type: tiny, count: []}]"},
    {"count", "nodes: [{name: box, count: [], devices: [{name: gpu, type: tiny}]}]"},
    {"shape",
     "devices: [{name: gpu, type: tiny, count: 2}]\n"
     "links: [{name: l, topology: torus, between: [gpu0, gpu1], shape: [[]]}]"},
    {"max_ops", "fusion: {max_ops: []}"},
    {"max_depth_span", "fusion: {max_depth_span: []}"},
    {"reserve", "memory: {reserve: []}"},
});

TEST(FormatsPageTest, StatesTheRangeOfEveryNumberOfDevicesAndMachines) {
  const std::string page = Section("Device and machine");
  const auto expect_stated = [&](const Field& field, const std::string& range) {
    EXPECT_THAT(LinesWith(page, '`' + std::string(field.key) + '`', range), Not(IsEmpty()))
        << field.key << ' ' << range;
  };
  for (const Field& field : kNumbersOfDevices) {
    expect_stated(field, RangeIn(ProblemsOfDevice(field)));
  }
  for (const Field& field : kFractionsOfDevices) {
    expect_stated(field, "fraction");
    EXPECT_THAT(page, HasSubstr("Fractions are numbers " + RangeIn(ProblemsOfDevice(field))));
  }
  for (const Field& field : kNumbersOfMachines) {
    expect_stated(field, RangeIn(ProblemsOfMachine(field)));
  }
}

constexpr auto kWordsOfMachines = std::to_array<Field>({
    {"rules", "rules: nobodys"},
    {"sharing", "transfers: {sharing: nobodys}"},
    {"one_per", "transfers: {one_per: nobodys}"},
    {"on_exceed", "memory: {on_exceed: nobodys}"},
});

// In the comments of its example: "rules: opyard  # opyard | placeto | regal".
TEST(FormatsPageTest, ListsTheWordsOfEveryRule) {
  static const std::regex words("expected one of ([a-z, ]+)");
  for (const Field& field : kWordsOfMachines) {
    const std::string problems = ProblemsOfMachine(field);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(problems, found, words)) << problems;
    const std::string choice = std::regex_replace(std::string(found[1]), std::regex(", "), " | ");
    EXPECT_THAT(LinesWith(Section("Device and machine"), std::string(field.key) + ": ", choice),
                Not(IsEmpty()))
        << field.key << ": " << choice;
  }
}

constexpr auto kWordsOfOps = std::to_array<Field>({
    {"dtype", R"("dtype": "nobodys")"},
    {"phase", R"("phase": "nobodys")"},
    {"device_kinds", R"("device_kinds": ["nobodys"])"},
    {"fusion_class", R"("fusion_class": "nobodys")"},
});

TEST(FormatsPageTest, ListsTheWordsOfEveryFieldOfAnOp) {
  for (const Field& field : kWordsOfOps) {
    const std::string problems = ProblemsOfOp(field);
    const auto rows = LinesWith(Section("Graph"), "| `" + std::string(field.key) + "` |", "");
    ASSERT_EQ(rows.size(), 1U) << field.key;
    const auto words = WordsIn(problems, "expected one of ([a-z0-9, ]+)");
    EXPECT_GE(words.size(), 3U) << problems;
    for (const std::string& word : words) {
      EXPECT_THAT(rows[0], HasSubstr('`' + word + '`')) << field.key;
    }
  }
}

}  // namespace
}  // namespace opyard::sim

#include "sim/io/yaml/other_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/io/machine/profile_yaml.h"
#include "tests/support/temporary_folder.h"

namespace opyard::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The problems of a file of this text, without its name.
std::string ProblemsOf(const std::string& text, YamlFile expected) {
  const opyard::testing::TemporaryFolder folder;
  const auto path = folder.Write("f.yaml", text);
  Diagnostics diagnostics;
  if (ReadYamlFile(path, diagnostics, expected).has_value()) {
    return "";
  }
  return diagnostics.Text().substr(path.string().size() + 2);
}

TEST(OtherFormatTest, FilesOfOtherProgramsAreNamedInOneLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", "a Kubernetes manifest"},
      {"apiVersion: v1\nkind: Pod\n---\napiVersion: v1\nkind: Service\n", "a Kubernetes manifest"},
      {"version: '3'\nservices:\n  web: {image: nginx}\n", "a Docker Compose file"},
      {"topology: [Ring]\nnpus_count: [8]\nbandwidth: [50.0]\nlatency: [500.0]\n",
       "an ASTRA-sim network"},
      {R"({"scheduling-policy": "LIFO", "endpoint-delay": 10})", "an ASTRA-sim system"},
      {"<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"x.dtd\">\n<platform version=\"4.1\">"
       "<zone id=\"a\"/></platform>\n",
       "a SimGrid platform (<platform>)"},
      {"\xEF\xBB\xBF<topology version=\"2.0\">\n", "a topology of hwloc (<topology>)"},
      {"<a/>\n", "XML (<a>)"},
      {"compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\n",
       "settings of Hugging Face Accelerate"},
      {R"({"train_batch_size": 8, "zero_optimization": {"stage": 2}})", "settings of DeepSpeed"},
      {"name: x\nnodes: [1, 2]\nspeed: 3\n",
       "a file of another program (keys name, nodes, speed)"}};
  for (const auto& [text, what] : cases) {
    for (const YamlFile expected : {YamlFile::kMachine, YamlFile::kDevice, YamlFile::kExperiment}) {
      const std::string found = ProblemsOf(text, expected);
      EXPECT_THAT(found, HasSubstr("found " + what)) << text;
      EXPECT_THAT(found, HasSubstr("expected a")) << text;
      EXPECT_THAT(found, Not(HasSubstr("\n"))) << text;
    }
  }
}

constexpr const char* kMachine =
    "schema_version: 1\nname: m\ndevices: [{name: a, type: v100-sxm2-16gb}]\n";
constexpr const char* kDevice =
    "schema_version: 1\nname: d\nkind: gpu\nmemory: 2 GiB\nmemory_bandwidth: 100 GB/s\n"
    "peak_flops: {f32: 3 TFLOP/s}\n";
constexpr const char* kExperiment =
    "schema_version: 1\nname: e\ngraphs: [gnmt2]\nhardware: [m]\nagents: [heft]\nseeds: [0]\n"
    "devices: [gpu0]\n";

TEST(OtherFormatTest, OurOwnFilesOfAnotherKindAreNamed) {
  EXPECT_THAT(ProblemsOf(kExperiment, YamlFile::kMachine),
              HasSubstr("found an experiment, which opyard run takes, expected a machine"));
  EXPECT_THAT(ProblemsOf(kExperiment, YamlFile::kProfile), HasSubstr("found an experiment"));
  EXPECT_THAT(ProblemsOf(kDevice, YamlFile::kMachine), HasSubstr("found a single device"));
  EXPECT_THAT(ProblemsOf(kMachine, YamlFile::kDevice), HasSubstr("found a machine"));
  EXPECT_THAT(ProblemsOf(kMachine, YamlFile::kExperiment),
              HasSubstr("found a machine, which an experiment names under hardware"));
  EXPECT_THAT(ProblemsOf(kDevice, YamlFile::kExperiment), HasSubstr("found a device"));
}

TEST(OtherFormatTest, WhatIsExpectedIsRead) {
  EXPECT_EQ(ProblemsOf(kMachine, YamlFile::kMachine), "");
  EXPECT_EQ(ProblemsOf(kMachine, YamlFile::kProfile), "");
  EXPECT_EQ(ProblemsOf(kDevice, YamlFile::kDevice), "");
  EXPECT_EQ(ProblemsOf(kDevice, YamlFile::kProfile), "");
  EXPECT_EQ(ProblemsOf(kExperiment, YamlFile::kExperiment), "");
  // All but the name stands in what it includes.
  EXPECT_EQ(ProblemsOf("schema_version: 1\nname: e\ninclude: [a.yaml]\ndevices: [gpu0]\n",
                       YamlFile::kExperiment),
            "");
}

TEST(OtherFormatTest, AProfileWithAMistakeIsStillOneOfOurs) {
  // "kind" and "services" are nobody's here: the reader says what is wrong with them.
  EXPECT_EQ(ProblemsOf(std::string(kMachine) + "services: []\nkind: x\n", YamlFile::kMachine), "");
  EXPECT_EQ(ProblemsOf("name: m\ndevices: []\n", YamlFile::kMachine), "");
}

TEST(OtherFormatTest, ADeviceTypeThatIsAnotherFileIsNamed) {
  const opyard::testing::TemporaryFolder folder;
  folder.Write("devices/t.yaml", "apiVersion: v1\nkind: Pod\n");
  const auto path = folder.Write("machines/m.yaml",
                                 "schema_version: 1\nname: m\ndevices: [{name: a, type: t}]\n");
  try {
    static_cast<void>(ReadMachineFile(path));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("devices/t.yaml: found a Kubernetes manifest"));
  }
}

}  // namespace
}  // namespace opyard::sim

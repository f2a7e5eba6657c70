#include "sim/io/yaml/other_format.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <span>
#include <vector>

#include "sim/io/text/utf8.h"

namespace opyard::sim {
namespace {

using Keys = std::set<std::string, std::less<>>;

// A file that has all of these keys at its top.
struct Format {
  const char* name;
  std::array<std::string_view, 2> keys;  // the second may be ""
};

constexpr auto kForeign = std::to_array<Format>({
    {"a Kubernetes manifest", {"apiVersion", "kind"}},
    {"a Docker Compose file", {"services", ""}},
    {"an ASTRA-sim network", {"topology", "npus_count"}},
    {"an ASTRA-sim network", {"topology", "npus-count"}},
    {"an ASTRA-sim system", {"scheduling-policy", ""}},
    {"an ASTRA-sim system", {"endpoint-delay", ""}},
    {"an ASTRA-sim topology", {"logical-dims", ""}},
    {"settings of Hugging Face Accelerate", {"compute_environment", "distributed_type"}},
    {"settings of DeepSpeed", {"train_batch_size", ""}},
    {"settings of DeepSpeed", {"train_micro_batch_size_per_gpu", ""}},
    {"settings of DeepSpeed", {"zero_optimization", ""}},
    {"a GitHub workflow", {"jobs", "on"}},
    {"a conda environment", {"dependencies", "channels"}},
    {"a CloudFormation template", {"AWSTemplateFormatVersion", ""}},
    {"a Timeloop architecture", {"architecture", ""}},
    {"a JSON Schema", {"$schema", ""}},
});

constexpr auto kMachineKeys = std::to_array<std::string_view>(
    {"devices", "switches", "links", "routes", "rules", "execution", "fusion", "transfers"});
constexpr auto kDeviceKeys = std::to_array<std::string_view>(
    {"memory_bandwidth", "peak_flops", "launch_overhead", "unsupported", "cost"});
// But for `devices`, which machines have, too.
constexpr auto kExperimentKeys = std::to_array<std::string_view>({"graphs",
                                                                  "hardware",
                                                                  "pairs",
                                                                  "problem",
                                                                  "budget",
                                                                  "agents",
                                                                  "seeds",
                                                                  "include",
                                                                  "decide_per",
                                                                  "max_groups",
                                                                  "split",
                                                                  "training",
                                                                  "tuning",
                                                                  "optima"});
constexpr auto kOfAll = std::to_array<std::string_view>({"schema_version"});

bool HasAny(const Keys& keys, std::span<const std::string_view> known) {
  return std::ranges::any_of(known, [&](std::string_view key) { return keys.contains(key); });
}

Keys KeysOf(const YamlNode& root) {
  Keys keys;
  for (const YamlNode::Entry& entry : root.entries) {
    keys.insert(entry.key);
  }
  return keys;
}

// The words before a colon at the beginnings of lines: all that is known of several documents in
// one file, and of files with tags, neither of which we read.
Keys KeysIn(std::string_view text) {
  constexpr std::size_t kMostLines = 1000;
  Keys keys;
  for (std::size_t line = 0; line < kMostLines && !text.empty(); ++line) {
    const std::string_view words = text.substr(0, text.find('\n'));
    const std::size_t colon = words.find(':');
    const bool begins = !words.empty() && std::isalpha(static_cast<unsigned char>(words[0])) != 0;
    if (begins && colon != std::string_view::npos) {
      keys.insert(std::string(words.substr(0, colon)));
    }
    text.remove_prefix(std::min(words.size() + 1, text.size()));
  }
  return keys;
}

// The root element of a text that begins as XML does: "platform".
std::optional<std::string> FindXmlRoot(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  if (text.starts_with("\xEF\xBB\xBF")) {
    text.remove_prefix(3);
  }
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  if (!text.starts_with('<')) {
    return std::nullopt;
  }
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (!rest.empty() && std::isalpha(static_cast<unsigned char>(rest[0])) != 0) {
      return std::string(rest.substr(0, rest.find_first_of(" \t\r\n/>")));
    }
  }
  return "";
}

const char* NameOfXml(std::string_view root) {
  return root == "platform"   ? "a SimGrid platform"
         : root == "topology" ? "a topology of hwloc"
         : root == "system"   ? "a topology of NCCL"
                              : "XML";
}

const Format* FindForeign(const Keys& keys) {
  const auto* const found = std::ranges::find_if(kForeign, [&](const Format& format) {
    return std::ranges::all_of(
        format.keys, [&](std::string_view key) { return key.empty() || keys.contains(key); });
  });
  return found == kForeign.end() ? nullptr : found;
}

bool IsExperiment(const Keys& keys) {
  return HasAny(keys, kExperimentKeys);
}

bool IsMachine(const Keys& keys) {
  const bool has_nodes = keys.contains("nodes") && keys.contains("schema_version");
  return !IsExperiment(keys) && (keys.contains("devices") || has_nodes);
}

bool IsDevice(const Keys& keys) {
  return !IsExperiment(keys) && !IsMachine(keys) &&
         (keys.contains("peak_flops") || keys.contains("memory_bandwidth"));
}

// The description of the expected file, and how one comes by it.
std::string ExpectedText(YamlFile expected) {
  switch (expected) {
    case YamlFile::kMachine:
      return "a machine of opyard, which lists devices and the links between them "
             "(docs/formats.md, \"Device and machine\"; opyard profile list names those that ship)";
    case YamlFile::kDevice:
      return "a device of opyard, with its memory, memory_bandwidth and peak_flops "
             "(docs/formats.md, \"Device and machine\")";
    case YamlFile::kProfile:
      return "a machine or a device of opyard (docs/formats.md, \"Device and machine\")";
    case YamlFile::kExperiment:
      return "an experiment of opyard, which lists graphs, hardware and agents "
             "(docs/formats.md, \"Experiment\")";
    case YamlFile::kAny:
      break;
  }
  return "YAML of opyard: a machine, a device or an experiment";
}

// One of ours that is of another kind: what it is, and what it is for.
std::string OwnText(const Keys& keys, YamlFile expected) {
  const bool wants_profile = expected == YamlFile::kMachine || expected == YamlFile::kDevice ||
                             expected == YamlFile::kProfile;
  if (wants_profile && IsExperiment(keys)) {
    return "an experiment, which opyard run takes";
  }
  if (expected == YamlFile::kMachine && IsDevice(keys)) {
    return "a single device, which a machine lists by its type: devices: [{name: gpu0, type: …}]";
  }
  if (expected == YamlFile::kDevice && IsMachine(keys)) {
    return "a machine, which lists devices";
  }
  if (expected == YamlFile::kExperiment && IsMachine(keys)) {
    return "a machine, which an experiment names under hardware";
  }
  if (expected == YamlFile::kExperiment && IsDevice(keys)) {
    return "a device, which a machine lists; an experiment names machines under hardware";
  }
  return "";
}

bool HasKnownKey(const Keys& keys, YamlFile expected) {
  const bool takes_machine = expected == YamlFile::kMachine || expected == YamlFile::kProfile;
  const bool takes_device = expected == YamlFile::kDevice || expected == YamlFile::kProfile;
  return HasAny(keys, kOfAll) || (takes_machine && HasAny(keys, kMachineKeys)) ||
         (takes_device && HasAny(keys, kDeviceKeys)) ||
         (expected == YamlFile::kExperiment && HasAny(keys, kExperimentKeys));
}

std::string KeysText(const Keys& keys) {
  std::vector<std::string> shown;
  for (const std::string& key : keys) {
    shown.push_back(ShownText(key));
  }
  return JoinNames(shown, 6);
}

}  // namespace

std::optional<std::string> FindOtherFormat(std::string_view text,
                                           const YamlNode* root,
                                           YamlFile expected) {
  const auto instead_of = [&](const std::string& found) {
    return "found " + found + ", expected " + ExpectedText(expected);
  };
  if (const std::optional<std::string> element = FindXmlRoot(text)) {
    return instead_of(std::string(NameOfXml(*element)) +
                      (element->empty() ? "" : " (<" + ShownText(*element) + ">)"));
  }
  const Keys keys = root != nullptr ? KeysOf(*root) : KeysIn(text);
  if (!HasAny(keys, kOfAll)) {
    if (const Format* foreign = FindForeign(keys)) {
      return instead_of(std::string(foreign->name) + " (keys " + KeysText(keys) + ")");
    }
  }
  if (root == nullptr || expected == YamlFile::kAny) {
    return std::nullopt;
  }
  if (const std::string own = OwnText(keys, expected); !own.empty()) {
    return instead_of(own);
  }
  if (!keys.empty() && !HasKnownKey(keys, expected)) {
    return instead_of("a file of another program (keys " + KeysText(keys) + ")");
  }
  return std::nullopt;
}

}  // namespace opyard::sim

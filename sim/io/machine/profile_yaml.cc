#include "sim/io/machine/profile_yaml.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/base/data_root.h"
#include "sim/base/input_file.h"
#include "sim/io/machine/device_yaml.h"
#include "sim/io/machine/machine_yaml.h"
#include "sim/io/machine/provenance_yaml.h"
#include "sim/io/yaml/yaml.h"

namespace opyard::sim {
namespace {

namespace fs = std::filesystem;

fs::path ShippedFolder(const char* kind) {
  return DataRoot() / "hardware_profiles" / kind;
}

bool IsFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The names of the YAML files in `folder`, sorted; empty if there is no such folder.
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code status;
  for (fs::directory_iterator entry(folder, status), end; !status && entry != end;
       entry.increment(status)) {
    if (entry->path().extension() == ".yaml") {
      names.push_back(entry->path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

DeviceProfile ReadDevice(YamlReader& reader, const YamlNode& root) {
  DeviceProfile profile;
  YamlMap map(reader, root, "device file");
  if (const YamlNode* version = map.Required("schema_version")) {
    static_cast<void>(reader.Int(*version, 1, 1));
  }
  if (const YamlNode* name = map.Required("name")) {
    profile.device.type = reader.Name(*name).value_or("");
    profile.device.name = profile.device.type;
  }
  ReadDeviceFields(map, DeviceFields::kWhole, profile.device);
  profile.provenance = ReadProvenance(map,
                                      {"kind",
                                       "memory",
                                       "memory_bandwidth",
                                       "peak_flops",
                                       "launch_overhead",
                                       "copy_overhead",
                                       "copy_bandwidth",
                                       "unsupported",
                                       "cost"},
                                      {"memory",
                                       "memory_bandwidth",
                                       "peak_flops",
                                       "launch_overhead",
                                       "copy_overhead",
                                       "copy_bandwidth",
                                       "cost"});
  if (map.is_map() && map.Optional("cost") == nullptr) {
    reader.WarnOfSource(root, "no cost parameters: the defaults of the device's kind are assumed");
  }
  map.Finish();
  return profile;
}

// The device types of one machine, each file read once.
class DeviceTypes {
 public:
  // In `folders` stand the device files, that of the first one counts.
  DeviceTypes(std::vector<fs::path> folders, Diagnostics& diagnostics)
      : folders_(std::move(folders)), diagnostics_(&diagnostics) {}

  std::optional<Device> Find(YamlReader& reader, const YamlNode& node, const std::string& type) {
    const auto known = types_.find(type);
    if (known != types_.end()) {
      return known->second;
    }
    const std::optional<fs::path> path = FindFile(type);
    if (!path) {
      std::vector<std::string> names;
      for (const fs::path& folder : folders_) {
        std::ranges::copy(NamesIn(folder), std::back_inserter(names));
      }
      const std::string hint = DidYouMean(type, names);
      reader.Problem(node,
                     "found " + Describe(node) + ", expected a device type" +
                         (hint.empty() ? "; there are " + JoinNames(names) : hint));
      return std::nullopt;
    }
    return types_.emplace(type, Read(*path, type)).first->second;
  }

  [[nodiscard]] bool Has(const std::string& type) const { return FindFile(type).has_value(); }

  // The findings in all files that were read, once for each.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  [[nodiscard]] const std::vector<std::string>& oddities() const { return oddities_; }

 private:
  std::optional<fs::path> FindFile(const std::string& type) const {
    for (const fs::path& folder : folders_) {
      if (IsFile(folder / (type + ".yaml"))) {
        return folder / (type + ".yaml");
      }
    }
    return std::nullopt;
  }

  // A file goes by its name here, whatever `name` it holds.
  std::optional<Device> Read(const fs::path& path, const std::string& type) {
    const std::optional<YamlNode> root = ReadYamlFile(path, *diagnostics_, YamlFile::kDevice);
    if (!root) {
      return std::nullopt;
    }
    YamlReader reader(path.string(), *diagnostics_);
    Device device = ReadDevice(reader, *root).device;
    device.type = type;
    warnings_.insert(warnings_.end(), reader.warnings().begin(), reader.warnings().end());
    oddities_.insert(oddities_.end(), reader.oddities().begin(), reader.oddities().end());
    return device;
  }

  std::vector<fs::path> folders_;
  Diagnostics* diagnostics_;
  std::map<std::string, std::optional<Device>> types_;
  std::vector<std::string> warnings_;
  std::vector<std::string> oddities_;
};

std::vector<std::string> Joined(std::vector<std::string> texts,
                                const std::vector<std::string>& more) {
  texts.insert(texts.end(), more.begin(), more.end());
  return texts;
}

YamlNode ReadTree(const fs::path& path, Diagnostics& diagnostics, YamlFile expected) {
  std::optional<YamlNode> root = ReadYamlFile(path, diagnostics, expected);
  if (!root.has_value()) {
    diagnostics.ThrowIfAny();
  }
  return std::move(root).value();
}

MachineReading ReadMachineWith(YamlReader& reader,
                               const YamlNode& root,
                               const FindDeviceType& find_type,
                               const DeviceTypes& types,
                               const Diagnostics& diagnostics) {
  HardwareProfile machine = ReadMachine(reader, root, find_type);
  diagnostics.ThrowIfAny();
  return {.machine = std::make_shared<const HardwareProfile>(std::move(machine)),
          .warnings = Joined(reader.warnings(), types.warnings()),
          .oddities = Joined(reader.oddities(), types.oddities())};
}

MachineReading ReadMachineTree(const fs::path& path,
                               const YamlNode& root,
                               Diagnostics& diagnostics) {
  YamlReader reader(InputName(path), diagnostics);
  const fs::path folder = path.parent_path();
  DeviceTypes types({(folder / ".." / "devices").lexically_normal(),
                     folder / "devices",
                     ShippedFolder("devices")},
                    diagnostics);
  const auto find = [&](YamlReader& at, const YamlNode& node, const std::string& type) {
    return types.Find(at, node, type);
  };
  return ReadMachineWith(reader, root, find, types, diagnostics);
}

// The entry of `devices`, in `part` or in its `nodes`, whose type stands at `type`; null for none.
const YamlNode* FindDeviceEntry(const YamlNode& part, const YamlNode& type) {
  if (const YamlNode* devices = part.Find("devices")) {
    for (const YamlNode& device : devices->items) {
      if (device.Find("type") == &type) {
        return &device;
      }
    }
  }
  const YamlNode* boxes = part.Find("nodes");
  for (std::size_t i = 0; boxes != nullptr && i < boxes->items.size(); ++i) {
    if (const YamlNode* device = FindDeviceEntry(boxes->items[i], type)) {
      return device;
    }
  }
  return nullptr;
}

// What a whole device of a machine begins with: its type and the cost of its kind. Nothing unless
// the device whose type stands at `type` gives all that a device file has to give.
std::optional<Device> FindWholeDevice(const YamlNode& machine, const YamlNode& type) {
  const YamlNode* entry = FindDeviceEntry(machine, type);
  for (const char* key : {"kind", "memory", "memory_bandwidth", "peak_flops"}) {
    if (entry == nullptr || entry->Find(key) == nullptr) {
      return std::nullopt;
    }
  }
  Device device;
  device.type = type.text;
  device.kind = FindDeviceKind(entry->Find("kind")->text).value_or(device.kind);
  device.cost = DefaultCostParameters(device.kind);
  return device;
}

DeviceReading ReadDeviceTree(const fs::path& path, const YamlNode& root, Diagnostics& diagnostics) {
  YamlReader reader(InputName(path), diagnostics);
  DeviceProfile device = ReadDevice(reader, root);
  diagnostics.ThrowIfAny();
  return {
      .device = std::move(device), .warnings = reader.warnings(), .oddities = reader.oddities()};
}

bool IsPath(std::string_view reference) {
  return reference == "-" || reference.find('/') != std::string_view::npos ||
         reference.ends_with(".yaml");
}

fs::path FindMachineFile(const std::string& reference, const fs::path& folder) {
  if (IsPath(reference)) {
    const bool is_elsewhere = !IsFile(reference) && !folder.empty() && IsFile(folder / reference);
    return is_elsewhere ? folder / reference : fs::path(reference);
  }
  const fs::path shipped = ShippedFolder("machines") / (reference + ".yaml");
  if (!IsFile(shipped)) {
    std::vector<std::string> names = NamesIn(ShippedFolder("machines"));
    // The list is cut short: what begins alike stands first.
    std::ranges::stable_partition(
        names, [&](const std::string& name) { return name.starts_with(reference); });
    throw InputError("machine \"" + reference + "\": there is no such profile; there are " +
                     JoinNames(names) + DidYouMean(reference, names));
  }
  return shipped;
}

}  // namespace

MachineReading ReadMachineFile(const fs::path& path) {
  Diagnostics diagnostics;
  return ReadMachineTree(path, ReadTree(path, diagnostics, YamlFile::kMachine), diagnostics);
}

DeviceReading ReadDeviceFile(const fs::path& path) {
  Diagnostics diagnostics;
  return ReadDeviceTree(path, ReadTree(path, diagnostics, YamlFile::kDevice), diagnostics);
}

ProfileReading ReadProfileFile(const fs::path& path) {
  Diagnostics diagnostics;
  const YamlNode root = ReadTree(path, diagnostics, YamlFile::kProfile);
  if (root.Find("devices") != nullptr || root.Find("nodes") != nullptr) {
    return ReadMachineTree(path, root, diagnostics);
  }
  return ReadDeviceTree(path, root, diagnostics);
}

std::shared_ptr<const HardwareProfile> ReadMachineText(std::string_view text,
                                                       const std::string& place) {
  // The largest machine of a file, its device types and aliases written out.
  constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  constexpr std::size_t kMostValues = 1'000'000;
  Diagnostics diagnostics;
  const std::optional<YamlNode> root =
      ParseYaml(text,
                place,
                diagnostics,
                {.bytes = kMostBytes, .values = kMostValues, .text_bytes = kMostBytes});
  if (!root) {
    diagnostics.ThrowIfAny();
  }
  YamlReader reader(place, diagnostics);
  HardwareProfile machine = ReadMachine(reader, *root, {});
  diagnostics.ThrowIfAny();
  return std::make_shared<const HardwareProfile>(std::move(machine));
}

MachineReading ReadMachineValues(const YamlTree& values, const std::string& place) {
  Diagnostics diagnostics;
  YamlReader reader(place, values.pointers, diagnostics);
  DeviceTypes types({ShippedFolder("devices")}, diagnostics);
  const auto find = [&](YamlReader& at, const YamlNode& node, const std::string& type) {
    std::optional<Device> whole =
        types.Has(type) ? std::nullopt : FindWholeDevice(values.root, node);
    return whole.has_value() ? whole : types.Find(at, node, type);
  };
  return ReadMachineWith(reader, values.root, find, types, diagnostics);
}

std::shared_ptr<const HardwareProfile> LoadMachine(const std::string& reference,
                                                   const fs::path& folder) {
  return LoadMachineReading(reference, folder).machine;
}

MachineReading LoadMachineReading(const std::string& reference, const fs::path& folder) {
  return ReadMachineFile(FindMachineFile(reference, folder));
}

std::vector<ShippedProfile> ListShippedProfiles() {
  std::vector<ShippedProfile> profiles;
  for (const bool is_machine : {false, true}) {
    const fs::path folder = ShippedFolder(is_machine ? "machines" : "devices");
    for (const std::string& name : NamesIn(folder)) {
      profiles.push_back(
          {.name = name, .is_machine = is_machine, .path = folder / (name + ".yaml")});
    }
  }
  std::ranges::sort(profiles, {}, &ShippedProfile::name);
  return profiles;
}

}  // namespace opyard::sim

#include "agents/learned/common/checkpoint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "sim/base/check.h"
#include "sim/base/error.h"
#include "sim/base/output_file.h"
#include "sim/base/quote.h"

namespace opyard::agents {
namespace {

constexpr const char* kMagic = "opyard-checkpoint/2";
constexpr const char* kOlder = "opyard-checkpoint/1";
constexpr std::size_t kMostDimensions = 8;

struct TypeName {
  torch::ScalarType type;
  const char* name;
};
constexpr std::array<TypeName, 3> kTypes = {
    {{torch::kFloat, "float32"}, {torch::kDouble, "float64"}, {torch::kLong, "int64"}}};

std::string NameOfType(torch::ScalarType type) {
  const auto* const it = std::ranges::find(kTypes, type, &TypeName::type);
  return it == kTypes.end() ? torch::toString(type) : it->name;
}

// "float32 3 4"
std::string Describe(const torch::Tensor& tensor) {
  std::string text = NameOfType(tensor.scalar_type());
  for (const std::int64_t size : tensor.sizes()) {
    text += " " + std::to_string(size);
  }
  return text;
}

// Reads the header line by line; every wrong line is an InputError with its number.
class HeaderReader {
 public:
  HeaderReader(const std::string& bytes, const std::filesystem::path& path)
      : bytes_(bytes), path_(path) {}

  // The words of the next line.
  std::vector<std::string> NextLine() {
    const std::size_t end = bytes_.find('\n', position_);
    if (end == std::string::npos) {
      Refuse("it ends inside its header");
    }
    text_ = bytes_.substr(position_, end - position_);
    position_ = end + 1;
    ++line_;
    std::istringstream line(text_);
    return {std::istream_iterator<std::string>(line), std::istream_iterator<std::string>()};
  }

  // The text behind the second word of the line.
  [[nodiscard]] std::string RestOfLine() const {
    const std::size_t first = text_.find(' ');
    const std::size_t second = first == std::string::npos ? first : text_.find(' ', first + 1);
    return second == std::string::npos ? "" : text_.substr(second + 1);
  }

  // An empty tensor of the type and shape in `words` from the third on.
  torch::Tensor Allocate(const std::vector<std::string>& words) {
    const auto* const type = std::ranges::find(kTypes, words[2], &TypeName::name);
    if (type == kTypes.end() || words.size() > 3 + kMostDimensions) {
      Refuse("no tensor of type " + Quoted(words[2]));
    }
    std::vector<std::int64_t> shape;
    std::uint64_t num_bytes = torch::elementSize(type->type);
    for (std::size_t i = 3; i < words.size(); ++i) {
      shape.push_back(WholeNumber(words[i]));
      const auto size = static_cast<std::uint64_t>(shape.back());
      if (size == 0 || num_bytes > bytes_.size() / size) {
        Refuse("a tensor larger than the file");
      }
      num_bytes *= size;
    }
    num_declared_ += num_bytes;
    if (num_declared_ > bytes_.size()) {
      Refuse("its tensors are larger than the file");
    }
    return torch::empty(shape, type->type);
  }

  std::int64_t WholeNumber(const std::string& word) const {
    std::int64_t value = -1;
    const char* const end = word.data() + word.size();
    if (std::from_chars(word.data(), end, value).ptr != end || value < 0) {
      Refuse("found " + Quoted(word) + ", expected a whole number");
    }
    return value;
  }

  // The bytes of the next tensor, behind the header.
  void Fill(torch::Tensor& tensor) {
    const std::size_t num_bytes = tensor.nbytes();
    if (bytes_.size() - position_ < num_bytes) {
      Refuse("it is cut: bytes of its tensors are missing");
    }
    std::memcpy(tensor.data_ptr(), bytes_.data() + position_, num_bytes);
    position_ += num_bytes;
  }

  void RequireEnd() const {
    if (position_ != bytes_.size()) {
      Refuse("it goes on after its last tensor");
    }
  }

  [[noreturn]] void Refuse(const std::string& why) const {
    throw InputError(path_.string() + ":" + std::to_string(line_) +
                     ": not a checkpoint of opyard: " + why);
  }

 private:
  const std::string& bytes_;
  const std::filesystem::path& path_;
  std::string text_;  // the line that was read last
  std::size_t position_ = 0;
  std::uint64_t num_declared_ = 0;  // bytes of the tensors so far
  std::size_t line_ = 0;
};

std::string ReadBytes(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  if (!file || !std::filesystem::is_regular_file(path, ignored)) {
    throw InputError(path.string() + ": this checkpoint cannot be read");
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string HeaderText(const Checkpoint& checkpoint) {
  std::string text = std::string(kMagic) + "\nagent " + checkpoint.agent + "\nfeature_version " +
                     std::to_string(checkpoint.feature_version) + "\n";
  for (const auto& [name, value] : checkpoint.config) {
    text += "config " + name + " " + value + "\n";
  }
  for (const auto& [name, value] : checkpoint.record) {
    OPYARD_CHECK(name.find_first_of(" \n") == std::string::npos, "a record's name is a word");
    OPYARD_CHECK(value.find('\n') == std::string::npos, "a record is a line");
    text += "record " + name + " " + value + "\n";
  }
  for (const auto& [name, tensor] : checkpoint.tensors) {
    text += "tensor " + name + " " + Describe(tensor) + "\n";
  }
  return text + "end\n";
}

void Compare(const std::map<std::string, std::string>& found,
             const std::map<std::string, std::string>& expected,
             const std::string& what,
             Diagnostics& diagnostics) {
  for (const auto& [name, value] : expected) {
    const auto it = found.find(name);
    if (it == found.end()) {
      diagnostics.AddError(what + name, "missing, expected " + value);
    } else if (it->second != value) {
      diagnostics.AddError(what + name, "found " + it->second + ", expected " + value);
    }
  }
  for (const auto& [name, value] : found) {
    if (!expected.contains(name)) {
      diagnostics.AddError(what + name, "found " + value + ", expected nothing of this name");
    }
  }
}

void CompareAgents(const Checkpoint& found,
                   const std::string& agent,
                   std::int64_t feature_version,
                   const std::filesystem::path& path,
                   Diagnostics& diagnostics) {
  Compare({{"agent", found.agent}, {"feature_version", std::to_string(found.feature_version)}},
          {{"agent", agent}, {"feature_version", std::to_string(feature_version)}},
          path.string() + ": ",
          diagnostics);
}

std::map<std::string, std::string> Shapes(const std::map<std::string, torch::Tensor>& tensors) {
  std::map<std::string, std::string> shapes;
  for (const auto& [name, tensor] : tensors) {
    shapes[name] = Describe(tensor);
  }
  return shapes;
}

// Modules of a network that have a new name, in the names of tensors ("adam.mean.told0.weight").
struct RenamedModule {
  std::string_view agent;
  std::string_view former;
  std::string_view name;
};
constexpr std::array kRenamedModules = {RenamedModule{"go", "told", "action_embedding"}};

// `tensor` with the new name of `module` in the place of the former one, which a number follows.
std::string WithNewName(const std::string& tensor, const RenamedModule& module) {
  const std::size_t dot = tensor.rfind('.', tensor.rfind('.') - 1);
  const std::size_t begin = dot == std::string::npos ? 0 : dot + 1;
  const std::size_t end = begin + module.former.size();
  const bool is_former = tensor.compare(begin, module.former.size(), module.former) == 0 &&
                         end < tensor.size() && tensor[end] >= '0' && tensor[end] <= '9';
  return is_former ? tensor.substr(0, begin) + std::string(module.name) + tensor.substr(end)
                   : tensor;
}

void UseNewNames(Checkpoint& checkpoint) {
  for (const RenamedModule& module : kRenamedModules) {
    if (checkpoint.agent != module.agent) {
      continue;
    }
    std::map<std::string, torch::Tensor> renamed;
    for (auto& [name, tensor] : checkpoint.tensors) {
      renamed.emplace(WithNewName(name, module), std::move(tensor));
    }
    checkpoint.tensors = std::move(renamed);
  }
}

}  // namespace

void WriteCheckpoint(const Checkpoint& checkpoint, const std::filesystem::path& path) {
  WriteOutputFile(path, [&checkpoint](std::ostream& file) {
    file << HeaderText(checkpoint);
    for (const auto& [name, tensor] : checkpoint.tensors) {
      const torch::Tensor flat = tensor.detach().contiguous();
      file.write(static_cast<const char*>(flat.data_ptr()),
                 static_cast<std::streamsize>(flat.nbytes()));
    }
  });
}

Checkpoint ReadCheckpoint(const std::filesystem::path& path) {
  const std::string bytes = ReadBytes(path);
  HeaderReader reader(bytes, path);
  const std::vector<std::string> magic = reader.NextLine();
  if (magic == std::vector<std::string>{kOlder}) {
    reader.Refuse("it begins with " + std::string(kOlder) +
                  ": an older version wrote it; train again");
  }
  if (magic != std::vector<std::string>{kMagic}) {
    reader.Refuse("it does not begin with " + std::string(kMagic));
  }
  Checkpoint checkpoint;
  while (true) {
    const std::vector<std::string> words = reader.NextLine();
    const std::string key = words.empty() ? "" : words[0];
    if (key == "end" && words.size() == 1) {
      break;
    }
    if (key == "agent" && words.size() == 2) {
      checkpoint.agent = words[1];
    } else if (key == "feature_version" && words.size() == 2) {
      checkpoint.feature_version = reader.WholeNumber(words[1]);
    } else if (key == "config" && words.size() == 3) {
      checkpoint.config[words[1]] = words[2];
    } else if (key == "record" && words.size() >= 2) {
      checkpoint.record[words[1]] = reader.RestOfLine();
    } else if (key == "tensor" && words.size() >= 3) {
      checkpoint.tensors[words[1]] = reader.Allocate(words);
    } else {
      reader.Refuse("a line that begins with " + Quoted(key));
    }
  }
  for (auto& [name, tensor] : checkpoint.tensors) {
    reader.Fill(tensor);
  }
  reader.RequireEnd();
  UseNewNames(checkpoint);
  return checkpoint;
}

std::optional<Checkpoint> ReadCheckpointIfAny(const std::filesystem::path& path) {
  return path.empty() ? std::nullopt : std::optional(ReadCheckpoint(path));
}

void RequireMatch(const Checkpoint& found,
                  const Checkpoint& expected,
                  const std::filesystem::path& path) {
  Diagnostics diagnostics;
  CompareAgents(found, expected.agent, expected.feature_version, path, diagnostics);
  Compare(found.config, expected.config, path.string() + ": config ", diagnostics);
  Compare(
      Shapes(found.tensors), Shapes(expected.tensors), path.string() + ": tensor ", diagnostics);
  diagnostics.ThrowIfAny();
}

void RequireAgent(const Checkpoint& found,
                  const std::string& agent,
                  std::int64_t feature_version,
                  const std::filesystem::path& path) {
  Diagnostics diagnostics;
  CompareAgents(found, agent, feature_version, path, diagnostics);
  diagnostics.ThrowIfAny();
}

const std::string& TextOf(const Checkpoint& found,
                          const std::string& name,
                          const std::filesystem::path& path) {
  const auto it = found.config.find(name);
  if (it == found.config.end()) {
    throw InputError(path.string() + ": config " + name + ": missing");
  }
  return it->second;
}

std::string ExactText(double value) {
  char text[40];
  static_cast<void>(std::snprintf(text, sizeof text, "%a", value));
  return text;
}

double NumberOf(const Checkpoint& found,
                const std::string& name,
                const std::filesystem::path& path) {
  return std::strtod(TextOf(found, name, path).c_str(), nullptr);
}

std::int64_t SizeOf(const Checkpoint& found,
                    const std::string& name,
                    const std::filesystem::path& path) {
  constexpr double kMost = 1 << 16;
  const double value = NumberOf(found, name, path);
  if (!(value >= 0.0 && value <= kMost)) {
    throw InputError(path.string() + ": config " + name + ": found " + TextOf(found, name, path) +
                     ", expected a size");
  }
  return static_cast<std::int64_t>(value);
}

std::int64_t WholeNumberOf(const Checkpoint& found,
                           const std::string& name,
                           const std::filesystem::path& path) {
  const auto it = found.tensors.find(name);
  if (it == found.tensors.end() || it->second.numel() != 1 ||
      it->second.scalar_type() != torch::kLong) {
    throw InputError(path.string() + ": tensor " + name + ": missing, expected int64 1");
  }
  return it->second.item<std::int64_t>();
}

}  // namespace opyard::agents

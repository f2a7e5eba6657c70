// Weights, or a stopped training, in one file, with what they belong to and where they come from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <torch/torch.h>

namespace opyard::agents {

// A format of our own, because LibTorch's archives hold pickled code: text lines (the first is
// "opyard-checkpoint/2", the last "end"), then the tensors' bytes, little-endian, one after the
// other. Reading one runs nothing and allocates no more than the file's size.
struct Checkpoint {
  std::string agent;
  std::int64_t feature_version = 0;              // env::kFeatureVersion when it was written
  std::map<std::string, std::string> config;     // what must be equal where it goes on
  std::map<std::string, std::string> record;     // facts about it, a line of text each; the
                                                 // names have no spaces
  std::map<std::string, torch::Tensor> tensors;  // float32, float64 or int64
};

// Replaces `path` as a whole, as WriteOutputFile does. Throws InputError if it cannot be written.
void WriteCheckpoint(const Checkpoint& checkpoint, const std::filesystem::path& path);

// Throws InputError, naming the file and the reason, if it is none, is cut or is damaged.
[[nodiscard]] Checkpoint ReadCheckpoint(const std::filesystem::path& path);
// Nothing if `path` is empty.
[[nodiscard]] std::optional<Checkpoint> ReadCheckpointIfAny(const std::filesystem::path& path);

// Throws InputError naming all differences, if `found` (from `path`) does not go on what `expected`
// describes: another agent, feature version, config, or tensors of other names, types or shapes.
// Records may differ.
void RequireMatch(const Checkpoint& found,
                  const Checkpoint& expected,
                  const std::filesystem::path& path);

// Throws InputError if `found` (from `path`) is another agent's or of another feature version.
void RequireAgent(const Checkpoint& found,
                  const std::string& agent,
                  std::int64_t feature_version,
                  const std::filesystem::path& path);

// The configuration's value of `name`. Throws InputError if `found` (from `path`) has none.
[[nodiscard]] const std::string& TextOf(const Checkpoint& found,
                                        const std::string& name,
                                        const std::filesystem::path& path);

// A number as such a value, with all its bits, and back. Throws InputError if `found` (from `path`)
// has no such value.
[[nodiscard]] std::string ExactText(double value);
[[nodiscard]] double NumberOf(const Checkpoint& found,
                              const std::string& name,
                              const std::filesystem::path& path);
// Such a value that sizes a network. Throws InputError if it is none, or beyond what fits.
[[nodiscard]] std::int64_t SizeOf(const Checkpoint& found,
                                  const std::string& name,
                                  const std::filesystem::path& path);

// The single number in a tensor. Throws InputError if `found` (from `path`) has no such tensor.
[[nodiscard]] std::int64_t WholeNumberOf(const Checkpoint& found,
                                         const std::string& name,
                                         const std::filesystem::path& path);

}  // namespace opyard::agents

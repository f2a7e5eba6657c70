// Model files that hold no graph that an importer here could read, and what to do with them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "graphs/importers/common/importer.h"

namespace opyard::graphs {

// The suffixes of such files: references that end in one are paths, too.
inline constexpr auto kForeignSuffixes = std::to_array<std::string_view>(
    {".onnx", ".pt", ".pt2", ".pth", ".keras", ".h5", ".tflite", ".safetensors", ".mlir", ".xls"});

// "found an ONNX model; …" with what makes a graph of it, recognised by content and by `path`'s
// suffix; nothing for all else.
[[nodiscard]] std::optional<std::string> FindForeignFormat(const ImportFile& file,
                                                           std::string_view path);

}  // namespace opyard::graphs

#include "graphs/importers/foreign_formats.h"

#include <algorithm>

namespace opyard::graphs {
namespace {

// The first two fields of protocol buffers: what `file` begins with is `first`, a small number,
// then a field with the tag `second`.
bool BeginsWithFields(const ImportFile& file, char first, char second) {
  return file.bytes.size() > 2 && file.bytes[0] == '\x08' && file.bytes[1] == first &&
         file.bytes[2] == second;
}

// A ModelProto: ir_version, then the producer's name or version, the graph or the operator sets.
bool IsOnnx(const ImportFile& file, std::string_view path) {
  constexpr std::string_view kNext = "\x12\x1a\x3a\x42";
  constexpr char kOldestVersion = 3;  // a SavedModel begins with 1
  constexpr char kNewestVersion = 32;
  const bool has_fields = std::ranges::any_of(kNext, [&](char next) {
    return file.bytes.size() > 1 && BeginsWithFields(file, file.bytes[1], next);
  });
  return path.ends_with(".onnx") ||
         (has_fields && file.bytes[1] >= kOldestVersion && file.bytes[1] <= kNewestVersion);
}

// A zip archive, or what PyTorch wrote before 1.6: a pickle.
bool IsTorch(const ImportFile& file, std::string_view path) {
  return path.ends_with(".pt") || path.ends_with(".pt2") || path.ends_with(".pth") ||
         (file.bytes.starts_with("PK\x03\x04") && !path.ends_with(".keras"));
}

bool IsTensorFlow(const ImportFile& file, std::string_view path) {
  return path.ends_with(".keras") || path.ends_with(".h5") || path.ends_with(".tflite") ||
         file.bytes.starts_with("\x89HDF") ||
         (file.bytes.size() > 8 && file.bytes.substr(4, 4) == "TFL3");
}

}  // namespace

std::optional<std::string> FindForeignFormat(const ImportFile& file, std::string_view path) {
  if (IsOnnx(file, path)) {
    return "found an ONNX model; the Python package makes a graph of it: opyard graph convert " +
           file.place + " --out " + file.stem + ".graph.json";
  }
  if (path.ends_with(".xls")) {
    return "found a spreadsheet; of a placement problem of Moirai the Python package makes a graph "
           "and a machine: opyard graph convert " +
           file.place + " --out " + file.stem + ".graph.json --hardware-out " + file.stem + ".yaml";
  }
  if (IsTorch(file, path) || path.ends_with(".safetensors")) {
    return "found a file of PyTorch, which holds no training step; trace the model: opyard export "
           "torch MODULE:FUNCTION --out " +
           file.stem + ".graph.json";
  }
  if (IsTensorFlow(file, path)) {
    return "found a model of TensorFlow or Keras, which holds no plain GraphDef; trace a step: "
           "opyard export tensorflow MODULE:FUNCTION --out " +
           file.stem + ".pb, then opyard graph convert";
  }
  return std::nullopt;
}

}  // namespace opyard::graphs

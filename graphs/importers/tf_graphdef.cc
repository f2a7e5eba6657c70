#include "graphs/importers/tf_graphdef.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include <protozero/pbf_reader.hpp>

#include "graphs/importers/tf_graph.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"
#include "sim/io/utf8.h"

namespace opyard::graphs {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
constexpr std::size_t kMostPort = 65'535;
constexpr std::size_t kMostOutputs = std::size_t{1} << 22U;  // of all nodes
constexpr std::size_t kMostEdges = std::size_t{1} << 23U;

constexpr auto kBytes = pbf_wire_type::length_delimited;
constexpr auto kVarint = pbf_wire_type::varint;

std::string_view View(const protozero::data_view& view) {
  return {view.data(), view.size()};
}

// TensorFlow's DataType; references (100 more) are as what they refer to.
sim::DType DTypeOf(std::int64_t type) {
  switch (type > 100 ? type - 100 : type) {
    case 1:
      return sim::DType::kF32;
    case 2:
      return sim::DType::kF64;
    case 3:
    case 22:
      return sim::DType::kI32;
    case 4:
      return sim::DType::kU8;
    case 5:
    case 17:
      return sim::DType::kI16;
    case 6:
      return sim::DType::kI8;
    case 9:
    case 23:
      return sim::DType::kI64;
    case 10:
      return sim::DType::kBool;
    case 14:
      return sim::DType::kBf16;
    case 19:
      return sim::DType::kF16;
    case 24:
    case 25:
      return sim::DType::kF8;
    default:  // strings, complex numbers, resources
      return sim::DType::kOther;
  }
}

// A node with its texts as they stand in the file.
struct NodeReading {
  TfNode node;
  std::vector<std::string_view> inputs;
  std::vector<std::optional<Shape>> shapes;  // _output_shapes
  std::int64_t dtype = 0;                    // attributes dtype, T, DstT, out_type: 0 for none
  std::int64_t element_type = 0;
  std::int64_t result_type = 0;
  sim::DType output_dtype = sim::DType::kOther;  // of all outputs
};

// Nothing for an unknown rank or extent.
std::optional<Shape> ReadShape(pbf_reader message) {
  Shape shape;
  bool is_static = true;
  while (message.next()) {
    if (message.tag_and_type() == tag_and_type(2, kBytes)) {
      pbf_reader dim = message.get_message();
      std::int64_t extent = 0;  // the default of the field
      while (dim.next()) {
        if (dim.tag_and_type() == tag_and_type(1, kVarint)) {
          extent = dim.get_int64();
        } else {
          dim.skip();
        }
      }
      is_static &= extent >= 0 && extent <= kLargestExtent;
      shape.push_back(extent);
    } else if (message.tag_and_type() == tag_and_type(3, kVarint)) {
      is_static &= !message.get_bool();
    } else {
      message.skip();
    }
  }
  return is_static ? std::optional(shape) : std::nullopt;
}

// AttrValue.ListValue of integers, packed or not.
std::vector<std::int64_t> ReadIntegers(pbf_reader list) {
  constexpr std::size_t kMostKept = 16;
  std::vector<std::int64_t> values;
  while (list.next()) {
    if (list.tag_and_type() == tag_and_type(3, kBytes)) {
      for (const std::int64_t value : list.get_packed_int64()) {
        if (values.size() < kMostKept) {
          values.push_back(value);
        }
      }
    } else if (list.tag_and_type() == tag_and_type(3, kVarint)) {
      values.push_back(list.get_int64());
      values.resize(std::min(values.size(), kMostKept));
    } else {
      list.skip();
    }
  }
  return values;
}

void ReadShapes(pbf_reader list, NodeReading& out) {
  while (list.next()) {
    if (list.tag_and_type() == tag_and_type(7, kBytes)) {
      if (out.shapes.size() > kMostPort) {
        throw InputError("found more than 65536 output shapes, expected fewer");
      }
      out.shapes.push_back(ReadShape(list.get_message()));
    } else {
      list.skip();
    }
  }
}

// "loc:@NAME" of the list _class.
std::string ReadColocation(pbf_reader list) {
  constexpr std::string_view kPrefix = "loc:@";
  std::string name;
  while (list.next()) {
    if (list.tag_and_type() == tag_and_type(2, kBytes)) {
      const std::string_view text = View(list.get_view());
      if (name.empty() && text.starts_with(kPrefix)) {
        name = text.substr(kPrefix.size());
      }
    } else {
      list.skip();
    }
  }
  return name;
}

void ReadListAttribute(std::string_view key, pbf_reader list, NodeReading& out) {
  TfAttributes& attributes = out.node.attributes;
  if (key == "_output_shapes") {
    ReadShapes(list, out);
  } else if (key == "strides") {
    attributes.strides = ReadIntegers(list);
  } else if (key == "ksize") {
    attributes.window = ReadIntegers(list);
  } else if (key == "dilations") {
    attributes.dilations = ReadIntegers(list);
  } else if (key == "_class") {
    attributes.colocate_with = ReadColocation(list);
  }
}

void ReadTypeAttribute(std::string_view key, std::int64_t type, NodeReading& out) {
  if (key == "dtype") {
    out.dtype = type;
  } else if (key == "T") {
    out.element_type = type;
  } else if (key == "DstT" || key == "out_type" || key == "output_type") {
    out.result_type = type;
  }
}

void ReadAttributeValue(std::string_view key, pbf_reader value, NodeReading& out) {
  while (value.next()) {
    switch (value.tag_and_type()) {
      case tag_and_type(1, kBytes):
        ReadListAttribute(key, value.get_message(), out);
        break;
      case tag_and_type(2, kBytes): {
        const std::string_view text = View(value.get_view());
        if (key == "data_format") {
          out.node.attributes.is_channels_first = text.starts_with("NC");
        }
        break;
      }
      case tag_and_type(5, kVarint): {
        const bool is_set = value.get_bool();
        if (key == "transpose_a" || key == "adj_x") {
          out.node.attributes.transpose_a = is_set;
        } else if (key == "transpose_b" || key == "adj_y") {
          out.node.attributes.transpose_b = is_set;
        }
        break;
      }
      case tag_and_type(6, kVarint):
        ReadTypeAttribute(key, value.get_enum(), out);
        break;
      default:
        value.skip();
    }
  }
}

void ReadAttribute(pbf_reader entry, NodeReading& out) {
  std::string_view key;
  pbf_reader value;
  while (entry.next()) {
    if (entry.tag_and_type() == tag_and_type(1, kBytes)) {
      key = View(entry.get_view());
    } else if (entry.tag_and_type() == tag_and_type(2, kBytes)) {
      value = entry.get_message();
    } else {
      entry.skip();
    }
  }
  ReadAttributeValue(key, value, out);
}

// What the output of a comparison or of a shape is, the attributes do not say.
sim::DType ResultDType(const NodeReading& reading) {
  const std::string& type = reading.node.type;
  if (type.ends_with("Equal") || type == "Less" || type == "Greater" ||
      type.starts_with("Logical")) {
    return sim::DType::kBool;
  }
  if (reading.result_type != 0) {
    return DTypeOf(reading.result_type);
  }
  if (type == "Shape" || type == "ShapeN" || type == "Size" || type == "Rank") {
    return sim::DType::kI32;
  }
  if (type.starts_with("Arg")) {
    return sim::DType::kI64;
  }
  const std::int64_t given = reading.dtype != 0 ? reading.dtype : reading.element_type;
  return given == 0 ? sim::DType::kOther : DTypeOf(given);
}

class GraphDefReader {
 public:
  explicit GraphDefReader(const ImportFile& file) : file_(file) {}

  TfGraph Run() {
    ReadNodes();
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      graph_.nodes.push_back(std::move(readings_[i].node));
    }
    for (std::size_t i = 0; i < readings_.size(); ++i) {
      Resolve(i);
    }
    problems_.ThrowIfAny();
    return std::move(graph_);
  }

 private:
  [[nodiscard]] std::string Place(std::size_t node) const {
    return file_.place + "#/node/" + std::to_string(node);
  }

  void ReadNodes() {
    try {
      pbf_reader message(file_.bytes.data(), file_.bytes.size());
      while (message.next()) {
        if (message.tag_and_type() == tag_and_type(1, kBytes)) {
          ReadNode(message.get_message());
        } else {
          message.skip();
        }
      }
    } catch (const protozero::exception& damage) {
      throw InputError(Place(readings_.size()) + ": found damaged data (" + damage.what() +
                       "), expected a GraphDef in Protocol Buffers' wire format");
    } catch (const InputError& error) {
      throw InputError(Place(readings_.size()) + ": " + error.what());
    }
    if (readings_.empty()) {
      problems_.Add(file_.place, "found no node, expected a GraphDef with at least one");
    }
    problems_.ThrowIfAny();
  }

  void ReadNode(pbf_reader message) {
    const std::size_t index = readings_.size();
    if (index == kMostImportedNodes) {
      throw InputError("found more nodes than can be read, expected at most 1048576");
    }
    NodeReading reading;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case tag_and_type(1, kBytes):
          reading.node.name = message.get_string();
          break;
        case tag_and_type(2, kBytes):
          reading.node.type = message.get_string();
          break;
        case tag_and_type(3, kBytes):
          reading.inputs.push_back(View(message.get_view()));
          break;
        case tag_and_type(5, kBytes):
          ReadAttribute(message.get_message(), reading);
          break;
        default:
          message.skip();
      }
    }
    CheckNames(reading.node, index);
    SizeOutputs(reading);
    num_outputs_ += reading.node.outputs.size();
    num_edges_ += reading.inputs.size();
    if (num_outputs_ > kMostOutputs || num_edges_ > kMostEdges) {
      throw InputError(
          "found a graph too large to read, expected at most 4194304 outputs and "
          "8388608 edges");
    }
    readings_.push_back(std::move(reading));
  }

  void CheckNames(const TfNode& node, std::size_t index) {
    for (const std::string* text : {&node.name, &node.type, &node.attributes.colocate_with}) {
      const bool may_be_empty = text == &node.attributes.colocate_with;
      if ((text->empty() && !may_be_empty) || sim::FindTextFlaw(*text).has_value()) {
        problems_.Add(
            Place(index),
            "found the name or op " + Quoted(*text) + ", expected UTF-8 text that is not empty");
      }
    }
    if (!index_of_.try_emplace(node.name, index).second) {
      problems_.Add(Place(index),
                    "found the name " + Quoted(node.name) + " again, expected it once");
    }
  }

  static void SizeOutputs(NodeReading& reading) {
    reading.output_dtype = ResultDType(reading);
    for (const std::optional<Shape>& shape : reading.shapes) {
      TfTensor tensor{.shape = shape, .dtype = reading.output_dtype};
      if (shape.has_value()) {
        const bool is_handle = reading.dtype == 20 || reading.dtype == 21;
        tensor.bytes = is_handle ? Bytes{} : BytesOf({*shape, tensor.dtype});
      }
      reading.node.outputs.push_back(std::move(tensor));
    }
  }

  void Resolve(std::size_t i) {
    TfNode& node = graph_.nodes[i];
    for (const std::string_view text : readings_[i].inputs) {
      ResolveInput(i, text, node);
    }
    std::string& other = node.attributes.colocate_with;
    if (!other.empty() && !index_of_.contains(other)) {
      other.clear();  // it was pruned away
    }
  }

  // "^node", "node" or "node:port".
  void ResolveInput(std::size_t i, std::string_view text, TfNode& node) {
    const bool is_control = text.starts_with('^');
    std::string_view name = is_control ? text.substr(1) : text;
    std::size_t port = 0;
    const std::size_t colon = name.rfind(':');
    if (!is_control && colon != std::string_view::npos) {
      const char* end = name.data() + name.size();
      const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, port);
      if (error != std::errc() || stop != end || port > kMostPort) {
        problems_.Add(Place(i),
                      "found the input " + Quoted(text) +
                          ", expected NODE:PORT with a port up to " + std::to_string(kMostPort));
        return;
      }
      name = name.substr(0, colon);
    }
    const auto found = index_of_.find(std::string(name));
    if (found == index_of_.end()) {
      problems_.Add(Place(i), "found the input " + Quoted(text) + ", expected the name of a node");
      return;
    }
    if (is_control) {
      node.controls.push_back(found->second);
      return;
    }
    NeedOutput(found->second, port);
    node.inputs.push_back({.node = found->second, .port = port});
  }

  // A node without _output_shapes has the outputs that are read.
  void NeedOutput(std::size_t node, std::size_t port) {
    std::vector<TfTensor>& outputs = graph_.nodes[node].outputs;
    if (port < outputs.size()) {
      return;
    }
    num_outputs_ += port + 1 - outputs.size();
    if (num_outputs_ > kMostOutputs) {
      throw InputError(Place(node) + ": found too many outputs, expected at most 4194304 in all");
    }
    outputs.resize(port + 1, TfTensor{.dtype = readings_[node].output_dtype});
  }

  const ImportFile& file_;
  ProblemList problems_;
  std::vector<NodeReading> readings_;
  std::unordered_map<std::string, std::size_t> index_of_;
  TfGraph graph_;
  std::size_t num_outputs_ = 0;
  std::size_t num_edges_ = 0;
};

}  // namespace

bool TfGraphDefImporter::Recognises(const ImportFile& file, std::string_view path) const {
  if (path.ends_with(".gz")) {
    path.remove_suffix(3);
  }
  return path.ends_with(".pb") ||
         (file.bytes.starts_with('\x0a') && sim::FindTextFlaw(HeadOf(file)).has_value());
}

ImportedGraph TfGraphDefImporter::Import(const ImportFile& file, Options& /*options*/) const {
  const TfGraph graph = GraphDefReader(file).Run();
  ImportedGraph imported;
  imported.summary.nodes_read = graph.nodes.size();
  sim::OpGraphBuilder builder(file.stem, "TensorFlow GraphDef");
  ProblemList problems;
  LowerTfGraph(graph, file.place, builder, imported.summary, problems);
  imported.graph = builder.Build(file.place + ": imported graph", std::move(problems));
  return imported;
}

}  // namespace opyard::graphs

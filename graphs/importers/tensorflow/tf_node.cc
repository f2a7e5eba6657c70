#include "graphs/importers/tensorflow/tf_node.h"

#include <algorithm>
#include <array>

#include <protozero/pbf_reader.hpp>

#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
constexpr std::size_t kMostInputs = std::size_t{1} << 20U;
constexpr std::size_t kLargestRank = 254;  // TensorFlow's own limit

constexpr auto kBytes = pbf_wire_type::length_delimited;
constexpr auto kVarint = pbf_wire_type::varint;

std::string_view View(const protozero::data_view& view) {
  return {view.data(), view.size()};
}

// By TensorFlow's DataType. What is left out are strings, complex numbers and resources.
constexpr auto kDTypes = [] {
  using enum sim::DType;
  std::array<sim::DType, 26> dtypes{};
  dtypes.fill(kOther);
  dtypes[1] = kF32;
  dtypes[2] = kF64;
  dtypes[3] = kI32;
  dtypes[4] = kU8;
  dtypes[5] = kI16;
  dtypes[6] = kI8;
  dtypes[9] = kI64;
  dtypes[10] = kBool;
  dtypes[14] = kBf16;
  dtypes[17] = kI16;
  dtypes[19] = kF16;
  dtypes[22] = kI32;
  dtypes[23] = kI64;
  dtypes[24] = kF8;
  dtypes[25] = kF8;
  return dtypes;
}();

// References (100 more) are as what they refer to.
sim::DType DTypeOf(std::int64_t type) {
  const std::int64_t index = type > 100 ? type - 100 : type;
  return index >= 0 && index < std::ssize(kDTypes) ? kDTypes[static_cast<std::size_t>(index)]
                                                   : sim::DType::kOther;
}

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
      if (shape.size() == kLargestRank) {
        throw InputError("found a shape of more than 254 dimensions, expected fewer");
      }
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

void ReadShapes(pbf_reader list, TfNodeReading& out) {
  while (list.next()) {
    if (list.tag_and_type() == tag_and_type(7, kBytes)) {
      if (out.shapes.size() > kMostTfPort) {
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

void ReadListAttribute(std::string_view key, pbf_reader list, TfNodeReading& out) {
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

void ReadTypeAttribute(std::string_view key, std::int64_t type, TfNodeReading& out) {
  if (key == "dtype") {
    out.dtype = type;
  } else if (key == "T") {
    out.element_type = type;
  } else if (key == "DstT" || key == "out_type" || key == "output_type") {
    out.result_type = type;
  }
}

void ReadAttributeValue(std::string_view key, pbf_reader value, TfNodeReading& out) {
  while (value.next()) {
    switch (value.tag_and_type()) {
      case tag_and_type(1, kBytes):
        ReadListAttribute(key, value.get_message(), out);
        break;
      case tag_and_type(2, kBytes): {
        const std::string_view text = View(value.get_view());
        if (key == "data_format") {
          out.node.attributes.is_channels_first = text.starts_with("NC");
        } else if (key == "equation") {
          out.node.attributes.equation = text;
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

void ReadAttribute(pbf_reader entry, TfNodeReading& out) {
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
sim::DType ResultDType(const TfNodeReading& reading) {
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

void SizeOutputs(TfNodeReading& reading) {
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

}  // namespace

TfNodeReading ReadTfNode(std::string_view bytes) {
  TfNodeReading reading;
  pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, kBytes):
        reading.node.name = message.get_string();
        break;
      case tag_and_type(2, kBytes):
        reading.node.type = message.get_string();
        break;
      case tag_and_type(3, kBytes):
        if (reading.inputs.size() == kMostInputs) {
          throw InputError(
              "found a node with more inputs than can be read, expected at most 1048576");
        }
        reading.inputs.push_back(View(message.get_view()));
        break;
      case tag_and_type(5, kBytes):
        ReadAttribute(message.get_message(), reading);
        break;
      default:
        message.skip();
    }
  }
  SizeOutputs(reading);
  return reading;
}

}  // namespace opyard::graphs

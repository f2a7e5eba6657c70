#include "graphs/importers/tensorflow/tf_tensor_content.h"

#include <bit>
#include <cstring>

#include "graphs/importers/tensorflow/proto_wire.h"

namespace opyard::graphs {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

// DataType, besides those of tf_types.h.
constexpr std::int64_t kDouble = 2;
constexpr std::int64_t kUint8 = 4;
constexpr std::int64_t kInt16 = 5;
constexpr std::int64_t kInt8 = 6;
constexpr std::int64_t kFloat = 1;
constexpr std::int64_t kInt32 = 3;
constexpr std::int64_t kInt64 = 9;
constexpr std::int64_t kBoolean = 10;
constexpr std::int64_t kUint32 = 22;
constexpr std::int64_t kUint64 = 23;

template <class T>
std::vector<double> Unpack(std::string_view content) {
  static_assert(std::endian::native == std::endian::little);
  std::vector<double> elements(content.size() / sizeof(T));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    T element;
    std::memcpy(&element, content.data() + i * sizeof(T), sizeof(T));
    elements[i] = static_cast<double>(element);
  }
  return elements;
}

std::optional<std::vector<double>> UnpackContent(std::int64_t type, std::string_view content) {
  if (content.size() > kMostTfElements * sizeof(double)) {
    return std::nullopt;
  }
  switch (type) {
    case kFloat:
      return Unpack<float>(content);
    case kDouble:
      return Unpack<double>(content);
    case kInt32:
      return Unpack<std::int32_t>(content);
    case kUint8:
      return Unpack<std::uint8_t>(content);
    case kInt16:
      return Unpack<std::int16_t>(content);
    case kInt8:
      return Unpack<std::int8_t>(content);
    case kInt64:
      return Unpack<std::int64_t>(content);
    case kBoolean:
      return Unpack<std::uint8_t>(content);
    case kUint32:
      return Unpack<std::uint32_t>(content);
    case kUint64:
      return Unpack<std::uint64_t>(content);
    default:
      return std::nullopt;
  }
}

// Keeps at most one more than can be followed.
void Append(double value, std::vector<double>& out) {
  if (out.size() <= kMostTfElements) {
    out.push_back(value);
  }
}

template <class Range>
void AppendAll(const Range& values, std::vector<double>& out) {
  for (const auto value : values) {
    Append(static_cast<double>(value), out);
    if (out.size() > kMostTfElements) {
      return;
    }
  }
}

// float_val 5, double_val 6, int_val 7, int64_val 10, bool_val 11, uint32_val 16, uint64_val 17;
// each packed or not. True if the field was one of them.
bool ReadList(pbf_reader& message, std::vector<double>& out) {
  switch (message.tag_and_type()) {
    case tag_and_type(5, kBytes):
      AppendAll(message.get_packed_float(), out);
      return true;
    case tag_and_type(5, pbf_wire_type::fixed32):
      Append(static_cast<double>(message.get_float()), out);
      return true;
    case tag_and_type(6, kBytes):
      AppendAll(message.get_packed_double(), out);
      return true;
    case tag_and_type(6, pbf_wire_type::fixed64):
      Append(message.get_double(), out);
      return true;
    case tag_and_type(7, kBytes):
    case tag_and_type(10, kBytes):
    case tag_and_type(11, kBytes):
    case tag_and_type(16, kBytes):
    case tag_and_type(17, kBytes):
      AppendAll(message.get_packed_int64(), out);
      return true;
    case tag_and_type(7, kVarint):
    case tag_and_type(10, kVarint):
    case tag_and_type(11, kVarint):
    case tag_and_type(16, kVarint):
    case tag_and_type(17, kVarint):
      Append(static_cast<double>(message.get_int64()), out);
      return true;
    default:
      return false;
  }
}

// The number of elements, if it is known and can be followed.
std::optional<std::size_t> CountOf(const TfExtents& extents) {
  if (!extents.has_value()) {
    return std::nullopt;
  }
  std::size_t count = 1;
  for (const std::int64_t extent : *extents) {
    if (extent < 0 || extent > static_cast<std::int64_t>(kMostTfElements)) {
      return std::nullopt;
    }
    count *= static_cast<std::size_t>(extent);
    if (count > kMostTfElements) {
      return std::nullopt;
    }
  }
  return count;
}

}  // namespace

TfTensorContent ReadTfTensor(std::string_view bytes) {
  TfTensorContent tensor{.extents = Shape()};
  std::optional<std::string_view> content;
  std::vector<double> listed;
  pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    if (message.tag_and_type() == tag_and_type(1, kVarint)) {
      tensor.type = message.get_enum();
    } else if (message.tag_and_type() == tag_and_type(2, kBytes)) {
      const auto shape = message.get_view();
      tensor.extents = ReadTfExtents({shape.data(), shape.size()});
    } else if (message.tag_and_type() == tag_and_type(4, kBytes)) {
      const auto view = message.get_view();
      content = std::string_view(view.data(), view.size());
    } else if (!ReadList(message, listed)) {
      message.skip();
    }
  }
  const std::optional<std::size_t> count = CountOf(tensor.extents);
  if (!count.has_value() || !UnpackContent(tensor.type, "").has_value()) {
    return tensor;
  }
  tensor.elements = content.has_value() && !content->empty() ? UnpackContent(tensor.type, *content)
                                                             : std::optional(std::move(listed));
  // Elements that are left out repeat the last; files leave out all zeros.
  if (tensor.elements.has_value() && tensor.elements->size() < *count) {
    tensor.elements->resize(*count, tensor.elements->empty() ? 0.0 : tensor.elements->back());
  }
  if (tensor.elements.has_value() && tensor.elements->size() != *count) {
    tensor.elements.reset();
  }
  return tensor;
}

}  // namespace opyard::graphs

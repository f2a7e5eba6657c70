#include "graphs/importers/tensorflow/proto_encoder.h"

#include <charconv>

#include <protozero/pbf_writer.hpp>

#include "graphs/importers/tensorflow/proto_text.h"
#include "graphs/importers/tensorflow/tf_types.h"
#include "sim/base/error.h"
#include "sim/base/quote.h"

namespace opyard::graphs {
namespace {

constexpr std::size_t kDeepest = 64;

class Encoder {
 public:
  Encoder(std::string_view text, const std::string& place) : text_(text, place), place_(place) {}

  std::string Encode(const ProtoMessage& message) {
    if (++depth_ > kDeepest) {
      throw InputError(place_ + ": found messages within messages, 65 deep, expected at most 64");
    }
    std::string bytes;
    protozero::pbf_writer writer(bytes);
    std::string_view name;
    while (text_.NextField(name)) {
      const ProtoField* field = message.Find(name);
      if (field == nullptr) {
        text_.Skip();
      } else {
        text_.ForEachValue([&] { Write(*field, writer); });
      }
    }
    --depth_;
    return bytes;
  }

 private:
  void Write(const ProtoField& field, protozero::pbf_writer& writer) {
    switch (field.kind) {
      case ProtoKind::kText:
        writer.add_bytes(field.number, text_.Text());
        return;
      case ProtoKind::kInteger:
        writer.add_int64(field.number, text_.Integer());
        return;
      case ProtoKind::kBool:
        writer.add_bool(field.number, text_.Bool());
        return;
      case ProtoKind::kType:
        writer.add_int64(field.number, Type());
        return;
      case ProtoKind::kFloat:
        writer.add_float(field.number, static_cast<float>(text_.Real()));
        return;
      case ProtoKind::kDouble:
        writer.add_double(field.number, text_.Real());
        return;
      case ProtoKind::kMessage:
        text_.EnterMessage();
        writer.add_message(field.number, Encode(*field.message));
        return;
    }
  }

  // DT_FLOAT, or its number.
  std::int64_t Type() {
    const std::string_view name = text_.Name();
    if (const auto type = FindTfType(name)) {
      return *type;
    }
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || stop != name.data() + name.size()) {
      text_.RefuseLast("the element type " + Quoted(name), "a DataType of TensorFlow (DT_FLOAT)");
    }
    return number;
  }

  ProtoText text_;
  const std::string& place_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string EncodeProtoText(std::string_view text,
                            const ProtoMessage& message,
                            const std::string& place) {
  return Encoder(text, place).Encode(message);
}

}  // namespace opyard::graphs

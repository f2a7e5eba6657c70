#include "sim/io/graph/op_json.h"

#include <algorithm>
#include <array>
#include <limits>

#include "sim/io/json/json_text.h"

namespace opyard::sim {
namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInt32Min = std::numeric_limits<std::int32_t>::min();
constexpr const char* kDTypes =
    "f64, f32, tf32, f16, bf16, f8, f4, c128, c64, i64, i32, i16, i8, i4, i2, u8, bool, other";

// An op as it is being read.
struct OpReading {
  OpSpec spec;
  bool has_dtype = false;
  bool has_bad_inputs = false;
  std::vector<bool> output_has_dtype;  // [outputs]
};

struct OutputReading {
  OutputSpec spec;
  bool has_dtype = false;
};

void ReadInto(const JsonCursor& value, std::string& out) {
  out = value.Text().value_or(std::string_view());
}

void ReadInto(const JsonCursor& value, std::int64_t& out) {
  out = value.Integer().value_or(out);
}

void ReadInto(const JsonCursor& value, Bytes& out) {
  out.count = value.Integer().value_or(0);
}

// --- outputs

void ReadShape(const JsonCursor& value, OutputReading& out) {
  value.ForEachItem(
      [&out](const JsonCursor& dim) { out.spec.shape.push_back(dim.Integer().value_or(0)); });
}

void ReadAlias(const JsonCursor& value, OutputReading& out) {
  if (value.kind() == JsonKind::kInteger) {
    const std::optional<std::int64_t> input = value.IntegerIn(0, kInt32Max);
    out.spec.alias = input.has_value() ? Alias::kInput : Alias::kNone;
    out.spec.alias_input = static_cast<std::int32_t>(input.value_or(0));
  } else if (value.kind() == JsonKind::kString && value.Text() == "params") {
    out.spec.alias = Alias::kParams;
  } else {
    value.ReportExpected("the position of an input or \"params\"");
  }
}

constexpr auto kOutputFields = std::to_array<JsonField<OutputReading>>({
    {"bytes", [](const JsonCursor& v, OutputReading& out) { ReadInto(v, out.spec.bytes); }, true},
    {"shape", ReadShape},
    {"dtype",
     [](const JsonCursor& v, OutputReading& out) {
       const std::optional<DType> dtype = ReadEnum(v, FindDType, kDTypes);
       out.spec.dtype = dtype.value_or(DType::kOther);
       out.has_dtype = dtype.has_value();
     }},
    {"alias", ReadAlias},
    {"keep",
     [](const JsonCursor& v, OutputReading& out) { out.spec.keep = v.Bool().value_or(false); }},
});

void ReadOutputs(const JsonCursor& value, OpReading& out) {
  value.ForEachItem([&out](const JsonCursor& item) {
    OutputReading output;
    ReadFields<OutputReading>(item, kOutputFields, output);
    out.spec.outputs.push_back(std::move(output.spec));
    out.output_has_dtype.push_back(output.has_dtype);
  });
}

// Outputs without an element type have that of the op; an op without one has that of its first
// output.
void DeriveDTypes(OpReading& op) {
  std::vector<OutputSpec>& outputs = op.spec.outputs;
  if (!op.has_dtype && !outputs.empty() && op.output_has_dtype[0]) {
    op.spec.dtype = outputs[0].dtype;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].dtype = op.output_has_dtype[i] ? outputs[i].dtype : op.spec.dtype;
  }
}

// --- inputs

std::optional<InputRef> ReadInput(const JsonCursor& value) {
  std::vector<std::optional<std::int64_t>> pair;
  if (!value.ForEachItem([&pair](const JsonCursor& item) { pair.push_back(item.Integer()); })) {
    return std::nullopt;
  }
  if (pair.size() != 2) {
    value.Report("found " + std::to_string(pair.size()) +
                 " items, expected two: an op index and an output index");
    return std::nullopt;
  }
  if (!pair[0].has_value() || !pair[1].has_value()) {
    return std::nullopt;
  }
  return InputRef{.op = *pair[0], .output = *pair[1]};
}

void ReadInputs(const JsonCursor& value, OpReading& out) {
  const bool is_array = value.ForEachItem([&out](const JsonCursor& item) {
    const std::optional<InputRef> input = ReadInput(item);
    out.has_bad_inputs = out.has_bad_inputs || !input.has_value();
    out.spec.inputs.push_back(input.value_or(InputRef()));
  });
  out.has_bad_inputs = out.has_bad_inputs || !is_array;
}

void ReadControlInputs(const JsonCursor& value, OpReading& out) {
  bool is_good = true;
  value.ForEachItem([&](const JsonCursor& item) {
    const std::optional<std::int64_t> op = item.Integer();
    is_good = is_good && op.has_value();
    out.spec.control_inputs.push_back(op.value_or(0));
  });
  if (!is_good) {
    out.spec.control_inputs.clear();  // else positions in later messages would shift
  }
}

// --- work shapes

constexpr auto kGemmFields = std::to_array<JsonField<GemmShape>>({
    {"m", [](const JsonCursor& v, GemmShape& s) { ReadInto(v, s.m); }, true},
    {"n", [](const JsonCursor& v, GemmShape& s) { ReadInto(v, s.n); }, true},
    {"k", [](const JsonCursor& v, GemmShape& s) { ReadInto(v, s.k); }, true},
    {"batch", [](const JsonCursor& v, GemmShape& s) { ReadInto(v, s.batch); }},
});

// Reads the word of an enumerator; `words` in the order of the enumerators.
template <class Pass, std::size_t kWords>
void ReadPass(const JsonCursor& value,
              const std::array<std::string_view, kWords>& words,
              Pass& target) {
  std::string expected;
  for (const std::string_view word : words) {
    expected += (expected.empty() ? "" : ", ") + std::string(word);
  }
  const std::optional<std::string_view> text = value.Text();
  const auto found = std::ranges::find(words, text.value_or(words[0]));
  if (found == words.end()) {
    value.ReportExpected("one of " + expected);
  } else if (text.has_value()) {
    target = static_cast<Pass>(found - words.begin());
  }
}

constexpr auto kConvFields = std::to_array<JsonField<ConvShape>>({
    {"pass", [](const JsonCursor& v, ConvShape& s) { ReadPass(v, kConvPassNames, s.pass); }},
    {"n", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.n); }, true},
    {"c", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.c); }, true},
    {"h", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.h); }, true},
    {"w", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.w); }, true},
    {"k", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.k); }, true},
    {"r", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.r); }, true},
    {"s", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.s); }, true},
    {"pad_h", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.pad_h); }},
    {"pad_w", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.pad_w); }},
    {"stride_h", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.stride_h); }},
    {"stride_w", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.stride_w); }},
    {"groups", [](const JsonCursor& v, ConvShape& s) { ReadInto(v, s.groups); }},
});

constexpr auto kRnnFields = std::to_array<JsonField<RnnShape>>({
    {"pass", [](const JsonCursor& v, RnnShape& s) { ReadPass(v, kRnnPassNames, s.pass); }},
    {"hidden", [](const JsonCursor& v, RnnShape& s) { ReadInto(v, s.hidden); }, true},
    {"batch", [](const JsonCursor& v, RnnShape& s) { ReadInto(v, s.batch); }, true},
    {"timesteps", [](const JsonCursor& v, RnnShape& s) { ReadInto(v, s.timesteps); }, true},
});

constexpr auto kAttentionFields = std::to_array<JsonField<AttentionShape>>({
    {"pass",
     [](const JsonCursor& v, AttentionShape& s) { ReadPass(v, kAttentionPassNames, s.pass); }},
    {"batch", [](const JsonCursor& v, AttentionShape& s) { ReadInto(v, s.batch); }},
    {"heads", [](const JsonCursor& v, AttentionShape& s) { ReadInto(v, s.heads); }},
    {"queries", [](const JsonCursor& v, AttentionShape& s) { ReadInto(v, s.queries); }, true},
    {"keys", [](const JsonCursor& v, AttentionShape& s) { ReadInto(v, s.keys); }, true},
    {"width", [](const JsonCursor& v, AttentionShape& s) { ReadInto(v, s.width); }, true},
    {"value_width", [](const JsonCursor& v, AttentionShape& s) { ReadInto(v, s.value_width); }},
    {"causal",
     [](const JsonCursor& v, AttentionShape& s) { s.causal = v.Bool().value_or(s.causal); }},
    {"flash", [](const JsonCursor& v, AttentionShape& s) { s.flash = v.Bool().value_or(s.flash); }},
});

// A block with errors of form is dropped: its numbers would only cause further messages.
template <class Shape>
void ReadWork(const JsonCursor& value, std::span<const JsonField<Shape>> fields, OpReading& out) {
  if (out.spec.work.has_value()) {
    value.Report("found a second shape block, expected one of gemm, conv, rnn, attention");
  }
  const std::size_t before = value.diagnostics().count();
  Shape shape;
  ReadFields<Shape>(value, fields, shape);
  if (value.diagnostics().count() == before) {
    out.spec.work = shape;
  }
}

// --- the rest

void ReadSeconds(const JsonCursor& value, OpReading& out) {
  value.ForEachMember([&out](std::string_view where, const JsonCursor& time) {
    const std::optional<double> seconds = time.Number();
    if (seconds.has_value()) {
      out.spec.seconds.push_back({.where = std::string(where), .seconds = *seconds});
    }
  });
}

void ReadRelease(const JsonCursor& value, OpReading& out) {
  const std::optional<double> seconds = value.Number();
  if (!seconds.has_value()) {
    return;
  }
  if (FitsInSimTime(*seconds)) {
    out.spec.release = SimTime::FromSeconds(*seconds);
  } else {
    value.Report("found " + NumberText(*seconds) + ", expected seconds from 0 to " +
                 std::to_string(static_cast<std::int64_t>(kLargestSeconds)));
  }
}

void ReadDeviceKinds(const JsonCursor& value, OpReading& out) {
  DeviceKindSet kinds = DeviceKindSet::None();
  bool is_good = true;
  is_good &= value.ForEachItem([&](const JsonCursor& item) {
    const std::optional<DeviceKind> kind = ReadEnum(item, FindDeviceKind, "gpu, cpu, tpu, other");
    is_good = is_good && kind.has_value();
    kinds.Insert(kind.value_or(DeviceKind::kOther));
  });
  out.spec.device_kinds = is_good ? kinds : DeviceKindSet::All();
}

void ReadOptionalBytes(const JsonCursor& value, std::optional<Bytes>& out) {
  const std::optional<std::int64_t> bytes = value.Integer();
  out = bytes.has_value() ? std::optional(Bytes{*bytes}) : std::nullopt;
}

void ReadDType(const JsonCursor& value, OpReading& out) {
  const std::optional<DType> dtype = ReadEnum(value, FindDType, kDTypes);
  out.spec.dtype = dtype.value_or(DType::kOther);
  out.has_dtype = true;
}

void ReadLayer(const JsonCursor& value, OpReading& out) {
  const std::optional<std::int64_t> layer = value.IntegerIn(kInt32Min, kInt32Max);
  if (layer.has_value()) {
    out.spec.layer = static_cast<std::int32_t>(*layer);
  }
}

void ReadName(const JsonCursor& value, OpReading& out) {
  const std::optional<std::string_view> name = value.Name();
  out.spec.name = name.value_or(std::string_view());
}

constexpr auto kOpFields = std::to_array<JsonField<OpReading>>({
    {"name", ReadName, true},
    {"type", [](const JsonCursor& v, OpReading& out) { ReadInto(v, out.spec.type); }, true},
    {"inputs", ReadInputs},
    {"outputs", ReadOutputs},
    {"control_inputs", ReadControlInputs},
    {"flops",
     [](const JsonCursor& v, OpReading& out) { out.spec.flops.count = v.Number().value_or(0.0); }},
    {"bytes_accessed",
     [](const JsonCursor& v, OpReading& out) { ReadOptionalBytes(v, out.spec.bytes_accessed); }},
    {"param_bytes", [](const JsonCursor& v, OpReading& out) { ReadInto(v, out.spec.param_bytes); }},
    {"weight_bytes",
     [](const JsonCursor& v, OpReading& out) { ReadOptionalBytes(v, out.spec.weight_bytes); }},
    {"workspace_bytes",
     [](const JsonCursor& v, OpReading& out) { ReadInto(v, out.spec.workspace_bytes); }},
    {"dtype", ReadDType},
    {"phase",
     [](const JsonCursor& v, OpReading& out) {
       out.spec.phase =
           ReadEnum(v, FindPhase, "forward, backward, update").value_or(Phase::kUnknown);
     }},
    {"layer", ReadLayer},
    {"module",
     [](const JsonCursor& v, OpReading& out) {
       if (const std::optional<std::string_view> path = v.Text()) {
         out.spec.module = std::string(*path);
       }
     }},
    {"colocation",
     [](const JsonCursor& v, OpReading& out) {
       out.spec.colocation = v.Name().value_or(std::string_view());
     }},
    {"device_kinds", ReadDeviceKinds},
    {"fusion_class",
     [](const JsonCursor& v, OpReading& out) {
       out.spec.fusion_class = ReadEnum(
           v, FindFusionClass, "elementwise, broadcast, reduction, reshape, heavy, opaque");
     }},
    {"gemm", [](const JsonCursor& v, OpReading& out) { ReadWork<GemmShape>(v, kGemmFields, out); }},
    {"conv", [](const JsonCursor& v, OpReading& out) { ReadWork<ConvShape>(v, kConvFields, out); }},
    {"rnn", [](const JsonCursor& v, OpReading& out) { ReadWork<RnnShape>(v, kRnnFields, out); }},
    {"attention",
     [](const JsonCursor& v, OpReading& out) {
       ReadWork<AttentionShape>(v, kAttentionFields, out);
     }},
    {"seconds", ReadSeconds},
    {"release", ReadRelease},
});

// Without its inputs, an op cannot say what its outputs alias.
void DropInputs(OpSpec& op) {
  op.inputs.clear();
  for (OutputSpec& output : op.outputs) {
    output.alias = output.alias == Alias::kInput ? Alias::kNone : output.alias;
  }
}

}  // namespace

OpSpec ReadOp(const JsonCursor& op) {
  OpReading reading;
  ReadFields<OpReading>(op, kOpFields, reading);
  DeriveDTypes(reading);
  if (reading.has_bad_inputs) {
    DropInputs(reading.spec);
  }
  if (reading.spec.name.empty()) {
    reading.spec.name =
        op.place().Text();  // reported as missing; stands in for it in other messages
  }
  return std::move(reading.spec);
}

}  // namespace opyard::sim

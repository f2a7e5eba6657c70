#include "graphs/importers/tensorflow/tf_document_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "graphs/importers/tensorflow/proto_text.h"
#include "graphs/importers/tensorflow/proto_wire.h"
#include "sim/base/error.h"

namespace opyard::graphs {
namespace {

using protozero::pbf_reader;

constexpr std::size_t kMostLookedAt = 1000;  // nodes

struct FieldOf {
  std::string_view name;
  const ProtoMessage* message;
};

// Fields that only one of the messages has.
constexpr auto kTopFields = std::to_array<FieldOf>({
    {"cost", &kCostGraphDef},
    {"cost_graph", &kRunMetadata},
    {"collection_def", &kMetaGraphDef},
    {"function_graphs", &kRunMetadata},
    {"graph_def", &kMetaGraphDef},
    {"library", &kGraphDef},
    {"meta_graphs", &kSavedModel},
    {"meta_info_def", &kMetaGraphDef},
    {"partition_graphs", &kRunMetadata},
    {"saved_model_schema_version", &kSavedModel},
    {"saver_def", &kMetaGraphDef},
    {"signature_def", &kMetaGraphDef},
    {"step_stats", &kRunMetadata},
    {"version", &kGraphDef},
    {"versions", &kGraphDef},
});

// The same of nodes.
constexpr auto kNodeFields = std::to_array<FieldOf>({
    {"alias_input_port", &kCostGraphDef},
    {"attr", &kGraphDef},
    {"compute_cost", &kCostGraphDef},
    {"compute_time", &kCostGraphDef},
    {"control_input", &kCostGraphDef},
    {"experimental_debug_info", &kGraphDef},
    {"id", &kCostGraphDef},
    {"input", &kGraphDef},
    {"input_info", &kCostGraphDef},
    {"is_final", &kCostGraphDef},
    {"memory_time", &kCostGraphDef},
    {"op", &kGraphDef},
    {"output_info", &kCostGraphDef},
    {"persistent_memory_size", &kCostGraphDef},
    {"temporary_memory_size", &kCostGraphDef},
});

const ProtoMessage* Find(std::span<const FieldOf> fields, std::string_view name) {
  const auto found = std::ranges::find(fields, name, &FieldOf::name);
  return found == fields.end() ? nullptr : found->message;
}

// Passes a node; `message` becomes the one that its fields identify, unless it is known.
void FindInNode(ProtoText& text, const ProtoMessage*& message) {
  std::string_view name;
  text.EnterMessage();
  while (text.NextField(name)) {
    if (message == nullptr) {
      message = Find(kNodeFields, name);
    }
    text.Skip();
  }
}

// "MatMul", "_FusedMatMul", "Package>Op", or the name of a function.
bool IsOpType(std::string_view text) {
  return !text.empty() && text[0] != '/' && std::ranges::all_of(text, [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("_-.>/").find(static_cast<char>(letter)) != std::string_view::npos;
  });
}

// StepStats of RunMetadata: the first device is "/job:…".
bool IsStepStats(std::string_view bytes) {
  try {
    for (int depth = 0; depth < 2; ++depth) {
      pbf_reader message(bytes.data(), bytes.size());
      if (!message.next(1, kBytes)) {
        return false;
      }
      const auto view = message.get_view();
      bytes = {view.data(), view.size()};
    }
  } catch (const protozero::exception&) {
    return false;
  }
  return bytes.starts_with("/job:") || bytes.starts_with("/device:") || bytes.starts_with("/host:");
}

// The kind of a node by the fields that NodeDef or CostGraphDef.Node has alone. The second field is
// an op or a device, "/job:…".
const ProtoMessage* FindNodeKind(pbf_reader node) {
  bool has_op = false;
  while (node.next()) {
    const protozero::pbf_tag_type tag = node.tag();
    const bool is_varint = node.wire_type() == kVarint;
    if ((tag == 3 && is_varint) || (tag >= 6 && tag <= 17 && is_varint)) {
      return &kCostGraphDef;
    }
    if (tag == 2 && node.wire_type() == kBytes) {
      const auto view = node.get_view();
      has_op = IsOpType({view.data(), view.size()});
    } else {
      node.skip();
    }
  }
  return has_op ? &kGraphDef : nullptr;
}

// The kind of the first nodes of what would be a graph.
const ProtoMessage* FindGraphKind(pbf_reader graph) {
  std::size_t count = 0;
  const ProtoMessage* message = nullptr;
  while (message == nullptr && count < kMostLookedAt && graph.next(1, kBytes)) {
    message = FindNodeKind(graph.get_message());
    ++count;
  }
  return message;
}

const ProtoMessage* Within(const ProtoMessage* graph) {
  if (graph == nullptr) {
    return nullptr;
  }
  return graph == &kGraphDef ? &kMetaGraphDef : &kRunMetadata;
}

const ProtoMessage* FindWire(pbf_reader message) {
  std::size_t count = 0;
  const ProtoMessage* found = nullptr;
  while (found == nullptr && count < kMostLookedAt && message.next()) {
    ++count;
    if (message.tag() == 1 && message.wire_type() == kVarint) {
      constexpr std::uint64_t kSchemaVersion = 1;
      const bool is_saved_model = message.get_uint64() == kSchemaVersion && message.next() &&
                                  message.tag() == 2 && message.wire_type() == kBytes;
      return is_saved_model ? &kSavedModel : nullptr;
    }
    if (message.tag() == 1 && message.wire_type() == kBytes) {
      const auto view = message.get_view();
      found =
          IsStepStats({view.data(), view.size()}) ? &kRunMetadata : FindNodeKind(pbf_reader(view));
    } else if (message.tag() == 2 && message.wire_type() == kBytes) {
      found = Within(FindGraphKind(message.get_message()));
    } else {
      message.skip();
    }
  }
  return found;
}

}  // namespace

const ProtoMessage* FindTextMessage(std::string_view text) {
  const std::string place;
  ProtoText walk(text, place);
  const ProtoMessage* message = nullptr;
  try {
    std::string_view name;
    for (std::size_t i = 0; message == nullptr && i < kMostLookedAt && walk.NextField(name); ++i) {
      message = Find(kTopFields, name);
      if (message == nullptr && name == "node") {
        walk.ForEachValue([&] { FindInNode(walk, message); });
      } else if (message == nullptr) {
        walk.Skip();
      }
    }
  } catch (const InputError&) {
    // It ends within the head of the file, or is damaged there.
  }
  return message;
}

const ProtoMessage* FindWireMessage(std::string_view bytes) {
  try {
    return FindWire(pbf_reader(bytes.data(), bytes.size()));
  } catch (const protozero::exception&) {
    return nullptr;
  }
}

bool BeginsAsProtoText(std::string_view text) {
  std::size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    }
  };
  skip_blanks();
  while (at < text.size() && text[at] == '#') {
    at = std::min(text.find('\n', at), text.size());
    skip_blanks();
  }
  const std::size_t begin = at;
  while (at < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_')) {
    ++at;
  }
  const std::string_view name = text.substr(begin, at - begin);
  const bool is_known = name == "node" || Find(kTopFields, name) != nullptr;
  skip_blanks();
  const char next = at < text.size() ? text[at] : '\0';
  return is_known && (next == ':' || next == '{' || next == '<' || next == '[');
}

}  // namespace opyard::graphs

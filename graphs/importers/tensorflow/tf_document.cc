#include "graphs/importers/tensorflow/tf_document.h"

#include <algorithm>

#include "graphs/importers/tensorflow/proto_encoder.h"
#include "graphs/importers/tensorflow/proto_wire.h"
#include "graphs/importers/tensorflow/tf_document_kind.h"
#include "sim/base/error.h"
#include "sim/io/text/text_file.h"
#include "sim/io/text/utf8.h"

namespace opyard::graphs {
namespace {

using protozero::pbf_reader;
using protozero::tag_and_type;

constexpr std::size_t kHead = std::size_t{1} << 16U;

// The first message in field `tag`.
std::string_view FirstOf(std::string_view message, protozero::pbf_tag_type tag) {
  pbf_reader reader = Reader(message);
  return reader.next(tag, kBytes) ? View(reader.get_view()) : std::string_view();
}

// The nodes of the tensors "node:port" that the signature gives: of map entries, the values.
void AddOutputs(std::string_view signature, std::vector<std::string_view>& fetches) {
  pbf_reader reader = Reader(signature);
  while (reader.next(2, kBytes)) {
    const std::string_view tensor = FirstOf(FirstOf(View(reader.get_view()), 2), 1);
    if (!tensor.empty()) {
      fetches.push_back(tensor.substr(0, tensor.rfind(':')));
    }
  }
}

// The signature that serves by default, or else the first with outputs.
std::vector<std::string_view> FetchesOf(std::string_view meta_graph) {
  std::vector<std::string_view> fetches;
  pbf_reader reader = Reader(meta_graph);
  while (reader.next(5, kBytes)) {
    const std::string_view entry = View(reader.get_view());
    const bool is_default = FirstOf(entry, 1) == "serving_default";
    if (fetches.empty() || is_default) {
      std::vector<std::string_view> own;
      AddOutputs(FirstOf(entry, 2), own);
      fetches = own.empty() ? fetches : own;
      if (is_default && !own.empty()) {
        return fetches;
      }
    }
  }
  return fetches;
}

// `bytes` as wire format, and what they hold.
struct Opened {
  std::shared_ptr<const std::string> encoded;
  std::string_view bytes;
  const ProtoMessage* message = nullptr;
};

Opened Open(std::string_view bytes, const ProtoMessage& usual, const std::string& place) {
  Opened opened{.bytes = bytes};
  if (BeginsAsProtoText(bytes.substr(0, kHead))) {
    sim::EnsureUtf8(bytes, place);
    opened.message = FindTextMessage(bytes);
    opened.message = opened.message == nullptr ? &usual : opened.message;
    opened.encoded =
        std::make_shared<const std::string>(EncodeProtoText(bytes, *opened.message, place));
    opened.bytes = *opened.encoded;
    return opened;
  }
  opened.message = FindWireMessage(bytes);
  opened.message = opened.message == nullptr ? &usual : opened.message;
  return opened;
}

std::string_view MetaGraphOf(const Opened& opened) {
  return opened.message == &kSavedModel ? FirstOf(opened.bytes, 2) : opened.bytes;
}

}  // namespace

TfDocument FindTfDocument(std::string_view bytes, std::string_view path) {
  if (path.ends_with(".gz")) {
    path.remove_suffix(3);
  }
  const std::string_view head = bytes.substr(0, kHead);
  const bool is_text = BeginsAsProtoText(head);
  const bool is_binary =
      path.ends_with(".pb") || path.ends_with(".meta") || sim::FindTextFlaw(head).has_value();
  const ProtoMessage* message = is_text     ? FindTextMessage(head)
                                : is_binary ? FindWireMessage(bytes)
                                            : nullptr;
  if (message == &kCostGraphDef || message == &kRunMetadata) {
    return TfDocument::kCostGraph;
  }
  if (message != nullptr) {
    return TfDocument::kGraph;
  }
  if (is_text) {
    return TfDocument::kCostGraph;
  }
  return path.ends_with(".pb") ? TfDocument::kGraph : TfDocument::kNone;
}

TfGraphMessage ReadTfGraphMessage(std::string_view bytes, const std::string& place) {
  const Opened opened = Open(bytes, kGraphDef, place);
  TfGraphMessage message{.encoded = opened.encoded, .graph = opened.bytes};
  if (opened.message != &kMetaGraphDef && opened.message != &kSavedModel) {
    return message;
  }
  try {
    const std::string_view meta_graph = MetaGraphOf(opened);
    message.graph = FirstOf(meta_graph, 2);
    message.fetches = FetchesOf(meta_graph);
  } catch (const protozero::exception& damage) {
    throw InputError(place + ": found damaged data (" + damage.what() +
                     "), expected a MetaGraphDef in Protocol Buffers' wire format");
  }
  if (message.graph.empty()) {
    throw InputError(place + ": found a model without a graph, expected one");
  }
  return message;
}

TfGraphMessage ReadTfCostGraphMessage(std::string_view bytes, const std::string& place) {
  const Opened opened = Open(bytes, kCostGraphDef, place);
  TfGraphMessage message{.encoded = opened.encoded, .graph = opened.bytes};
  if (opened.message != &kRunMetadata) {
    return message;
  }
  try {
    message.graph = FirstOf(opened.bytes, 2);
  } catch (const protozero::exception& damage) {
    throw InputError(place + ": found damaged data (" + damage.what() +
                     "), expected RunMetadata in Protocol Buffers' wire format");
  }
  if (message.graph.empty()) {
    throw InputError(place +
                     ": found RunMetadata without a cost_graph, expected one; run the step with "
                     "build_cost_model=1");
  }
  return message;
}

}  // namespace opyard::graphs

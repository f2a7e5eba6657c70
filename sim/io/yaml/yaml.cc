#include "sim/io/yaml/yaml.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "sim/base/input_file.h"
#include "sim/io/text/utf8.h"
#include "sim/io/yaml/other_format.h"

namespace opyard::sim {
namespace {

std::string PlaceOf(const std::string& file, int line, int column) {
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

// Why the reading of a file ends early; never leaves this file.
struct Refusal {
  int line = 1;
  int column = 1;
  std::string message;
};

// Builds the tree from yaml-cpp's events and stops at the first value beyond a limit, so that
// neither depth nor aliases cost more than the limits allow.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string place, Diagnostics& diagnostics, const YamlLimits& limits)
      : place_(std::move(place)), diagnostics_(&diagnostics), limits_(limits) {}

  YamlNode TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    Move(mark);
    if (++documents_ > 1) {
      Refuse("found more after the end of the document, expected one document per file");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(NewNode(mark, "", YamlNode::Kind::kNull), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Move(mark);
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      Refuse("this alias refers to a value that it is part of");
    }
    Charge(found->second);
    YamlNode copy = found->second;
    copy.line = line_;
    copy.column = column_;
    Add(std::move(copy), YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark,
                const std::string& tag,
                YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node = NewNode(mark, tag, YamlNode::Kind::kScalar);
    node.text = value;
    node.is_quoted = tag == "!";
    text_bytes_ += value.size();
    CheckLimits();
    Add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark,
                       const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(NewNode(mark, tag, YamlNode::Kind::kSequence), anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(NewNode(mark, tag, YamlNode::Kind::kMap), anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  // A list or map that is not closed yet.
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    YamlNode key;  // of a map: the key whose value comes next
    bool has_key = false;
    std::set<std::string> seen;
  };

  [[noreturn]] void Refuse(const std::string& message) const {
    throw Refusal{.line = line_, .column = column_, .message = message};
  }

  // Remembers where the reading stands; yaml-cpp has no mark for some empty values.
  void Move(const YAML::Mark& mark) {
    if (mark.line >= 0 && mark.column >= 0) {
      line_ = mark.line + 1;
      column_ = mark.column + 1;
    }
  }

  YamlNode NewNode(const YAML::Mark& mark, const std::string& tag, YamlNode::Kind kind) {
    Move(mark);
    const bool is_plain = tag.empty() || tag == "?";
    if (!is_plain && !(tag == "!" && kind == YamlNode::Kind::kScalar)) {
      Refuse("found the tag " + ShownText(tag) + ", expected a value without a tag");
    }
    ++values_;
    CheckLimits();
    YamlNode node;
    node.kind = kind;
    node.line = line_;
    node.column = column_;
    return node;
  }

  void CheckLimits() const {
    if (values_ > limits_.values || text_bytes_ > limits_.text_bytes) {
      Refuse("the file holds more than " + std::to_string(limits_.values) + " values or " +
             std::to_string(limits_.text_bytes) + " bytes of text, aliases written out");
    }
  }

  // Counts a copy of `node` before it is made.
  void Charge(const YamlNode& node) {
    ++values_;
    text_bytes_ += node.text.size();
    CheckLimits();
    for (const YamlNode& item : node.items) {
      Charge(item);
    }
    for (const YamlNode::Entry& entry : node.entries) {
      text_bytes_ += entry.key.size();
      Charge(entry.value);
    }
  }

  void Open(YamlNode node, YAML::anchor_t anchor) {
    if (frames_.size() >= limits_.depth) {
      Refuse("lists and maps are nested deeper than " + std::to_string(limits_.depth) + " levels");
    }
    Frame& frame = frames_.emplace_back();
    frame.node = std::move(node);
    frame.anchor = anchor;
  }

  void Close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Add(std::move(frame.node), frame.anchor);
  }

  // Puts a finished value where it belongs.
  void Add(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      Charge(node);
      anchors_[anchor] = node;
    }
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == YamlNode::Kind::kSequence) {
      frame.node.items.push_back(std::move(node));
    } else if (frame.has_key) {
      frame.has_key = false;
      AddEntry(frame, std::move(node));
    } else {
      frame.has_key = true;
      frame.key = std::move(node);
    }
  }

  // A key that is no text or stands twice becomes a problem, and its value is left out.
  void AddEntry(Frame& frame, YamlNode value) {
    const YamlNode& key = frame.key;
    const std::string place = PlaceOf(place_, key.line, key.column);
    if (key.kind != YamlNode::Kind::kScalar) {
      diagnostics_->AddError(place, "found " + Describe(key) + " as a key, expected a word");
    } else if (!frame.seen.insert(key.text).second) {
      diagnostics_->AddError(place, "key \"" + ShownText(key.text) + "\" stands twice in this map");
    } else {
      frame.node.entries.push_back(
          {.key = key.text, .line = key.line, .column = key.column, .value = std::move(value)});
    }
  }

  std::string place_;
  Diagnostics* diagnostics_;
  YamlLimits limits_;
  int documents_ = 0;
  int line_ = 1;
  int column_ = 1;
  std::size_t values_ = 0;
  std::size_t text_bytes_ = 0;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  YamlNode root_;
};

// Refuses what no text file holds.
void CheckBytes(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    throw Refusal{.message = "the file is larger than " + std::to_string(limits.bytes) + " bytes"};
  }
  if (const std::optional<TextFlaw> flaw = FindTextFlaw(text)) {
    throw Refusal{.line = flaw->line,
                  .column = flaw->column,
                  .message = "found " + flaw->what + ", expected UTF-8 text"};
  }
}

// A tab among the spaces that `line` (from 1) begins with: YAML indents with spaces only, and its
// parser says of tabs what their lines would mean without them.
std::optional<Refusal> FindIndentingTab(std::string_view text, int line) {
  for (int skipped = 1; skipped < line; ++skipped) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos || text[first] != '\t') {
    return std::nullopt;
  }
  return Refusal{.line = line,
                 .column = static_cast<int>(first) + 1,
                 .message = "found a tab, expected spaces: YAML indents with spaces only"};
}

// Feeds the events of `text` to `builder`.
void ParseInto(TreeBuilder& builder, std::string_view text) {
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) {
      throw Refusal{.message = "the file is empty"};
    }
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    if (const auto tab = FindIndentingTab(text, std::max(error.mark.line, 0) + 1)) {
      throw *tab;
    }
    throw Refusal{.line = std::max(error.mark.line, 0) + 1,
                  .column = std::max(error.mark.column, 0) + 1,
                  .message = "not valid YAML: " + ShownText(error.msg, 200)};
  }
}

// Graphs and plans: JSON is YAML, too.
bool IsOurJson(const YamlNode& root) {
  const YamlNode* format = root.Find("format");
  return format != nullptr && format->text.starts_with("opyard-");
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &found->value;
}

std::optional<YamlNode> ParseYaml(std::string_view text,
                                  const std::string& place,
                                  Diagnostics& diagnostics,
                                  const YamlLimits& limits) {
  TreeBuilder builder(place, diagnostics, limits);
  try {
    CheckBytes(text, limits);
    ParseInto(builder, text);
  } catch (const Refusal& refusal) {
    diagnostics.AddError(PlaceOf(place, refusal.line, refusal.column), refusal.message);
    return std::nullopt;
  }
  return builder.TakeRoot();
}

std::optional<YamlNode> ReadYamlFile(const std::filesystem::path& path,
                                     Diagnostics& diagnostics,
                                     YamlFile expected) {
  const InputBytes input = ReadInputFile(path, YamlLimits().bytes);
  if (!input.problem.empty()) {
    diagnostics.AddError(InputName(path), input.problem);
    return std::nullopt;
  }
  Diagnostics own;
  std::optional<YamlNode> root = ParseYaml(input.bytes, InputName(path), own);
  if (root.has_value() && IsOurJson(*root)) {
    diagnostics.AddError(InputName(path),
                         "found a file of the format " + ShownText(root->Find("format")->text) +
                             ", expected YAML: a machine, a device or an experiment");
    return std::nullopt;
  }
  if (const auto other = FindOtherFormat(input.bytes, root ? &*root : nullptr, expected)) {
    diagnostics.AddError(InputName(path), *other);
    return std::nullopt;
  }
  diagnostics.Append(own);
  return root;
}

}  // namespace opyard::sim

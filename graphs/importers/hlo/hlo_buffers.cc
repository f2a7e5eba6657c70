#include "graphs/importers/hlo/hlo_buffers.h"

#include <algorithm>

namespace opyard::graphs {
namespace {

// The tensors of ops, numbered through, and who reads them last. Views count for what they show.
class LastReaders {
 public:
  explicit LastReaders(const std::vector<sim::OpSpec>& ops) : ops_(ops) {
    for (const sim::OpSpec& op : ops) {
      first_.push_back(shown_.size());
      for (const sim::OutputSpec& output : op.outputs) {
        const bool is_view = output.alias == sim::Alias::kInput;
        const std::size_t own = shown_.size();
        shown_.push_back(is_view ? Shown(op.inputs[static_cast<std::size_t>(output.alias_input)])
                                 : own);
        is_kept_.push_back(false);
        if (output.keep) {
          is_kept_[shown_.back()] = true;
        }
      }
    }
    last_.resize(shown_.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
      for (const sim::InputRef& input : ops[i].inputs) {
        last_[Shown(input)] = i;
      }
    }
  }

  [[nodiscard]] bool IsFreeAfter(const sim::InputRef& tensor, std::size_t reader) const {
    return last_[Shown(tensor)] == reader && !is_kept_[Shown(tensor)];
  }
  // The op that made what `tensor` shows.
  [[nodiscard]] const sim::OpSpec& MakerOf(const sim::InputRef& tensor) const {
    const auto after = std::ranges::upper_bound(first_, Shown(tensor));
    return ops_[static_cast<std::size_t>(after - first_.begin()) - 1];
  }

 private:
  [[nodiscard]] std::size_t Shown(const sim::InputRef& tensor) const {
    return shown_[first_[static_cast<std::size_t>(tensor.op)] +
                  static_cast<std::size_t>(tensor.output)];
  }

  const std::vector<sim::OpSpec>& ops_;
  std::vector<std::size_t> first_;  // tensor of each op
  std::vector<std::size_t> shown_;  // the tensor that each is a view of, or itself
  std::vector<bool> is_kept_;
  std::vector<std::size_t> last_;
};

}  // namespace

void UpdateInPlace(const std::vector<HloUpdate>& updates, std::vector<sim::OpSpec>& ops) {
  const LastReaders readers(ops);
  std::vector<bool> in_place;
  for (const HloUpdate& update : updates) {
    const sim::InputRef& target = ops[update.op].inputs[update.input];
    const std::string& maker = readers.MakerOf(target).type;
    in_place.push_back(readers.IsFreeAfter(target, update.op) && maker != "Placeholder" &&
                       maker != "Const");
  }
  for (std::size_t i = 0; i < updates.size(); ++i) {
    sim::OpSpec& op = ops[updates[i].op];
    if (in_place[i]) {
      op.outputs[0].alias = sim::Alias::kInput;
      op.outputs[0].alias_input = static_cast<std::int32_t>(updates[i].input);
    } else if (op.bytes_accessed.has_value()) {
      op.bytes_accessed = *op.bytes_accessed + updates[i].bytes_of_copy;
    }
  }
}

}  // namespace opyard::graphs

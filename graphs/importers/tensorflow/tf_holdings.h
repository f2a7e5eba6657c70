// Objects behind the handles that ops give: variables, lists of tensors, iterators, queues.
#pragma once

#include <memory>

#include "graphs/importers/tensorflow/tf_value.h"

namespace opyard::graphs {

// The object behind output `port`; null where it is no handle or nothing is known. A handle that is
// passed on (Identity, Switch, Enter) stands for the same.
[[nodiscard]] std::shared_ptr<const TfHolding> FindTfHolding(const TfOp& op, std::size_t port);

}  // namespace opyard::graphs

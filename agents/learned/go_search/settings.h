// The settings of go_search, with their defaults. Needs no LibTorch.
#pragma once

#include <cstdint>

#include "agents/learned/go/settings.h"

namespace opyard::agents::go_search {

enum class SearchKind : std::uint8_t { kLocalSearch, kAnnealing };

// The settings of the agent that searches on from the best plan of GO and of those that `go.start`
// names.
struct Settings {
  go::Settings go;
  double share = 0.1;  // of the budget for GO
  SearchKind search = SearchKind::kLocalSearch;
  bool is_guided = true;  // whether moves are sampled by what the network thinks of devices
};

}  // namespace opyard::agents::go_search

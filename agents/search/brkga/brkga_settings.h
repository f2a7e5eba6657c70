// The settings and options of `brkga`.
#pragma once

#include "agents/base/option_table.h"
#include "agents/genetic/brkga_options.h"
#include "agents/genetic/kind_betas.h"

namespace opyard::agents {

struct BrkgaSettings {
  BrkgaOptions search;
  KindBetas betas;
};

[[nodiscard]] inline OptionTable<BrkgaSettings> BrkgaTable() {
  return OptionTable<BrkgaSettings>()
      .With(&BrkgaSettings::search, BrkgaOptionTable())
      .With(&BrkgaSettings::betas, KindBetaTable());
}

}  // namespace opyard::agents

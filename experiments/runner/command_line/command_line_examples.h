// Examples at the end of each help.
#pragma once

namespace CLI {
class App;
}  // namespace CLI

namespace opyard::experiments {

// Adds them to `app` and to all verbs below it. REQUIRES: there are some for each.
void AddExamples(CLI::App& app);

}  // namespace opyard::experiments

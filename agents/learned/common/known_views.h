// Views of problems, each made once, however often its problem is sampled.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "env/problem_pool.h"

namespace opyard::agents {

// The views of the problems that a training has sampled, by name. A `View` may point to its
// problem, which is kept beside it.
template <class View>
class KnownViews {
 public:
  // That of `sampled`, which `make` makes of the problem if it is not known. Valid until the next
  // call.
  template <class Make>
  const View& Of(const env::PooledProblem& sampled, const Make& make) {
    return *Shared(sampled, make);
  }
  // The same, for as long as it is held.
  template <class Make>
  std::shared_ptr<const View> Shared(const env::PooledProblem& sampled, const Make& make) {
    if (known_.size() >= kMost && !known_.contains(sampled.name)) {
      known_.clear();
    }
    std::shared_ptr<const Known>& known = known_[sampled.name];
    if (known == nullptr) {
      known = std::make_shared<const Known>(Known{sampled.problem, make(*sampled.problem)});
    }
    return {known, &known->view};
  }

 private:
  static constexpr std::size_t kMost = 1024;
  struct Known {
    std::shared_ptr<const env::Problem> problem;
    View view;
  };
  std::map<std::string, std::shared_ptr<const Known>> known_;
};

}  // namespace opyard::agents

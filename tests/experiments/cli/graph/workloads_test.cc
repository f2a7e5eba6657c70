#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "sim/base/data_root.h"
#include "tests/experiments/workplace.h"

namespace opyard::experiments {
namespace {

std::string CommittedPage() {
  std::ifstream file(DataRoot() / "docs" / "workloads.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(GraphWorkloadsTest, TheCommittedPageIsWhatTheCommandPrints) {
  const testing::Ended ended = testing::RunCommand({"graph", "workloads"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(ended.out, CommittedPage()) << "opyard graph workloads > docs/workloads.md";
}

}  // namespace
}  // namespace opyard::experiments

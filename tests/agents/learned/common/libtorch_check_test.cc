#include "agents/learned/common/libtorch_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/learned/learned_agents.h"

namespace opyard::agents {
namespace {

TEST(LibTorchCheckTest, TellsTheVersionAfterComputing) {
  ASSERT_EQ(LearnedAgents().checks().size(), 1U);
  EXPECT_THAT(LearnedAgents().checks().front().run(),
              ::testing::StartsWith(std::string("LibTorch ") + LibTorchVersion() + " computes"));
}

}  // namespace
}  // namespace opyard::agents

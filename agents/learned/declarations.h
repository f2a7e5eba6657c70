// The learned agents, one line each, known with and without LibTorch.
#pragma once

#include "agents/learned/doppler/declaration.h"
#include "agents/learned/go/declaration.h"
#include "agents/learned/go_search/declaration.h"
#include "agents/learned/hdp/declaration.h"
#include "agents/learned/placeto/declaration.h"
#include "agents/learned/regal/declaration.h"
#include "agents/learned/reinforce_lstm/declaration.h"

namespace opyard::agents {

// The agents that libopyard_learned makes (learned_agents.h) and that a program without it names
// (agents/missing_learned.h): one list, so that the two cannot differ.
template <class... Declarations>
struct DeclarationList {};

using LearnedDeclarations = DeclarationList<doppler::Declaration,
                                            regal::GasDeclaration,
                                            go::Declaration,
                                            go::FinetuneDeclaration,
                                            go::ZeroshotDeclaration,
                                            go_search::Declaration,
                                            hdp::Declaration,
                                            placeto::Declaration,
                                            regal::Declaration,
                                            reinforce_lstm::Declaration>;

}  // namespace opyard::agents

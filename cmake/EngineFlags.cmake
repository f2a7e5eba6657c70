# What makes the engine's loop, one large function, 2 to 4 % faster where the compiler knows it
# (docs/decisions/0009): registers given out over the whole function, and branches kept off the
# 32-byte boundaries at which older Intel processors forget what they have decoded.

include(CheckCXXCompilerFlag)

check_cxx_compiler_flag(-fira-region=one OPYARD_HAS_IRA_REGION)
check_cxx_compiler_flag(-Wa,-mbranches-within-32B-boundaries OPYARD_HAS_BRANCH_BOUNDARIES)

set(engine_flags
    $<$<BOOL:${OPYARD_HAS_IRA_REGION}>:-fira-region=one>
    $<$<BOOL:${OPYARD_HAS_BRANCH_BOUNDARIES}>:-Wa,-mbranches-within-32B-boundaries>)
set_source_files_properties(sim/engine/run/execution.cc PROPERTIES COMPILE_OPTIONS
                                                               "$<$<CONFIG:Release>:${engine_flags}>")

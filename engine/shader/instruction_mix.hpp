// What a driver's assembly is made of.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/shader/module.hpp"

namespace attnscope {

/// What to look for first comes first.
enum class InstructionKind { spill, matrix, vector, scalar, shared_memory, memory, control, none };
inline constexpr size_t kInstructionKinds = size_t(InstructionKind::none);
const char* to_text(InstructionKind);

/// Of a line of an assembly or IR; `none`: of a label, a comment, an empty line.
InstructionKind instruction_kind(std::string_view line);

/// Lines by kind.
using InstructionMix = std::array<uint64_t, kInstructionKinds>;
uint64_t total(const InstructionMix&);
/// nullopt: the text is IR or SPIR-V.
std::optional<InstructionMix> instruction_mix(const ShaderText&);

}  // namespace attnscope

// Counts of the instructions in a driver's assembly.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/shader/module.hpp"

namespace attnscope {

/// In order of priority.
enum class InstructionKind { spill, matrix, vector, scalar, shared_memory, memory, control, none };
inline constexpr size_t kInstructionKinds = size_t(InstructionKind::none);
const char* to_text(InstructionKind);

/// The kind of a line of assembly or IR; `none`: a label, a comment, an empty line.
InstructionKind instruction_kind(std::string_view line);

/// Lines by kind.
using InstructionMix = std::array<uint64_t, kInstructionKinds>;
uint64_t total(const InstructionMix&);
/// nullopt: the text is IR or SPIR-V.
std::optional<InstructionMix> instruction_mix(const ShaderText&);

}  // namespace attnscope

// A shader as text: a driver's IR and assembly, or SPIR-V.
#pragma once

#include <string>

#include "engine/shader/module.hpp"

namespace attnscope {

struct ShaderText {
  std::string pass;        ///< of the plan
  std::string executable;  ///< the driver's; "" of SPIR-V
  std::string name, description;
  std::string text;
  bool operator==(const ShaderText&) const = default;
};

/// The module as readable text. The error is of a module that is none.
Result<std::string> disassemble(const Spirv&);

}  // namespace attnscope

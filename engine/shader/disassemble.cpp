#include <sstream>

#include <glslang/SPIRV/disassemble.h>

#include "engine/shader/module.hpp"

namespace attnscope {

Result<std::string> disassemble(const Spirv& spirv) {
  // The disassembler ends the process over what is not a module.
  if (Result<Reflection> module = reflect(spirv); !module) return module.error();
  std::ostringstream text;
  spv::Disassemble(text, *spirv);
  return text.str();
}

}  // namespace attnscope

// A SPIR-V module, indexed: the tables that reflection and specialization read. Internal to this module.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/result.hpp"
#include "engine/shader/module.hpp"

namespace attnscope::spirv {

struct Instruction {
  uint32_t op = 0;
  std::span<const uint32_t>
      args;  ///< every word after the first: result type and result id come first, where there are any
};

struct Function {
  uint32_t id = 0;
  std::vector<uint32_t> calls;      ///< ids of called functions, and others
  std::vector<uint32_t> variables;  ///< ids of its Function variables
  size_t begin = 0, end = 0;        ///< instructions, half open
};

struct Module {
  Spirv words;  ///< keeps every span alive
  std::vector<Instruction> instructions;
  std::unordered_map<uint32_t, size_t> definition;  ///< result id -> instruction
  std::unordered_map<uint32_t, std::string> names;
  std::map<std::pair<uint32_t, uint32_t>, std::string> member_names;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> member_offsets;
  std::unordered_map<uint32_t, uint32_t> spec_ids, bindings, descriptor_sets, array_strides;
  std::set<uint32_t> blocks;               ///< struct types decorated Block
  std::set<uint32_t> buffer_blocks;        ///< or BufferBlock
  std::vector<uint32_t> global_variables;  ///< ids, in order
  std::vector<uint32_t> capabilities;
  std::vector<Function> functions;
  uint32_t entry_function = 0;
  std::string entry_name;
  uint32_t workgroup_size_constant = 0;  ///< id decorated BuiltIn WorkgroupSize; 0 = none
  Instruction local_size;                ///< the OpExecutionMode(Id) that says the local size; op 0 = none

  const Instruction* find(uint32_t id) const;
  std::string name_of(uint32_t id) const;
  /// Functions that the entry point can reach, itself included.
  std::vector<const Function*> reachable() const;
  /// Global variables named anywhere in reachable functions. An id that happens to equal a literal counts too, so this
  /// may name one variable too many and never one too few.
  std::set<uint32_t> used_globals() const;
};

/// Refuses what is not a well-formed compute module; the error says at which word.
Result<Module> parse(const Spirv&);

}  // namespace attnscope::spirv

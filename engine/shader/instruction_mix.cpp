#include "engine/shader/instruction_mix.hpp"

#include <numeric>

#include "engine/words.hpp"

namespace attnscope {
namespace {

using K = InstructionKind;
struct Words {
  std::string_view begin;  ///< of a word of the line
  K kind;
};
/// RADV's, NVK's, ANV's and Turnip's assembly, RADV's IR, SPIR-V. The first row that fits counts.
constexpr Words kWords[] = {
    {"scratch_", K::spill},
    {"p_spill", K::spill},
    {"p_reload", K::spill},
    {"ld.local", K::spill},
    {"st.local", K::spill},
    {"stp.", K::spill},
    {"ss )", K::spill},  // ANV says below a `send` what it sends: to the surface of the scratch memory
    {"ldp.", K::spill},
    {"v_wmma", K::matrix},
    {"v_swmmac", K::matrix},
    {"v_mfma", K::matrix},
    {"v_smfmac", K::matrix},
    {"dpas", K::matrix},
    {"hmma", K::matrix},
    {"imma", K::matrix},
    {"CooperativeMatrixMulAdd", K::matrix},
    {"ds_", K::shared_memory},
    {"ld.shared", K::shared_memory},
    {"st.shared", K::shared_memory},
    {"buffer_", K::memory},
    {"global_", K::memory},
    {"flat_", K::memory},
    {"s_load", K::memory},
    {"s_buffer_load", K::memory},
    {"ld.global", K::memory},
    {"st.global", K::memory},
    {"ldc", K::memory},
    {"slm MsgDesc", K::shared_memory},
    {"gateway", K::control},
    {"MsgDesc", K::memory},
    {"send", K::none},
    {"s_wait", K::control},
    {"s_branch", K::control},
    {"s_cbranch", K::control},
    {"s_barrier", K::control},
    {"s_nop", K::control},
    {"s_delay", K::control},
    {"s_clause", K::control},
    {"s_endpgm", K::control},
    {"p_branch", K::control},
    {"p_cbranch", K::control},
    {"bra ", K::control},
    {"bsync", K::control},
    {"bssy", K::control},
    {"bclear", K::control},
    {"nop", K::control},
    {"bar.", K::control},
    {"membar", K::control},
    {"sync", K::control},
    {"if(", K::control},
    {"else(", K::control},
    {"endif(", K::control},
    {"do(", K::control},
    {"while(", K::control},
    {"break(", K::control},
    {"s_", K::scalar},
};

bool has_word(std::string_view line, std::string_view begin) {
  for (size_t at = line.find(begin); at != line.npos; at = line.find(begin, at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t' || line[at - 1] == ')') return true;
  return false;
}

}  // namespace

const char* to_text(InstructionKind kind) {
  return word_of(kind, {"spills", "matrix", "vector", "scalar", "shared memory", "memory", "control", ""});
}

InstructionKind instruction_kind(std::string_view line) {
  // Comments may name anything.
  line = line.substr(0, std::min(line.find("//"), line.find(" ; ")));
  const size_t first = line.find_first_not_of(" \t"), last = line.find_last_not_of(" \t");
  if (first == line.npos || line[last] == ':' || line[last] == '{') return K::none;
  if (std::string_view(";/}#").find(line[first]) != std::string_view::npos) return K::none;
  for (const Words& words : kWords)
    if (has_word(line, words.begin)) return words.kind;
  return K::vector;
}

uint64_t total(const InstructionMix& mix) { return std::accumulate(mix.begin(), mix.end(), uint64_t{0}); }

std::optional<InstructionMix> instruction_mix(const ShaderText& text) {
  if (text.executable.empty() || text.name.find("ssembly") == std::string::npos) return std::nullopt;
  InstructionMix mix{};
  for (size_t at = 0; at < text.text.size();) {
    const size_t end = std::min(text.text.find('\n', at), text.text.size());
    const K kind = instruction_kind(std::string_view(text.text).substr(at, end - at));
    if (kind != K::none) ++mix[size_t(kind)];
    at = end + 1;
  }
  return mix;
}

}  // namespace attnscope

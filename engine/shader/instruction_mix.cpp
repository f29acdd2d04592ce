#include "engine/shader/instruction_mix.hpp"

#include <algorithm>
#include <numeric>

#include "engine/words.hpp"

namespace attnscope {
namespace {

using K = InstructionKind;
struct Words {
  K kind;
  std::array<std::string_view, 20> begins;  ///< of words of the line; the rest is empty
};
/// RADV's, NVK's, ANV's and Turnip's assembly, RADV's IR, SPIR-V. The first that fits counts.
constexpr Words kWords[] = {
    // ANV says below a `send` what it sends: "ss )" goes to the surface of the scratch memory.
    {K::spill, {"scratch_", "p_spill", "p_reload", "ld.local", "st.local", "stp.", "ss )", "ldp."}},
    {K::matrix, {"v_wmma", "v_swmmac", "v_mfma", "v_smfmac", "dpas", "hmma", "imma", "CooperativeMatrixMulAdd"}},
    {K::shared_memory, {"ds_", "ld.shared", "st.shared"}},
    {K::memory, {"buffer_", "global_", "flat_", "s_load", "s_buffer_load", "ld.global", "st.global", "ldc"}},
    {K::shared_memory, {"slm MsgDesc"}},
    {K::control, {"gateway"}},
    {K::memory, {"MsgDesc"}},
    {K::none, {"send"}},
    {K::control, {"s_wait", "s_branch", "s_cbranch", "s_barrier", "s_nop", "s_delay", "s_clause", "s_endpgm"}},
    {K::control, {"p_branch", "p_cbranch", "bra ", "bsync", "bssy", "bclear", "nop", "bar.", "membar", "sync"}},
    {K::control, {"if(", "else(", "endif(", "do(", "while(", "break("}},
    {K::scalar, {"s_"}},
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
    if (std::ranges::any_of(words.begins, [&](auto begin) { return !begin.empty() && has_word(line, begin); }))
      return words.kind;
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

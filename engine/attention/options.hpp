// What a problem may ask beyond plain attention, each declared once: variants name those that they take.
#pragma once

#include "engine/attention/problem.hpp"

namespace attnscope {

struct ProblemOption {
  std::string_view name;    ///< in a manifest's `options`
  std::string_view text;    ///< as a problem asks for it
  std::string_view define;  ///< what shaders are compiled with where the problem asks for it, as 1
  bool (*asked)(const Problem&);
};

inline constexpr std::array kProblemOptions{
    ProblemOption{"window", "window=", "OPTION_WINDOW",
                  [](const Problem& p) { return p.window != 0 && p.mask != MaskKind::causal; }},
    ProblemOption{"softcap", "softcap=", "OPTION_SOFTCAP", [](const Problem& p) { return p.softcap != 0; }},
    ProblemOption{"sinks", "sinks", "OPTION_SINKS", [](const Problem& p) { return p.sinks; }},
    ProblemOption{"mask", "mask", "OPTION_MASK", [](const Problem& p) { return p.mask != MaskKind::none; }},
    ProblemOption{"alibi", "mask=alibi", "OPTION_ALIBI", [](const Problem& p) { return p.mask == MaskKind::alibi; }},
    // Any packed type, also another one of V; a kernel of one type alone says so under `supports`.
    ProblemOption{"packed_kv", "kvtype=", "OPTION_PACKED_KV", [](const Problem& p) { return p.packed_kv(); }},
    ProblemOption{"mla", "mla", "OPTION_MLA", [](const Problem& p) { return p.mla; }},
    ProblemOption{"topk", "topk=", "OPTION_TOPK", [](const Problem& p) { return p.topk != 0; }},
};

}  // namespace attnscope

// What a problem may ask beyond plain attention, each declared once: variants name those that they take.
#pragma once

#include <array>
#include <string_view>

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
    ProblemOption{"q8_0", "kvtype=q8_0", "KV_Q8_0", [](const Problem& p) { return p.kv_type == KvType::q8_0; }},
    ProblemOption{"f8e4m3", "kvtype=f8e4m3", "KV_F8E4M3", [](const Problem& p) { return p.kv_type == KvType::f8e4m3; }},
};

}  // namespace attnscope

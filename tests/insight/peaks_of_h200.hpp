// Ceilings of about the size that an H200 has, in round numbers.
#pragma once

#include "engine/insight/peaks.hpp"

namespace attnscope {

inline Peaks peaks_of_h200() {
  Peaks p;
  p.device = "NVIDIA H200";
  p.ceilings = {
      {.kind = CeilingKind::copy, .value = 4200},
      {.kind = CeilingKind::cache, .value = 8000},
      {.kind = CeilingKind::fma, .type = "f32", .value = 60},
      {.kind = CeilingKind::fma, .type = "f16 pairs", .value = 120},
      {.kind = CeilingKind::matrix, .type = "f16", .accumulate = "f32", .m = 16, .n = 16, .k = 16, .value = 600},
      {.kind = CeilingKind::matrix, .type = "f16", .accumulate = "f32", .m = 16, .n = 8, .k = 8, .value = 300},
      {.kind = CeilingKind::matrix, .type = "f16", .accumulate = "f16", .m = 16, .n = 16, .k = 16, .value = 610},
      {.kind = CeilingKind::matrix,
       .type = "bf16",
       .accumulate = "f32",
       .m = 16,
       .n = 16,
       .k = 16,
       .why_not = "no such type"},
      {.kind = CeilingKind::exp2, .value = 3700},
      {.kind = CeilingKind::shared, .value = 30000},
      {.kind = CeilingKind::launch, .value = 1},
      {.kind = CeilingKind::barrier, .value = 2}};
  return p;
}

}  // namespace attnscope

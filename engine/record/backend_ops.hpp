// What ggml's test-backend-ops prints of its attention cases (`test` or `perf -o FLASH_ATTN_EXT`), as problems and
// times.
#pragma once

#include "engine/attention/problem.hpp"

namespace attnscope {

/// FLASH_ATTN_EXT(hsk=128,hsv=128,nh=4,nr23=[4,1],kv=512,nb=35,mask=1,…,type_K=f16,…,permute=[0,2,1,3]): 8 us/run
/// nh K/V heads, nh * nr23[0] query heads, batch nr23[1], nb queries, kv keys. There Q and the output are f32; here all
/// tensors have the type of K, and f16 beside q8_0. The mask is random numbers, one for all batches or one for each.
struct BackendOpsCase {
  Problem problem;
  std::string permute;  ///< "0213": the order in which the dimensions lie in memory; "" = "0123", as here
  double ns = 0;        ///< of one run; 0 where the text has no time
};

struct BackendOps {
  std::vector<BackendOpsCase> cases;       ///< in the order of the text
  std::map<std::string, size_t> left_out;  ///< what no problem says, such as "type_K=q4_0", with the number of cases
};

/// Whether the text has such cases at all.
bool is_backend_ops(std::string_view text);
/// At most 100,000 cases; those that no problem says, or whose line is cut off, are in `left_out`.
BackendOps parse_backend_ops(std::string_view text);

}  // namespace attnscope

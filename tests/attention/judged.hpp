// A problem with its inputs, a reference, and an output that is right: the exact one, rounded to the problem's dtype.
#pragma once

#include "engine/attention/layout.hpp"
#include "engine/attention/verdict.hpp"
#include "tests/has.hpp"

namespace attnscope {

struct Judged {
  explicit Judged(const char* text, double max_flops = 4e8)
      : problem(*parse_problem(text)),
        inputs(make_inputs(problem, 1)),
        reference(make_reference(problem, inputs, {}, 1, max_flops)) {
    const auto all = make_reference(problem, inputs, {}, 1, 1e15);
    output = {problem.dtype, poison(problem.dtype, problem.o_elements())};
    for (size_t i = 0; i < all.exact.size(); ++i) output.set(element(all, i), float(all.exact[i]));
  }
  uint64_t index(uint32_t b, uint32_t h, uint32_t q, uint32_t d) const {
    return Layout(problem, {}).q_row(b, h, q) * problem.v_dim + d;
  }
  /// Of the output, what a reference has at i.
  uint64_t element(const Reference& r, size_t i) const {
    const RowId id = row_id(problem, r.rows[i / problem.v_dim]);
    return index(id.batch, id.head, id.query, uint32_t(i % problem.v_dim));
  }

  Problem problem;
  Inputs inputs;
  Reference reference;
  Tensor output;
};

}  // namespace attnscope

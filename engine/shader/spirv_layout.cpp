#include "engine/shader/spirv.hpp"

#include <glslang/SPIRV/spirv.hpp>

namespace attnscope::spirv {
namespace {

constexpr int kMaxDepth = 64;
// Far above any real memory, far below where products of two sizes overflow.
constexpr uint64_t kMaxBytes = uint64_t{1} << 40;

uint64_t round_up(uint64_t value, uint64_t align) { return (value + align - 1) / align * align; }

}  // namespace

const Instruction* Sizer::part_of(const Instruction& user, uint32_t part) const {
  const Instruction* in = module_.find(part);
  return in && in < &user ? in : nullptr;  // instructions lie in one vector, in order
}

bool Sizer::is_bulky(const Instruction* in, int depth) {
  if (!in || depth > kMaxDepth) return false;
  if (in->op == spv::OpTypeArray || in->op == spv::OpTypeMatrix || in->op == spv::OpTypeCooperativeMatrixKHR)
    return true;
  if (in->op != spv::OpTypeStruct) return false;
  if (const auto known = bulky_.find(in); known != bulky_.end()) return known->second;
  const bool bulky = std::any_of(in->args.begin() + 1, in->args.end(),
                                 [&](uint32_t member) { return is_bulky(part_of(*in, member), depth + 1); });
  return bulky_[in] = bulky;
}

Result<Layout> Sizer::size(const Instruction* in, int depth) {
  if (!in || depth > kMaxDepth) return bad_input("The SPIR-V module is damaged: a type is not defined.");
  // Types that each hold the one before twice would otherwise be walked 2^depth times.
  if (const auto known = sizes_.find(in); known != sizes_.end()) return known->second;
  Result<Layout> made = compute(in, depth);
  if (made && made->bytes > kMaxBytes)
    return bad_input("SPIR-V type {} has more than {} bytes.", module_.name_of(in->args.empty() ? 0 : in->args[0]),
                     kMaxBytes);
  if (made) sizes_.emplace(in, *made);
  return made;
}

Result<Layout> Sizer::compute(const Instruction* in, int depth) {
  const auto& a = in->args;
  switch (in->op) {
    case spv::OpTypeBool: return Layout{4, 4};
    case spv::OpTypeInt:
    case spv::OpTypeFloat: return Layout{a[1] / 8, a[1] / 8};
    case spv::OpTypePointer: return Layout{8, 8};
    case spv::OpTypeVector: {
      auto part = TRY(size(part_of(*in, a[1]), depth + 1));
      return Layout{part.bytes * a[2], part.bytes * std::bit_ceil(a[2])};
    }
    case spv::OpTypeMatrix: {
      auto column = TRY(size(part_of(*in, a[1]), depth + 1));
      return Layout{round_up(column.bytes, column.align) * a[2], column.align};
    }
    case spv::OpTypeArray: {
      auto element = TRY(size(part_of(*in, a[1]), depth + 1));
      auto length = TRY(folder_.scalar(a[2]));
      const auto stride_at = module_.array_strides.find(a[0]);
      const uint64_t stride =
          stride_at != module_.array_strides.end() ? stride_at->second : round_up(element.bytes, element.align);
      // A negative int length arrives as a huge unsigned number.
      if (length == 0 || length > kMaxBytes / std::max<uint64_t>(stride, 1))
        return bad_input("Specialization gives an array of {} elements of {} bytes; a length must be positive.",
                         int32_t(length), stride);
      return Layout{length * stride, element.align};
    }
    case spv::OpTypeStruct: return structure(*in, depth);
    case spv::OpTypeCooperativeMatrixKHR: return cooperative_matrix(*in, depth);
    default:
      return bad_input("SPIR-V type {} (instruction {}) has no size in memory.", module_.name_of(a.empty() ? 0 : a[0]),
                       in->op);
  }
}

Result<Layout> Sizer::structure(const Instruction& in, int depth) {
  uint64_t end = 0, align = 1;
  for (uint32_t m = 0; m + 1 < in.args.size(); ++m) {
    auto member = TRY(size(part_of(in, in.args[m + 1]), depth + 1));
    const auto offset = module_.member_offsets.find({in.args[0], m});
    const uint64_t at = offset != module_.member_offsets.end() ? offset->second : round_up(end, member.align);
    end = std::max(end, at + member.bytes);
    align = std::max(align, member.align);
  }
  return Layout{round_up(end, align), align};
}

Result<Layout> Sizer::cooperative_matrix(const Instruction& in, int depth) {
  auto element = TRY(size(part_of(in, in.args[1]), depth + 1));
  uint64_t n[3];
  for (size_t i = 0; i < 3; ++i) n[i] = TRY(folder_.scalar(in.args[2 + i]));
  const uint64_t holders =
      n[0] == spv::ScopeWorkgroup ? uint64_t{local_size_[0]} * local_size_[1] * local_size_[2] : subgroup_size_;
  if (n[1] > kMaxBytes || n[2] > kMaxBytes / std::max<uint64_t>(n[1], 1))
    return bad_input("Specialization gives a matrix of {} x {} elements.", n[1], n[2]);
  const uint64_t elements = (n[1] * n[2] + holders - 1) / std::max<uint64_t>(holders, 1);
  return Layout{elements * element.bytes, element.align};
}

}  // namespace attnscope::spirv

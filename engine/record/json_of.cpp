// JSON of every struct that has a table of fields in this module.
#include "engine/record/json_of.hpp"

namespace attnscope {

template struct JsonOf<MatrixShape>;
template struct JsonOf<FlexibleMatrix>;
template struct JsonOf<MatrixLayout>;
template struct JsonOf<CompileOnly>;
template struct JsonOf<DeviceLimits>;
template struct JsonOf<DeviceInfo>;

template struct JsonOf<VariantSource>;
template struct JsonOf<Parameter>;
template struct JsonOf<ConstraintDecl>;
template struct JsonOf<NamedConfig>;
template struct JsonOf<ParameterChoices>;

template struct JsonOf<Precision>;
template struct JsonOf<Verdict::Worst>;
template struct JsonOf<NotFinite>;
template struct JsonOf<Verdict>;
template struct JsonOf<Statistics>;
template struct JsonOf<Comparison>;
template struct JsonOf<Protocol>;
template struct JsonOf<RawResource>;
template struct JsonOf<Resources>;
template struct JsonOf<Ceiling>;
template struct JsonOf<Peaks>;
template struct JsonOf<Floor>;
template struct JsonOf<Telemetry>;
template struct JsonOf<LaunchFit>;
template struct JsonOf<Advice>;
template struct JsonOf<Environment>;
template struct JsonOf<Record>;

template struct JsonOf<ComparedSide>;
template struct JsonOf<RowComparison>;

}  // namespace attnscope

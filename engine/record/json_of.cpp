// JSON of every struct that has a table of fields in this module.
#include "engine/record/json_of.hpp"

namespace attnscope {

template struct JsonOfEach<MatrixShape, MatrixLayout, CompileOnly, DeviceLimits, DeviceInfo, VariantSource, Parameter,
                           ConstraintDecl, NamedConfig, ParameterChoices, Precision, Verdict::Worst, NotFinite, Verdict,
                           Statistics, Comparison, Protocol, RawResource, Resources, Ceiling, Peaks, Floor, Telemetry,
                           LaunchFit, Advice, Environment, Record, ComparedSide, RowComparison>;

}  // namespace attnscope

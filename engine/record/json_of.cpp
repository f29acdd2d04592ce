// JSON of every struct that has a table of fields in this module.
#include "engine/record/json_of.hpp"

namespace attnscope {

template struct JsonOfEach<MatrixShape, MatrixLayout, CompileOnly, DeviceLimits, DeviceInfo>;

template struct JsonOfEach<VariantSource, Parameter, ConstraintDecl, NamedConfig, ParameterChoices>;

template struct JsonOfEach<Precision, Verdict::Worst, NotFinite, Verdict, Statistics, Comparison, Protocol, RawResource,
                           Resources, Ceiling, Peaks, Floor, Telemetry, LaunchFit, Advice, Environment, Record>;

template struct JsonOfEach<ComparedSide, RowComparison>;

}  // namespace attnscope

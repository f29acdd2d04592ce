// The charts of Scaling and of Across problems as they are drawn: made when what they show has changed, not for each
// frame.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/gui/plot/across_chart.hpp"
#include "app/gui/plot/scaling_plot.hpp"

namespace attnscope::gui {

class DrawnScaling {
 public:
  static constexpr double kPeriod = 0.25;  ///< seconds from one plot to the next while only the live point moves

  /// What the plot is of. The rows are compared with those of last time, but for the live one's record, which is new
  /// with every sample: `live_samples` counts those.
  struct Of {
    std::vector<ScaleRow> rows;
    size_t left_out = 0;
    Problem problem;
    ScaleAxis axis = ScaleAxis::seq;
    std::vector<uint32_t> values;
    std::shared_ptr<const Record> baseline;  ///< the first record of the file that is compared with
    Metric metric = Metric::time;
    bool log = true;
    uint64_t tried = 0, known = 0;  ///< versions
    uint64_t live_samples = 0;
  };
  /// Whether plot and count are of something else than `of`, whose version they then have to be made for. Call once a
  /// frame in view; seconds of any clock.
  bool stale(Of of, double now);
  void take(ScalingPlot plot, size_t due);
  const ScalingPlot& plot() const { return plot_; }
  size_t due() const { return due_; }  ///< points that are not known yet
  /// What stale() was told last that they are of.
  const Of& of() const { return *last_; }
  /// Plots made so far, for whoever wants to know what a frame costs.
  uint64_t made() const { return made_; }

 private:
  std::optional<Of> last_;
  ScalingPlot plot_;
  size_t due_ = 0;
  double made_at_ = -1e9;
  uint64_t made_ = 0;
};

class DrawnAcross {
 public:
  /// Call once a frame in view.
  const AcrossChart& look(const Pins&, const Across&, Metric);
  /// Of the pins that the chart is of.
  const std::vector<const Pin*>& pins() const { return pins_; }
  size_t left_out() const { return left_out_; }
  /// Names of the bars as widgets, in their order.
  const std::vector<std::string>& names() const { return names_; }
  uint64_t made() const { return made_; }

 private:
  struct Of {
    uint64_t pins = 0, shown = 0, across = 0;  ///< versions
    const Pin* first = nullptr;
    size_t count = 0;
    Metric metric = Metric::time;
    bool operator==(const Of&) const = default;
  };
  std::optional<Of> of_;
  AcrossChart chart_;
  std::vector<const Pin*> pins_;
  std::vector<std::string> names_;
  size_t left_out_ = 0;
  uint64_t made_ = 0;
};

}  // namespace attnscope::gui

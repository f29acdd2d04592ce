// The output of bench for one device's rows: log, best, table, speedups over a baseline, and why.
#pragma once

#include "app/cli/jobs.hpp"
#include "engine/record/report.hpp"

namespace attnscope::cli {

/// The defaults of variants, for short names of configs.
ReportOptions report_options(const std::vector<VariantInfo>&, double Statistics::*rank = &Statistics::median);

/// Best of each problem with a choice, a row for each record tried, and notes. No line is wider than `width`.
std::string bench_report(const DeviceSession&, std::span<const Row>, const ReportOptions&, size_t width);

/// The session log of `bench --log`: every config in the order tried, with verdict and times, the best so far marked.
class SessionLog {
 public:
  SessionLog(const std::string& by, size_t width);
  void print(const Row&);
  void print_best() const;

 private:
  struct Best {
    double ns = 0;
    size_t number = 0;
    std::string what;
  };
  std::string by_;
  double Statistics::*rank_;
  size_t width_;
  StreamedTable table_;
  size_t count_ = 0;
  std::map<std::string, Best> best_;  ///< by problem
};

/// The measured records of FILE; the error names the option and what is wrong with the file.
Result<std::vector<Record>> read_baseline(const std::string& file);

/// A line for each measured record: its median, and each baseline config's over ours, so that 2.00x is twice as fast.
TextTable baseline_table(std::span<const Record> ours, std::span<const Record> baseline, const ReportOptions&);

/// The stored ceilings of the device, or measured now, with a note on stderr.
Result<Peaks> known_peaks(DeviceSession&, const PeaksRequest&, ProgressKind);

/// Fills fit and advice of the fastest row of each problem, or of each row that has a time where there is one problem.
void explain_rows(DeviceSession&, std::span<Row> rows, double Statistics::*rank);

/// The explanation as text: floor, launch and tiles, advice. Lines are at most `width` wide.
std::string why_text(const Row&, size_t width);

/// bench --ab: two configs, or one before and after an edit, measured A B A B in one process.
struct AbOptions {
  std::vector<std::string> sides;    ///< of --ab: two of CONFIG, VARIANT or VARIANT:CONFIG
  std::vector<std::string> shaders;  ///< of --ab-shaders: two folders of variants
  std::vector<std::string> sources;  ///< of --ab-sources: two folders of what variants take from elsewhere
  std::optional<double> tolerance;   ///< absent: kInterleavedTolerance
  std::string gpus;                  ///< of the catalogue, for which both sides are only compiled
  const std::vector<std::string>& folders() const { return sources.empty() ? shaders : sources; }
  const char* option() const { return sources.empty() ? "--ab-shaders" : "--ab-sources"; }
  bool wanted() const { return !sides.empty() || !folders().empty(); }
};

int bench_ab(const AbOptions&, const CommonOptions&, WorkOptions&, const ProtocolChange&);

}  // namespace attnscope::cli

#include "app/gui/state/sheets.hpp"

#include <fmt/format.h>

#include "app/gui/state/words.hpp"
#include "app/gui/workbench.hpp"

namespace attnscope::gui {

TextTable pins_sheet(const Workbench& bench) {
  TextTable table;
  table.title = "Pinned configs";
  table.columns = {{"name"},      {"variant"},       {"config"},        {"problem"},    {"median", true}, {"p20", true},
                   {"p80", true}, {"samples", true}, {"TFLOP/s", true}, {"GB/s", true}, {"live is"},      {"cache"},
                   {"launch"},    {"device"},        {"when"},          {"note"}};
  for (const Pin& p : bench.pins.all()) {
    const Record& r = *p.record;
    const auto time = [&](double Statistics::*member) {
      return r.statistics ? time_text((*r.statistics).*member) : std::string();
    };
    const Comparison* word = bench.word(p);
    const Remark* remark = bench.remarks.of(identity_of(r));
    table.rows.push_back({bench.name_of(p), r.variant, attnscope::to_text(r.config), to_text(r.problem),
                          time(&Statistics::median), time(&Statistics::p20), time(&Statistics::p80),
                          std::to_string(r.samples_ns.size()), r.tflops > 0 ? short_number(r.tflops) : "",
                          r.gbps > 0 ? short_number(r.gbps) : "", word ? relation_text(*word) : "",
                          std::string(to_text(r.protocol.cache)), std::string(to_text(r.protocol.launch)),
                          r.environment.device.name, r.environment.time_utc, remark ? remark->note : ""});
  }
  return table;
}

TextTable log_sheet(const Workbench& bench) { return run_table(bench.log, "Session log"); }
TextTable past_sheet(const Workbench& bench) { return run_table(bench.past_list, "Earlier runs"); }

TextTable matrix_sheet(const Workbench& bench) {
  TextTable table;
  table.title = "Pinned configs against each other";
  table.heading = {"Each row against each column."};
  table.columns = {{"row"}, {"device"}, {"median", true}};
  for (const Pin& p : bench.pins.all()) table.columns.push_back({bench.name_of(p)});
  for (const Pin& row : bench.pins.all()) {
    const Record& r = *row.record;
    std::vector<std::string> cells = {bench.name_of(row), r.environment.device.name,
                                      r.statistics ? time_text(r.statistics->median) : ""};
    for (const Pin& column : bench.pins.all()) {
      const MatrixCell* cell = bench.matrix.cell(row.id, column.id);
      cells.push_back(row.id == column.id ? "\u2013" : cell ? cell_text(*cell) : "not compared");
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

TextTable across_sheet(const Workbench& bench) {
  TextTable table;
  table.title = "Pinned configs across problems (median)";
  table.columns = {{"config"}, {"device"}};
  for (const Problem& p : bench.across.problems()) table.columns.push_back({to_text(p), true});
  for (const Pin& pin : bench.pins.all()) {
    std::vector<std::string> cells = {bench.name_of(pin), pin.record->environment.device.name};
    for (size_t i = 0; i < bench.across.problems().size(); ++i) {
      const Record* r = bench.across.result(pin, i);
      cells.push_back(r && r->statistics ? time_text(r->statistics->median) : "");
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

TextTable raced_sheet(const Workbench& bench) {
  TextTable table;
  table.title = "Raced at the end of the search";
  table.columns = {{"variant"}, {"config"}, {"problem"}, {"median", true}, {"p20", true}, {"p80", true}, {"device"}};
  if (const search::SearchOutcome* out = bench.searched.outcome())
    for (const Record& r : out->result.raced) {
      const auto time = [&](double Statistics::*member) {
        return r.statistics ? time_text((*r.statistics).*member) : std::string();
      };
      table.rows.push_back({r.variant, attnscope::to_text(r.config), to_text(r.problem), time(&Statistics::median),
                            time(&Statistics::p20), time(&Statistics::p80), r.environment.device.name});
    }
  return table;
}

TextTable messages_sheet(const Workbench& bench) {
  TextTable table;
  table.title = "Messages";
  table.columns = {{"at", true}, {"text"}};
  for (const LogLine& line : bench.messages.lines())
    table.rows.push_back({fmt::format("{:02}:{:02}", int(line.at) / 60, int(line.at) % 60), line.text});
  return table;
}

}  // namespace attnscope::gui

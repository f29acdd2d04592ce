#include "engine/record/csv.hpp"

#include "engine/record/flat.hpp"

namespace attnscope {
namespace {

/// Cells with commas between them.
class Line {
 public:
  explicit Line(std::string& text) : text_(text) {}
  void add(std::string_view cell) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += cell;
  }

 private:
  std::string& text_;
  bool first_ = true;
};

}  // namespace

std::string csv_header() {
  std::string text;
  Line line(text);
  for_each_column<Record>(nullptr, [&](const auto*, const Hint& hint) { line.add(hint.column); });
  for_each_problem_column(Problem{}, [&](std::string_view name, const auto&) { line.add(name); });
  return text;
}

std::string to_csv(std::span<const Record> records) { return csv_header() + "\n" + csv_lines(records); }

std::string csv_lines(std::span<const Record> records) {
  std::string text;
  for (const Record& record : records) {
    Line line(text);
    for_each_column(&record,
                    [&](const auto* value, const Hint& hint) { line.add(value ? csv_cell(*value, hint.zero) : ""); });
    for_each_problem_column(record.problem, [&](std::string_view, const auto& part) { line.add(csv_cell(part)); });
    text += '\n';
  }
  return text;
}

}  // namespace attnscope

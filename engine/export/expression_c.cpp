#include "engine/export/describe.hpp"

#include <cctype>
#include <charconv>

#include <fmt/ranges.h>

#include "engine/variant/expression.hpp"

namespace attnscope::exporting {
namespace {

/// Functions of one or two numbers, and what C has for them; ceil_div, min and max are written out below.
constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {{"mod", "attn_mod"},
                                                                        {"pow2ceil", "attn_pow2ceil"},
                                                                        {"bit_and", "attn_bit_and"},
                                                                        {"bit_or", "attn_bit_or"},
                                                                        {"bit_xor", "attn_bit_xor"},
                                                                        {"shift_left", "attn_shift_left"},
                                                                        {"shift_right", "attn_shift_right"},
                                                                        {"floor", "floor"},
                                                                        {"ceil", "ceil"},
                                                                        {"log2", "log2"},
                                                                        {"sqrt", "sqrt"},
                                                                        {"exp", "exp"},
                                                                        {"abs", "fabs"},
                                                                        {"ceil_div", "attn_ceil_div"}};

/// By precedence, as muParser reads: ?: then || && comparisons + * unary ^. muParser has accepted the text before.
class Translator {
 public:
  Translator(std::string_view text, Language language, const std::function<std::string(const std::string&)>& name)
      : text_(text), rust_(language == Language::rust), name_(name) {}

  Result<std::string> all() {
    auto out = TRY(choice());
    skip();
    if (at_ < text_.size()) return fault();
    return out;
  }

 private:
  Error fault() const {
    return unsupported("expression \"{}\": nothing in another language is made of it from character {} on", text_,
                       at_ + 1);
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Result<std::string> choice() {
    auto condition = TRY(binary(0));
    if (!take("?")) return condition;
    const auto yes = TRY(choice());
    if (!take(":")) return fault();
    const auto no = TRY(choice());
    return rust_ ? fmt::format("(if {} != 0.0 {{ {} }} else {{ {} }})", condition, yes, no)
                 : fmt::format("({} != 0.0 ? {} : {})", condition, yes, no);
  }

  std::string truth(const std::string& condition) const {
    return rust_ ? fmt::format("attn_truth({})", condition) : fmt::format("({} ? 1.0 : 0.0)", condition);
  }
  std::optional<std::string_view> operation(size_t level) {
    static const std::array<std::vector<std::string_view>, 5> kLevels{
        {{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/"}}};
    for (const std::string_view token : kLevels[level])
      if (take(token)) return token;
    return std::nullopt;
  }
  Result<std::string> binary(size_t level) {
    if (level == 5) return unary();
    auto left = TRY(binary(level + 1));
    while (const auto token = operation(level)) {
      const auto right = TRY(binary(level + 1));
      left = level < 2    ? truth(fmt::format("{} != 0.0 {} {} != 0.0", left, *token, right))
             : level == 2 ? truth(fmt::format("{} {} {}", left, *token, right))
                          : fmt::format("({} {} {})", left, *token, right);
    }
    return left;
  }
  Result<std::string> unary() {
    if (take("!")) {
      const auto operand = TRY(unary());
      return truth(operand + " == 0.0");
    }
    if (take("+")) return unary();
    if (take("-")) {
      const auto operand = TRY(unary());
      return fmt::format("(-{})", operand);
    }
    auto base = TRY(primary());
    if (!take("^")) return base;
    const auto power = TRY(unary());  // to the right first
    return fmt::format("pow({}, {})", base, power);
  }
  Result<std::string> primary() {
    if (take("(")) {
      auto inner = TRY(choice());
      if (!take(")")) return fault();
      return inner;
    }
    if (take("0x") || take("0X")) {
      uint64_t value = 0;
      const char* const end = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value, 16).ptr;
      at_ = size_t(end - text_.data());
      return c_number(double(value));
    }
    skip();
    const size_t start = at_;
    const auto more = [&](auto&& test) {
      while (at_ < text_.size() && test(static_cast<unsigned char>(text_[at_]))) ++at_;
    };
    const auto digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    if (at_ < text_.size() && (digit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.')) {
      more([&](unsigned char c) { return digit(c) || c == '.'; });
      if (at_ + 1 < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
        at_ += 2;
        more(digit);
      }
      double value = 0;
      const auto parsed = std::from_chars(text_.data() + start, text_.data() + at_, value);
      if (parsed.ec != std::errc()) return fault();
      return c_number(value);
    }
    more([](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    const std::string word(text_.substr(start, at_ - start));
    if (word.empty()) return fault();
    if (take("(")) return call(word);
    std::string text = name_(word);
    if (text.empty()) return fault();
    return text;
  }
  Result<std::string> call(const std::string& function) {
    std::vector<std::string> arguments;
    do {
      arguments.push_back(TRY(choice()));
    } while (take(","));
    if (!take(")")) return fault();
    if (function == "min" || function == "max") {
      std::string out = arguments.front();
      for (size_t i = 1; i < arguments.size(); ++i) out = fmt::format("f{}({}, {})", function, out, arguments[i]);
      return out;
    }
    for (const auto& [known, c] : kFunctions)
      if (known == function) return fmt::format("{}({})", c, fmt::join(arguments, ", "));
    return fault();
  }

  std::string_view text_;
  bool rust_;
  const std::function<std::string(const std::string&)>& name_;
  size_t at_ = 0;
};

}  // namespace

std::string c_number(double value) {
  std::string text = fmt::format("{:.17g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

Result<std::string> to_source(const std::string& expression, Language language,
                              const std::function<std::string(const std::string&)>& name) {
  TRY(used_names(expression));  // syntax
  return Translator(expression, language, name).all();
}

}  // namespace attnscope::exporting

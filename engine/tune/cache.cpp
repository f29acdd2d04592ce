#include "engine/tune/cache.hpp"

#include "engine/record/json_fields.hpp"
#include "engine/record/json_of.hpp"
#include "engine/record/results.hpp"
#include "engine/tune/fields_tune.hpp"
#include "engine/variant/binding.hpp"

namespace attnscope {

template struct JsonOfEach<tune::JournalKey, Trial, tune::TunedConstant, tune::TunedPush, tune::TunedPass,
                           tune::TunedEntry, tune::CostConfig, tune::CostProblem, tune::CostModel>;

namespace tune {
namespace {

double heads(const Problem& p) { return double(p.batch) * p.heads_q; }

double doublings(double a, double b) { return std::fabs(std::log2(a / b)); }

/// What has to be the same for a config to be carried over at all: "f16 d128 causal", "f16 d128 dv64 page16".
std::string exact_class(const Problem& p) {
  std::string text = fmt::format("{} d{}", to_text(p.dtype), p.head_dim);
  if (p.v_dim != p.head_dim) text += fmt::format(" dv{}", p.v_dim);
  if (p.causal) text += " causal";
  if (!p.varlen.empty()) text += " packed";
  if (p.windowed()) text += fmt::format(" window{}", p.window);
  for (const ProblemOption& option : kProblemOptions)
    if (option.name != "window" && option.name != "packed_kv" && option.asked(p))
      text += fmt::format(" {}", option.name);
  if (p.packed_kv())
    text += p.k_type == p.v_type ? fmt::format(" {}", to_text(p.k_type))
                                 : fmt::format(" k={} v={}", to_text(p.k_type), to_text(p.v_type));
  if (p.page_size != 0) text += fmt::format(" page{}", p.page_size);
  return text;
}

namespace fs = std::filesystem;

constexpr const char* kMark = "attnscope_tuned";
constexpr int kVersion = 1;

bool same_place(const TunedEntry& a, const TunedEntry& b) {
  return a.device == b.device && a.device_uuid == b.device_uuid && a.driver == b.driver && a.problem == b.problem &&
         a.variant == b.variant && a.shader_hash == b.shader_hash && a.cache == b.cache && a.launch == b.launch;
}

bool plausible(const TunedEntry& e) {
  return !e.device.empty() && !e.variant.empty() && e.median_ns > 0 && e.verified && check_problem(e.problem);
}

/// The expression, or "" where it comes to the same for every problem and device.
std::string derived(const std::string& expression, const Manifest& m, const PassDecl& pass, const Config& config) {
  const auto names = names_below(expression, [&](const std::string& name) {
    const std::string* let = find_at(m.let, name);
    return let != nullptr ? let : find_at(pass.constants, name);
  });
  const auto of_config = [&](const std::string& name) { return config.contains(name); };
  return names && std::ranges::all_of(*names, of_config) ? std::string() : expression;
}

/// The name bound to a spec constant (bound_name()).
std::string expression_of(const SpecConstant& constant, const Manifest& m, const PassDecl& pass, const Config& config) {
  for (const std::string& key : {constant_key(constant.id), constant.name})
    if (const auto own = pass.constants.find(key); own != pass.constants.end()) return own->second;
  const std::string& name = constant.name;
  return config.contains(name) || m.let.contains(name) ? name : lower_case(name);
}

const char* type_name(ScalarType type) { return word_of(type, {"bool", "int", "uint", "float", "uint64"}); }

Result<std::vector<TunedPush>> describe_push(const PlanPass& planned, const Reflection& reflection, const Manifest& m,
                                             const PassDecl& pass, const Config& config) {
  Names known;  // all of them: the plan has found each
  for (const PushMember& member : reflection.push) known[member.name] = 0;
  std::vector<TunedPush> out;
  for (const PushPart& part : TRY(push_parts(reflection, known, pass.push, pass.name))) {
    TunedPush& push = out.emplace_back(TunedPush{part.offset, part.name, type_name(part.type), 0, {}});
    push.formula = derived(part.expression, m, pass, config);
    std::memcpy(&push.bits, planned.push.data() + part.offset, part.type == ScalarType::other ? 8 : 4);
  }
  return out;
}

/// What the untuned choice took beside the entry; 0: it was measured beside something else, or nothing.
double untuned_ns(const TunedEntry& e, const RaceEntry& untuned) {
  return !e.default_variant.empty() && RaceEntry{e.default_variant, e.default_config} == untuned ? e.default_ns : 0;
}

}  // namespace

std::optional<double> distance(const Problem& a, const Problem& b) {
  if (exact_class(a) != exact_class(b)) return std::nullopt;
  return kSeqQWeight * doublings(a.seq_q, b.seq_q) + kSeqKvWeight * doublings(a.seq_kv, b.seq_kv) +
         kHeadsWeight * doublings(heads(a), heads(b)) + kGroupWeight * doublings(a.group(), b.group());
}

TunedEntry tuned_entry(const Record& record, bool raced, uint64_t trials) {
  TunedEntry entry;
  const DeviceInfo& device = record.environment.device;
  entry.device = device.name;
  entry.device_uuid = device.device_uuid;
  entry.driver = device.driver;
  entry.vendor_id = device.vendor_id;
  entry.device_id = device.device_id;
  entry.problem = record.problem;
  entry.variant = record.variant;
  entry.shader_hash = record.environment.shader_hash;
  entry.config = record.config;
  entry.cache = record.protocol.cache;
  entry.launch = record.protocol.launch;
  if (record.statistics) {
    entry.median_ns = record.statistics->median;
    entry.p20_ns = record.statistics->p20;
    entry.p80_ns = record.statistics->p80;
  }
  entry.verified = record.outcome == Outcome::measured;
  entry.raced = raced;
  entry.trials = trials;
  entry.time_utc = record.environment.time_utc;
  entry.program_version = record.environment.program_version;
  return entry;
}

std::string tuned_to_json(std::span<const TunedEntry> entries, std::span<const std::string> unread) {
  Json json{{kMark, kVersion}, {"entries", Json::array()}};
  for (const TunedEntry& entry : entries) json["entries"].push_back(encode(entry));
  for (const std::string& entry : unread) json["entries"].push_back(Json::parse(entry));
  return dump_pretty(json);
}

Result<std::vector<TunedEntry>> tuned_from_json(std::string_view text, std::string_view what,
                                                std::vector<std::string>* unread) {
  const Json json = TRY(parse_json(text, what));
  if (!json.is_object() || !json.contains(kMark) || !json.contains("entries") || !json.at("entries").is_array())
    return bad_input("{} is not a table of tuned configs.", what);
  if (json.at(kMark) != kVersion)
    return bad_input("{} is a table of version {}; this program reads version {}.", what, dump_line(json.at(kMark)),
                     kVersion);
  std::vector<TunedEntry> entries;
  for (const Json& item : json.at("entries")) {
    Result<TunedEntry> entry = decode<TunedEntry>(item, "entry");
    if (entry && plausible(*entry))
      entries.push_back(std::move(*entry));
    else if (unread != nullptr)
      unread->push_back(dump_line(item));
  }
  return entries;
}

TunedTable load_tuned(const fs::path& file) {
  TunedTable table;
  std::error_code error;
  if (!fs::exists(file, error)) return table;
  if (const Result<void> ok = check_own_file(file); !ok) {
    table.notes.push_back(ok.error().message);
    return table;
  }
  const Result<std::string> text = read_text(file);
  Result<std::vector<TunedEntry>> entries =
      text ? tuned_from_json(*text, file.string(), &table.unread) : Result<std::vector<TunedEntry>>(text.error());
  if (!entries) {
    const std::string aside = set_aside(file);
    table.notes.push_back(entries.error().message +
                          (aside.empty() ? " It is not used." : fmt::format(" It was set aside as {}.", aside)));
    return table;
  }
  if (!table.unread.empty())
    add_line(table.notes, "{} entries of {} make no sense and are not used.", table.unread.size(), file.string());
  table.entries = std::move(*entries);
  return table;
}

Result<std::vector<std::string>> store_tuned(const fs::path& file, std::span<const TunedEntry> entries,
                                             const Waiting& waiting) {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  TRY(check_own_file(file));
  if (const std::string why = why_not_written(file); !why.empty())
    return bad_input("'{}' cannot be written: {}. XDG_DATA_HOME can name another folder.", file.string(), why);
  // Beside the file, since the file itself is replaced.
  const FileLock lock(file.string() + ".lock", waiting);
  if (lock.error() != 0)
    return bad_input("'{}.lock' cannot be locked: {}.", file.string(), std::generic_category().message(lock.error()));
  TunedTable table = load_tuned(file);
  for (const TunedEntry& entry : entries) {
    const auto known = std::ranges::find_if(table.entries, [&](const TunedEntry& e) { return same_place(e, entry); });
    if (known == table.entries.end())
      table.entries.push_back(entry);
    else if (entry.raced || !known->raced)
      *known = entry;
  }
  TRY(write_text(file, tuned_to_json(table.entries, table.unread)));
  return std::move(table.notes);
}

std::vector<TunedMatch> find_tuned(const TunedTables& tables, const TunedQuery& q) {
  std::vector<TunedMatch> out;
  for (const TunedEntry& e : tables.user.entries) {
    const auto source = q.variants.find(e.variant);
    if (source == q.variants.end() || e.shader_hash != source->second) continue;
    if (e.cache != q.cache || e.launch != q.launch || e.driver != q.device.driver) continue;
    if (e.device_uuid.empty() ? e.device != q.device.name : e.device_uuid != q.device.device_uuid) continue;
    const auto away = distance(e.problem, q.problem);
    if (away && *away <= kFarthest) out.push_back({e, e.problem == q.problem, *away});
  }
  std::ranges::stable_sort(out, {},
                           [](const TunedMatch& m) { return std::tuple(!m.exact, m.away, m.entry.median_ns); });
  return out;
}

std::string describe(const TunedMatch& match) {
  return fmt::format("tuned for {}{}", to_text(match.entry.problem),
                     match.exact ? "" : " (the nearest that was tuned)");
}

Result<std::vector<TunedPass>> describe_passes(const Variant& variant, const Plan& plan) {
  std::vector<TunedPass> out;
  for (const PlanPass& pass : plan.passes) {
    const PassDecl* decl = find_by(variant.manifest.passes, pass.name, &PassDecl::name);
    if (decl == nullptr) return internal_error("a plan has a pass that its manifest has not");
    TunedPass described{.name = pass.name,
                        .shader = decl->shader,
                        .grid = pass.grid,
                        .grid_formula = decl->grid,
                        .local_size = pass.facts.local_size,
                        .subgroup_size = pass.subgroup_size};
    const Reflection reflection = TRY(reflect(pass.spirv));
    for (const SpecConstant& constant : reflection.constants) {
      const auto value = pass.constants.find(constant.id);
      if (value == pass.constants.end()) continue;
      const std::string expression = expression_of(constant, variant.manifest, *decl, plan.config);
      described.constants.push_back(
          {constant.id, constant.name, value->second, derived(expression, variant.manifest, *decl, plan.config)});
    }
    described.push_bytes = uint32_t(pass.push.size());
    described.push = TRY(describe_push(pass, reflection, variant.manifest, *decl, plan.config));
    out.push_back(std::move(described));
  }
  return out;
}

std::string why_unused(const TunedTables& tables, const TunedQuery& q) {
  const TunedEntry* newest = nullptr;
  for (const TunedEntry& e : tables.user.entries)
    if (e.device_uuid == q.device.device_uuid && e.device == q.device.name && e.problem == q.problem &&
        e.cache == q.cache && e.launch == q.launch && (newest == nullptr || e.time_utc > newest->time_utc))
      newest = &e;
  if (newest == nullptr) return {};
  const auto here = q.variants.find(newest->variant);
  if (here == q.variants.end())
    return fmt::format("its tuned config is of {}, which is not here or cannot run", newest->variant);
  if (newest->shader_hash != here->second)
    return fmt::format("its tuned config is of another version of {}'s shader", newest->variant);
  return newest->driver != q.device.driver ? fmt::format("its tuned config was tuned with {}", newest->driver) : "";
}

std::string no_better_than_untuned(const TunedMatch& match, std::span<const TunedMatch> all, const RaceEntry& untuned) {
  const TunedEntry& e = match.entry;
  if (const double ns = untuned_ns(e, untuned); ns > 0) {
    if (e.median_ns <= ns && e.too_close && e.variant != untuned.variant)
      return fmt::format("it was too close to call against {}, which runs untuned", untuned.variant);
    if (e.median_ns <= ns) return {};
    return fmt::format("it took {:.0f} % longer than {}, which runs untuned", 100 * (e.median_ns / ns - 1),
                       untuned.variant);
  }
  if (untuned.variant.empty() || e.variant == untuned.variant) return {};
  for (const TunedMatch& m : all) {
    if (!m.exact) continue;
    const double ns = m.entry.variant == untuned.variant ? m.entry.median_ns : untuned_ns(m.entry, untuned);
    if (ns > 0 && e.median_ns <= ns) return {};
  }
  return fmt::format("it is not known to be faster than {}, which runs untuned", untuned.variant);
}

}  // namespace tune
}  // namespace attnscope

struct State { float highest, total; };
float raise(inout State s, float score) {
  const float before = s.highest;
  s.highest = max(before, score);
  const float keep = before == s.highest ? 1.0 : exp(before - s.highest);
  s.total = s.total * keep;
  return keep;
}

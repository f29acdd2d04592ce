#version 460
// The store to the sink never happens, which the compiler cannot know, so the stores to shared memory stay.
layout(local_size_x = 128) in;
layout(constant_id = 0) const uint WORDS = 4096;
layout(set = 0, binding = 0) buffer Sink { uint sink[]; };
shared uint words[WORDS];
void main() {
  for (uint i = gl_LocalInvocationIndex; i < WORDS; i += 128) words[i] = 0x7fc0dead;
  barrier();
  if (words[(sink[0] + gl_GlobalInvocationID.x) % WORDS] == 1) sink[0] = 1;
}

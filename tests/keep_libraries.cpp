// Only in address-sanitizer builds: what a driver or layer leaks is suppressed by the library's name, and a library
// that was unloaded before the report has none.
extern "C" int dlclose(void*) { return 0; }

// A shared library that is no plugin.
extern "C" int NoPlugin() {
  return 1;
}

// A shared library of something else.
extern "C" int something_else() {
  return 1;
}

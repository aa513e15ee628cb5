#include "transformer/base/choices.h"

#include <string_view>

#include "tests/catch.h"

namespace elsewhere {

enum class Colour { red, green, blue };

constexpr const char* name_of(Colour colour) {
  switch (colour) {
    case Colour::red:
      return "red";
    case Colour::green:
      return "green";
    case Colour::blue:
      return "blue";
  }
  transformer::no_such_choice();
}

}  // namespace elsewhere

TEST_CASE("all values of an enumeration are found by its names") {
  using elsewhere::Colour;
  constexpr auto all = transformer::all_values<Colour>();
  static_assert(all.size() == 3);
  CHECK(all[0] == Colour::red);
  CHECK(all[2] == Colour::blue);
  CHECK(std::string_view(name_of(all[1])) == "green");
  CHECK_THROWS_AS(name_of(static_cast<Colour>(3)), std::logic_error);
}

TEST_CASE("a value is found by its name, and all names are listed in order") {
  using elsewhere::Colour;
  CHECK(transformer::all_names<Colour>() == std::vector<std::string>{"red", "green", "blue"});
  CHECK(transformer::value_named<Colour>("blue") == Colour::blue);
  CHECK_FALSE(transformer::value_named<Colour>("Blue"));
  CHECK_FALSE(transformer::value_named<Colour>(""));
}

TEST_CASE("the names of the values that have a property are one phrase") {
  using elsewhere::Colour;
  using transformer::names_where;
  CHECK(names_where(+[](Colour) { return true; }) == "red, green or blue");
  CHECK(names_where(
            +[](Colour colour) { return colour != Colour::red; }, "and") == "green and blue");
  CHECK(names_where(+[](Colour colour) { return colour == Colour::red; }) == "red");
  CHECK(names_where(+[](Colour) { return false; }).empty());
}

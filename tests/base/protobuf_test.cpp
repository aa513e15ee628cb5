#include "transformer/base/protobuf.h"

#include "tests/catch.h"

using namespace transformer;
using namespace std::string_literals;

// The bytes of "a: 150" and "b: testing" are those of the format's own description (protobuf.dev).

TEST_CASE("fields are written as protocol buffers are") {
  std::string message;
  append_proto_integer(message, 1, 150);
  append_proto_bytes(message, 2, "testing");
  append_proto_float(message, 3, 1.0F);
  append_proto_double(message, 4, -2.0);
  CHECK(message == "\x08\x96\x01\x12\x07testing\x1d\x00\x00\x80\x3f\x21\x00\x00\x00\x00\x00\x00\x00\xc0"s);
}

TEST_CASE("a message is read field by field") {
  const auto message = "\x08\x96\x01\x12\x07testing\x1d\x00\x00\x80\x3f"s;
  const auto fields = proto_fields(message);
  REQUIRE((fields && fields->size() == 3));
  CHECK((fields->at(0).number == 1 && fields->at(0).value == 150 && fields->at(0).whole == "\x08\x96\x01"));
  CHECK((fields->at(1).kind == ProtoKind::bytes && fields->at(1).content == "testing"));
  CHECK((fields->at(2).kind == ProtoKind::four_bytes && fields->at(2).value == 0x3f800000));
  CHECK(proto_fields("")->empty());
}

TEST_CASE("a damaged message has no fields") {
  for (const auto& damaged : {"\x08\x96"s, "\x12\x07test"s, "\x1d\x00\x00"s, "\x0b"s}) {
    CAPTURE(damaged);
    CHECK_FALSE(proto_fields(damaged));
  }
}

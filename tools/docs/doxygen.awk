# A header as Doxygen reads it: the comment at its top describes the file. Of transformer.h, which lists the public
# headers, becomes the first page.
function text() { return substr($0, 4) }
FNR == 1 { list = FILENAME ~ /transformer\/transformer\.h$/; top = 1; print list ? "/*! \\mainpage Public headers" : "/// \\file" }
top && /^\/\// { print list ? text() : "/" $0; next }
{ top = 0 }
!list { sub(/^\/\/\/ \. /, "/// \\. "); print } # which Doxygen would take for the end of a list
list && /^\/\// { sub(/\.$/, ""); print "\n## " text() "\n" }
list && /^#include/ { gsub(/"/, ""); print "- " $2 ": \copybrief " $2 }
END { if (list) print "*/" }

# Writes each ```cpp block of a Markdown page into a file of its own: program-LINE.cpp when it has a
# main(), else fragment-LINE.cpp, wrapped in a function. (```text is not compiled.)
# Variables: folder (where to), page (its name, for the compiler's messages).

function finish(    file) {
  file = folder "/" (has_main ? "program" : "fragment") "-" start ".cpp"
  if (!has_main) print "#include <nearfork/nearfork.hpp>" > file
  printf "%s", includes > file
  if (!has_main) print "void fragment() {" > file
  printf "#line %d \"%s\"\n%s", start + 1, page, body > file
  if (!has_main) print "}" > file
  close(file)
}

/^```cpp *$/ { inside = 1; start = NR; has_main = 0; includes = ""; body = ""; next }
/^```/ { if (inside) finish(); inside = 0; next }
inside && /^#include/ { includes = includes $0 "\n"; body = body "\n"; next }
inside {
  if ($0 ~ /^int main\(/) has_main = 1
  body = body $0 "\n"
}

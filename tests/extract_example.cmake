# Takes the first block of a language out of a Markdown page.
# usage: cmake -DPAGE=X.md -DLANGUAGE=c -DOUT=FILE -P extract_example.cmake
file(READ ${PAGE} page)
string(FIND "${page}" "\n```${LANGUAGE}\n" start)
if(start LESS 0)
  message(FATAL_ERROR "${PAGE} has no block of ${LANGUAGE}")
endif()
string(LENGTH "\n```${LANGUAGE}\n" opening)
math(EXPR start "${start} + ${opening}")
string(SUBSTRING "${page}" ${start} -1 page)
string(FIND "${page}" "\n```\n" end)
math(EXPR end "${end} + 1")
string(SUBSTRING "${page}" 0 ${end} block)
file(WRITE ${OUT} "${block}")

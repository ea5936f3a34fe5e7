# Writes OUT, version.c, when it would be another: VERSION, and what git says of SOURCE where that is a repository itself.
set(described "")
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
  OUTPUT_VARIABLE top ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
file(REAL_PATH ${SOURCE} source)
if("${top}" STREQUAL "${source}")
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(content "#include \"base/version.h\"\n\nconst char weft_version[] = \"${VERSION}\";\n")
string(APPEND content "const char weft_version_git[] = \"${described}\";\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${content}" STREQUAL "${old}")
  file(WRITE ${OUT} "${content}")
endif()

# Fails when the output of COMMAND ARGUMENTS differs from FILE.
execute_process(COMMAND ${COMMAND} ${ARGUMENTS} OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FILE} expected)
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "${FILE} is not what '${COMMAND} ${ARGUMENTS}' prints: run it and commit the result")
endif()

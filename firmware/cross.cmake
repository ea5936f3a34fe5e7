# Compilers of the processors that firmware is built for: scripts/setup system installs them.
#
# WEFT_CROSS_TARGETS are their names. For those whose compiler is there, WEFT_CROSS_COMPILER_<target> is set, and
# WEFT_CROSS_OPTIONS_<target> are the options that make it this processor, with the C library's headers.
set(WEFT_CROSS_TARGETS rv32imc rv32imac thumbv7em x86-64)
find_program(WEFT_RISCV_GCC riscv64-unknown-elf-gcc)
find_program(WEFT_RISCV_OBJCOPY riscv64-unknown-elf-objcopy)
find_program(WEFT_ARM_GCC arm-none-eabi-gcc)

# Keeps a compiler that has its C library; says so where it does not.
function(weft_find_cross target compiler)
  set(found FALSE)
  if(compiler)
    file(WRITE ${PROJECT_BINARY_DIR}/firmware/has_library.c "#include <math.h>\n#include <string.h>\n")
    execute_process(COMMAND ${compiler} ${ARGN} -fsyntax-only ${PROJECT_BINARY_DIR}/firmware/has_library.c
      RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(found TRUE)
      set(WEFT_CROSS_COMPILER_${target} ${compiler} PARENT_SCOPE)
      set(WEFT_CROSS_OPTIONS_${target} ${ARGN} PARENT_SCOPE)
    endif()
  endif()
  if(NOT found)
    message(STATUS "not built: firmware for ${target}: scripts/setup system installs its compiler")
  endif()
endfunction()

# With -march=rv32imac_zicsr GCC 12 takes the libraries of rv64; 2.2 is the specification that has CSRs in the base.
foreach(target rv32imc rv32imac)
  weft_find_cross(${target} "${WEFT_RISCV_GCC}" -march=${target} -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs)
endforeach()
# Parameters of kernels have enumerations of four bytes.
weft_find_cross(thumbv7em "${WEFT_ARM_GCC}" -march=armv7e-m -mthumb -mfloat-abi=soft -fno-short-enums --specs=picolibc.specs)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  weft_find_cross(x86-64 "${CMAKE_C_COMPILER}" -march=x86-64 -fno-stack-protector)
endif()

# How images of RISC-V systems are linked.
set(WEFT_RISCV_SCRIPT ${PROJECT_SOURCE_DIR}/firmware/riscv/image.ld)
set(WEFT_RISCV_LINK -nostartfiles -T ${WEFT_RISCV_SCRIPT} -Wl,--gc-sections -Wl,--fatal-warnings -Wl,--no-warn-rwx-segments)

# What all firmware is compiled with.
set(WEFT_CROSS_COMMON -std=c17 -ffreestanding -ffunction-sections -fdata-sections -ffp-contract=off
  -Wall -Wextra -Wconversion -Wshadow -Werror)

# weft_cross_objects(objects target folder sources [OPTIONS options]): compiles sources of the tree into
# build/firmware/TARGET/FOLDER, whose objects are listed in the variable.
function(weft_cross_objects objects target folder sources)
  cmake_parse_arguments(PARSE_ARGV 4 with "" "" "OPTIONS")
  set(list)
  foreach(source ${sources})
    get_filename_component(path ${source} ABSOLUTE)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${path})
    if(name MATCHES "^\\.\\.") # generated
      file(RELATIVE_PATH name ${PROJECT_BINARY_DIR} ${path})
    endif()
    set(object ${PROJECT_BINARY_DIR}/firmware/${target}/${folder}/${name}.o)
    get_filename_component(object_folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${object_folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${WEFT_CROSS_COMPILER_${target}} ${WEFT_CROSS_OPTIONS_${target}} ${WEFT_CROSS_COMMON}
        ${with_OPTIONS} -I${PROJECT_SOURCE_DIR} -I${PROJECT_BINARY_DIR}/generated -MD -MF ${object}.d -c ${path} -o ${object}
      DEPENDS ${path}
      DEPFILE ${object}.d
      VERBATIM)
    list(APPEND list ${object})
  endforeach()
  set(${objects} ${list} PARENT_SCOPE)
endfunction()

# A test that cannot be run here.
function(weft_skipped_test name reason)
  add_test(NAME ${name} COMMAND sh -c "echo 'skipped: ${reason} (scripts/setup system)'; exit 77")
endfunction()

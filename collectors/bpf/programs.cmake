# Builds the BPF programs: each collectors/bpf/NAME.bpf.c becomes NAME_object in collectors/bpf/program.h.
# Clang compiles them for the BPF target, whatever compiler builds the rest, and they are relocated for the
# running kernel when loaded; no internal kernel headers are needed.
find_program(BPF_CLANG NAMES clang clang-14 clang-15 clang-16 REQUIRED)
find_program(BPFTOOL bpftool PATHS /usr/sbin /sbin REQUIRED)
set(bpf_flags -g -O2 -target bpf -mcpu=v3 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-declarations
  -I ${PROJECT_SOURCE_DIR} -fdebug-prefix-map=${PROJECT_SOURCE_DIR}=.)
# The kernel's public headers include <asm/types.h>, which Debian keeps in a directory per architecture.
if(CMAKE_LIBRARY_ARCHITECTURE)
  list(APPEND bpf_flags -idirafter ${CMAKE_SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
if(CMAKE_SYSROOT)
  list(APPEND bpf_flags -idirafter ${CMAKE_SYSROOT}/usr/include)
endif()

file(GLOB bpf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/collectors/bpf/*.bpf.c)
file(GLOB bpf_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/collectors/bpf/*.h)
set(bpf_embed ${PROJECT_SOURCE_DIR}/collectors/bpf/embed.cmake)
foreach(source ${bpf_sources})
  get_filename_component(name ${source} NAME_WE)
  set(object ${PROJECT_BINARY_DIR}/bpf/${name})
  # bpftool drops the debug information.
  add_custom_command(OUTPUT ${object}.cpp DEPENDS ${source} ${bpf_headers} ${bpf_embed} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/bpf
    COMMAND ${BPF_CLANG} ${bpf_flags} -c ${source} -o ${object}.full.o
    COMMAND ${BPFTOOL} gen object ${object}.o ${object}.full.o
    COMMAND ${CMAKE_COMMAND} -D IN=${object}.o -D OUT=${object}.cpp -D NAME=${name} -P ${bpf_embed})
  target_sources(evenkeel_collectors PRIVATE ${object}.cpp)
endforeach()

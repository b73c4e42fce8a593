# cmake -D SOURCE=DIR -D NUMBER=0.1.0 -D OUT=version.cpp -P version.cmake: run at every build, writes only what has changed.
# Without a tag the number is the project's; without git (a tarball) it is the whole version.
cmake_minimum_required(VERSION 3.25)
set(version ${NUMBER})
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  # The build may run as root in a tree that another user owns.
  set(describe ${GIT} -c safe.directory=${SOURCE} -C ${SOURCE} describe --tags --dirty=.dirty --abbrev=7)
  execute_process(COMMAND ${describe} --match "v[0-9]*" OUTPUT_VARIABLE tagged OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE untagged)
  execute_process(COMMAND ${describe} --always --exclude "*" OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
  if(NOT untagged)
    string(REGEX REPLACE "^v" "" version ${tagged})
    string(REGEX REPLACE "-([0-9]+)-g" "+\\1.g" version ${version})
  elseif(commit)
    set(version ${NUMBER}+g${commit})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#include \"agent/runtime/version.h\"

namespace evenkeel::runtime {
const char* const kVersion = \"${version}\";
}
")

# Makes deploy/kustomize/base/nodeslo.yaml, which is what is installed, a constant of the program for `evenkeel demo`.
set(installed_file ${PROJECT_SOURCE_DIR}/deploy/kustomize/base/nodeslo.yaml)
set(installed_source ${PROJECT_BINARY_DIR}/installed.cpp)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${installed_file})
file(READ ${installed_file} installed_text)
file(CONFIGURE OUTPUT ${installed_source} @ONLY CONTENT "#include \"agent/demo/stage.h\"

namespace evenkeel::demo {
const char* const kInstalledNodeSlo = R\"yaml(@installed_text@)yaml\";
}
")
target_sources(evenkeel_agent PRIVATE ${installed_source})

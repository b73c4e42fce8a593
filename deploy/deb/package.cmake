# The Debian package, made by CPack; deploy/deb/build runs it after writing man page and changelog to package/share.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME evenkeel)
set(CPACK_PACKAGE_CONTACT "evenkeel maintainers <maintainers@evenkeel.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "QoS agent of a Linux node that runs batch work beside services")
set(CPACK_PACKAGE_DESCRIPTION "evenkeel lets batch work fill the CPU and memory that latency-sensitive services have paid for
but do not use, and keeps those services unharmed. It reads the kernel's counters, decides once a second, moves the
kernel's levers, and puts every one of them back. As installed every feature is off.")
set(CPACK_PACKAGE_FILE_NAME evenkeel)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/build/package)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_DEPENDS init-system-helpers)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA conffiles postinst prerm postrm)
list(TRANSFORM CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
set(CPACK_STRIP_FILES ON)
# /etc is outside the prefix and has to be staged too.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

install(DIRECTORY ${PROJECT_BINARY_DIR}/package/share/ DESTINATION share OPTIONAL)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/completion DESTINATION share/bash-completion/completions RENAME evenkeel)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION share/doc/evenkeel)
include(CPack)

# Usage: cmake -D IN=OBJECT -D OUT=SOURCE -D NAME=NAME -P embed.cmake writes a file's bytes as
# evenkeel::bpf::NAME_object.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include \"collectors/bpf/program.h\"
namespace evenkeel::bpf {
namespace {
alignas(8) constexpr unsigned char kBytes[] = {
${bytes}};
}  // namespace
const std::span<const unsigned char> ${NAME}_object(kBytes);
}  // namespace evenkeel::bpf
")

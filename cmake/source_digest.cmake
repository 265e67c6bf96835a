# Writes OUTPUT, which defines kSourceDigest (tools/source_digest.h): of the names and contents of the
# files that LIST lists, one a line, below ROOT.
#
#   cmake -DROOT=... -DLIST=... -DOUTPUT=... -P source_digest.cmake
file(STRINGS ${LIST} files)
set(all "")
foreach(file ${files})
  file(SHA256 ${file} digest)
  file(RELATIVE_PATH name ${ROOT} ${file})
  string(APPEND all "${name} ${digest}\n")
endforeach()
string(SHA256 digest "${all}")
file(WRITE ${OUTPUT} "#include \"tools/source_digest.h\"

namespace flipsat::tools {

const char* const kSourceDigest = \"${digest}\";

}  // namespace flipsat::tools
")

# The target `docs`: the reference of the interface as HTML, from the comments in the headers. Warnings are errors, so
# that it says nothing about names that are not there.
find_package(Doxygen 1.9 REQUIRED)

set(DOXYGEN_PROJECT_NAME rwlease)
set(DOXYGEN_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/reference")
set(DOXYGEN_USE_MDFILE_AS_MAINPAGE "${PROJECT_SOURCE_DIR}/docs/reference/index.md")
set(DOXYGEN_STRIP_FROM_PATH "${PROJECT_SOURCE_DIR}/include")
set(DOXYGEN_STRIP_FROM_INC_PATH "${PROJECT_SOURCE_DIR}/include")
set(DOXYGEN_INPUT_FILTER "sed -f ${PROJECT_SOURCE_DIR}/docs/reference/filter.sed")
set(DOXYGEN_EXTRACT_ALL YES)
set(DOXYGEN_HIDE_UNDOC_RELATIONS NO)
set(DOXYGEN_EXCLUDE_SYMBOLS "*::detail*;*::Impl;*::runtime*;*::protocol*")
set(DOXYGEN_MACRO_EXPANSION YES)
set(DOXYGEN_EXPAND_ONLY_PREDEF YES)
set(DOXYGEN_PREDEFINED "RWLEASE_EXPORT=" "__cplusplus=201703L")
set(DOXYGEN_AUTOLINK_SUPPORT NO)
set(DOXYGEN_GENERATE_LATEX NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_IF_UNDOCUMENTED NO)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
doxygen_add_docs(docs "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/docs/reference/index.md" ALL
                 COMMENT "Writing the reference into ${DOXYGEN_OUTPUT_DIRECTORY}/html")

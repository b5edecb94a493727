# SPDX-License-Identifier: GPL-2.0-or-later
# One static library a folder of src/, one test program a file of tests/.

# nb_library(NAME LINKS target… [ONLY file | EXCEPT file]): src/NAME/*.c and src/NAME/*/*.c, but for what runs in the
# kernel. LINKS are the only folders and libraries it may use.
function(nb_library name)
	cmake_parse_arguments(ARG "" "ONLY;EXCEPT" "LINKS" ${ARGN})
	file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.c"
		"${PROJECT_SOURCE_DIR}/src/${name}/*/*.c")
	list(FILTER sources EXCLUDE REGEX "\\.bpf\\.c$")
	if(ARG_ONLY)
		list(FILTER sources INCLUDE REGEX "/${ARG_ONLY}$")
	elseif(ARG_EXCEPT)
		list(FILTER sources EXCLUDE REGEX "/${ARG_EXCEPT}$")
	endif()
	if(NOT sources)
		return()
	endif()
	add_library(nb_${name} STATIC ${sources})
	target_include_directories(nb_${name} PUBLIC
		"${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_BINARY_DIR}/generated")
	target_link_libraries(nb_${name} PUBLIC ${ARG_LINKS} PRIVATE nb_warnings)
endfunction()

# nb_tests(DIR LABEL label LINKS target…): every tests/DIR/test_*.c, and of subfolders, is a program and a test
# named after it.
function(nb_tests dir)
	cmake_parse_arguments(ARG "" "LABEL" "LINKS" ${ARGN})
	file(GLOB sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/tests"
		"${PROJECT_SOURCE_DIR}/tests/${dir}/test_*.c" "${PROJECT_SOURCE_DIR}/tests/${dir}/*/test_*.c")
	foreach(source IN LISTS sources)
		string(REGEX REPLACE "test_([^/]*)\\.c$" "\\1" target "${source}")
		string(REPLACE "/" "-" target "${target}")
		add_executable(${target} "${PROJECT_SOURCE_DIR}/tests/${source}")
		target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
		target_compile_definitions(${target} PRIVATE
			NB_SOURCE_DIR="${PROJECT_SOURCE_DIR}" NB_BINARY_DIR="${PROJECT_BINARY_DIR}")
		target_link_libraries(${target} PRIVATE ${ARG_LINKS} nb_support PkgConfig::CMOCKA nb_warnings)
		add_test(NAME ${target} COMMAND ${target})
		set_tests_properties(${target} PROPERTIES
			LABELS "${ARG_LABEL}" SKIP_RETURN_CODE 77 TIMEOUT 300)
	endforeach()
endfunction()

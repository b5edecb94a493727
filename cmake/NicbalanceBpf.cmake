# SPDX-License-Identifier: GPL-2.0-or-later
# BPF objects: compiled by clang for whatever kernel they will meet (CO-RE), wrapped in a skeleton.
find_program(NB_BPF_CLANG clang REQUIRED)
find_program(NB_BPFTOOL bpftool PATHS /usr/sbin /sbin REQUIRED)
set(NB_BPF_FLAGS -g -O2 -mcpu=v3 -Wall -Wextra -Wno-unused-parameter -Werror
	-I "${PROJECT_SOURCE_DIR}/src")
if(CMAKE_LIBRARY_ARCHITECTURE) # Debian keeps asm/types.h there
	list(APPEND NB_BPF_FLAGS -idirafter "/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
if(CMAKE_C_BYTE_ORDER STREQUAL "BIG_ENDIAN")
	set(NB_BPF_TARGET bpfeb)
else()
	set(NB_BPF_TARGET bpfel)
endif()

# nb_bpf_skeletons(LIBRARY FOLDER NAME…): src/FOLDER/NAME.bpf.c becomes "FOLDER/NAME.skel.h" for nb_LIBRARY.
# bpftool gen object drops the debugging information but for BTF.
function(nb_bpf_skeletons library folder)
	set(include "${PROJECT_BINARY_DIR}/skeletons")
	set(dir "${include}/${folder}")
	file(MAKE_DIRECTORY "${dir}")
	foreach(name IN LISTS ARGN)
		set(source "${PROJECT_SOURCE_DIR}/src/${folder}/${name}.bpf.c")
		add_custom_command(OUTPUT "${dir}/${name}.debug.o"
			COMMAND "${NB_BPF_CLANG}" -target ${NB_BPF_TARGET} ${NB_BPF_FLAGS}
				-MD -MF "${dir}/${name}.d" -MT "${dir}/${name}.debug.o"
				-c "${source}" -o "${dir}/${name}.debug.o"
			DEPENDS "${source}" DEPFILE "${dir}/${name}.d"
			COMMENT "Building BPF object ${name}" VERBATIM)
		add_custom_command(OUTPUT "${dir}/${name}.skel.h"
			COMMAND "${NB_BPFTOOL}" gen object "${dir}/${name}.bpf.o" "${dir}/${name}.debug.o"
			COMMAND "${NB_BPFTOOL}" gen skeleton "${dir}/${name}.bpf.o" name "${name}_bpf"
				> "${dir}/${name}.skel.h"
			DEPENDS "${dir}/${name}.debug.o" VERBATIM)
		target_sources(nb_${library} PRIVATE "${dir}/${name}.skel.h")
	endforeach()
	target_include_directories(nb_${library} SYSTEM PRIVATE "${include}")
endfunction()

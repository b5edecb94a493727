# SPDX-License-Identifier: GPL-2.0-or-later
# Warnings, hardening, sanitizers and coverage, held by one interface target.
add_library(nb_warnings INTERFACE)
target_compile_definitions(nb_warnings INTERFACE _GNU_SOURCE)
target_compile_options(nb_warnings INTERFACE
	-Wall -Wextra -Wformat=2 -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef
	-Wpointer-arith -Wwrite-strings -Wswitch-enum -Wimplicit-fallthrough -Wvla
	-Wno-missing-field-initializers -fno-common -fno-strict-aliasing)
if(NOT NB_FUZZ)
	target_compile_options(nb_warnings INTERFACE -Werror)
endif()

# The sanitizers call dlopen() in our stead; only the older kind of search path is the whole program's.
add_link_options(-Wl,--disable-new-dtags)
if(NB_SANITIZE)
	# Not optimised at all, the property tests would take three times as long.
	add_compile_options(-O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
	add_link_options(-fsanitize=address,undefined)
elseif(NB_COVERAGE)
	add_compile_options(--coverage -O0)
	add_link_options(--coverage)
	add_custom_target(coverage
		COMMAND gcovr --root "${PROJECT_SOURCE_DIR}" --filter src/ --filter include/ --sort-percentage
			--print-summary "${PROJECT_BINARY_DIR}"
		WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" VERBATIM USES_TERMINAL)
elseif(NB_FUZZ)
	add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
	add_link_options(-fsanitize=address,undefined)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
	add_compile_options(-fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE)
	add_link_options(-pie -Wl,-z,relro -Wl,-z,now)
endif()

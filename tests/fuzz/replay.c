/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay FILE…: runs each file of the corpus once through the fuzzer it is linked with. */

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		g_autofree char *text = NULL;
		g_autofree uint8_t *exact = NULL;
		size_t len;

		if (!g_file_get_contents(argv[i], &text, &len, NULL)) {
			fprintf(stderr, "cannot read %s\n", argv[i]);
			return EXIT_FAILURE;
		}
		/* Without the NUL that g_file_get_contents() adds: a read past the end is seen. */
		exact = g_malloc(len);
		if (len)
			memcpy(exact, text, len);
		LLVMFuzzerTestOneInput(exact, len);
	}
	printf("%d inputs\n", argc - 1);
	return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

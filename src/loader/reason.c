/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader/loader.h"

#include <errno.h>
#include <glib.h>

/* The verifier ends with statistics; the line before is its reason. */
static char *last_words(const char *log)
{
	static const char *const numbers[] = {"processed ", "verification time ", "stack depth "};
	g_auto(GStrv) lines = g_strsplit(log, "\n", -1);

	for (unsigned i = g_strv_length(lines); i-- > 0;) {
		bool is_number = false;

		for (unsigned k = 0; k < G_N_ELEMENTS(numbers); k++)
			is_number |= g_str_has_prefix(lines[i], numbers[k]);
		g_strstrip(lines[i]);
		if (*lines[i] && !is_number)
			return g_strdup(lines[i]);
	}
	return NULL;
}

static char *explain_refusal(int error, const char *log)
{
	g_autofree char *words = last_words(log);

	return g_strdup_printf("this kernel refuses the probe's programs: %s%s%s",
			       g_strerror(-error), words ? ": " : "", words ? words : "");
}

static int answer(int r, char *reason, char **ret_reason)
{
	if (ret_reason)
		*ret_reason = reason;
	else
		g_free(reason);
	return r;
}

int nb_loader_explain(int error, bool has_btf, const char *log, char **ret_reason)
{
	if (error == -EPERM)
		return answer(-EPERM,
			      g_strdup("the kernel permits no eBPF: CAP_BPF and CAP_PERFMON are "
				       "needed, before Linux 5.11 LimitMEMLOCK=infinity as well, "
				       "and no lockdown for confidentiality"),
			      ret_reason);
	if (error == -ENOMEM)
		return answer(-ENOMEM, g_strdup("no memory for eBPF counters: raise MemoryMax="),
			      ret_reason);
	if (!has_btf)
		return answer(-ENOENT,
			      g_strdup("the kernel has no /sys/kernel/btf/vmlinux: eBPF needs one "
				       "built with CONFIG_DEBUG_INFO_BTF"),
			      ret_reason);
	return answer(-EOPNOTSUPP, explain_refusal(error, log), ret_reason);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/refusal.h"

int nb_refuse(int error, enum nb_refusal_cause cause, struct nb_refusal *ret, const char *format,
	      ...)
{
	va_list args;

	*ret = (struct nb_refusal){.cause = cause};
	va_start(args, format);
	ret->text = g_strdup_vprintf(format, args);
	va_end(args);
	return error;
}

void nb_refusal_clear(struct nb_refusal *refusal)
{
	g_free(refusal->text);
	*refusal = (struct nb_refusal){};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample/parse/parse.h"

#include "sample/parse/text.h"

/* "CPU0 CPU2 …": the ids of the online CPUs, ascending. */
static int take_header(struct nb_text *header, GArray *cpus)
{
	uint64_t id;

	while (!nb_text_at_end(header)) {
		unsigned cpu;

		if (!nb_text_take(header, "CPU") || !nb_text_take_field(header, UINT_MAX, &id))
			return -EBADMSG;
		cpu = (unsigned)id;
		if (cpus->len > 0 && g_array_index(cpus, unsigned, cpus->len - 1) >= cpu)
			return -EBADMSG;
		g_array_append_val(cpus, cpu);
	}
	return cpus->len > 0 ? 0 : -EBADMSG;
}

/* The handler names: what stands behind the last two blanks before the first comma. Chip names,
 * hardware numbers and flow names before may hold single blanks ("Hyper-V PCIe MSI"), and so may
 * the names themselves ("QMan portal 0"); kernel/irq/proc.c puts two before the first name. */
static struct nb_text actions_of(struct nb_text line)
{
	const char *comma = memchr(line.p, ',', (size_t)(line.end - line.p));
	const char *p = comma ? comma : line.end;

	while (p - line.p >= 2 && !(p[-1] == ' ' && p[-2] == ' '))
		p--;
	if (p - line.p < 2)
		p = line.end;
	return (struct nb_text){p, line.end};
}

static int take_row(struct nb_text *line, uint32_t *counts, unsigned n_counts)
{
	struct nb_text more;
	uint64_t count;

	for (unsigned i = 0; i < n_counts; i++) {
		if (!nb_text_take_field(line, UINT32_MAX, &count))
			return -EBADMSG;
		counts[i] = (uint32_t)count;
	}
	/* No chip is named by a number alone: a CPU came online while the file was read, for the
	 * kernel asks again for the online CPUs at each row. */
	more = *line;
	return nb_text_take_field(&more, UINT64_MAX, &count) ? -EBADMSG : 0;
}

int nb_parse_interrupts(const char *text, size_t len, nb_interrupt_fn fn, void *userdata)
{
	struct nb_text rest = nb_text_of(text, len), line, actions;
	g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autofree uint32_t *counts = NULL;
	uint64_t irq;
	int r;

	r = nb_text_take_line(&rest, &line);
	if (r <= 0)
		return -EBADMSG;
	r = take_header(&line, cpus);
	if (r < 0)
		return r;
	counts = g_new(uint32_t, cpus->len);

	while ((r = nb_text_take_line(&rest, &line)) > 0) {
		nb_text_skip_blanks(&line);
		/* "NMI:", "LOC:" and the like have no handlers. */
		if (!nb_text_take_number(&line, UINT32_MAX, &irq) || !nb_text_take(&line, ":"))
			continue;
		r = take_row(&line, counts, cpus->len);
		if (r < 0)
			return r;
		actions = actions_of(line);
		fn(&(struct nb_interrupt_row){(uint32_t)irq, (const unsigned *)(void *)cpus->data,
					      counts, cpus->len, actions.p,
					      (size_t)(actions.end - actions.p)},
		   userdata);
	}
	return r;
}

int nb_parse_cpu_counts(const char *text, size_t len, uint32_t *ret_counts, unsigned n_counts)
{
	struct nb_text rest = nb_text_of(text, len);
	uint64_t count;

	for (unsigned i = 0; i < n_counts; i++) {
		if ((i > 0 && !nb_text_take(&rest, ",")) ||
		    !nb_text_take_number(&rest, UINT32_MAX, &count))
			return -EBADMSG;
		ret_counts[i] = (uint32_t)count;
	}
	return nb_text_take(&rest, "\n") && rest.p == rest.end ? 0 : -EBADMSG;
}

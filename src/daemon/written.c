/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The affinities that other programs wrote, kept over a restart. */
#include "daemon/daemon.h"

#include "base/find.h"
#include "base/lines.h"
#include "base/written.h"
#include "claims/target.h"
#include "claims/written_text.h"
#include "publish/journal.h"
#include "publish/message_ids.h"

#include <errno.h>
#include <string.h>

#define PATH "run/nicbalance/written"

/* It is no more than what could be found in the kernel again, if it were known to be there on
 * purpose: damaged lines are told, and lost. */
void nb_daemon_load_written(struct nb_daemon *daemon)
{
	g_autoptr(GArray) damaged = g_array_new(FALSE, FALSE, sizeof(unsigned));
	g_autofree char *text = NULL, *numbers = NULL;
	size_t len = 0;
	int r;

	r = nb_sysroot_read(daemon->root, PATH, &text, &len);
	if (r < 0 && r != -ENOENT)
		nb_journal_say(LOG_WARNING, NULL, "Failed to read /" PATH ": %s", strerror(-r));
	daemon->awaited = r < 0 ? g_array_new(FALSE, FALSE, sizeof(struct nb_written_row))
				: nb_written_parse(text, len, damaged);
	if (damaged->len == 0)
		return;
	numbers = nb_lines_describe(damaged);
	nb_journal_say(LOG_WARNING, NB_MESSAGE_CLAIMS_DAMAGED,
		       "Affinities by other programs that an earlier run had found are damaged in "
		       "line %s of /" PATH ". What these lines limited is balanced like everything "
		       "else; write it again if that is wrong.",
		       numbers);
}

void nb_daemon_adopt_written(struct nb_daemon *daemon)
{
	const struct nb_machine *machine = daemon->loop.snapshot->machine;

	for (unsigned i = daemon->awaited->len; i > 0; i--) {
		struct nb_written_row *row =
			&g_array_index(daemon->awaited, struct nb_written_row, i - 1);

		if (!nb_target_find(&row->target, machine, &row->pool.key))
			continue;
		nb_written_adopt(&daemon->loop.memory, &row->pool);
		g_array_remove_index(daemon->awaited, i - 1);
	}
}

static void add_row(const struct nb_machine *machine, const struct nb_pool *pool, GArray *rows)
{
	struct nb_written_row row = {.pool = *pool, .target.number = pool->key.index};
	const struct nb_nic *nic = nb_machine_find_nic(machine, pool->key.ifindex);

	if (!nb_key_is_device_irq(pool->key) && !nic)
		return;
	row.target.type = nb_key_is_device_irq(pool->key) ? NB_TARGET_IRQ : NB_TARGET_QUEUE;
	if (nic)
		g_strlcpy(row.target.nic, nic->name, sizeof(row.target.nic));
	g_array_append_val(rows, row);
}

void nb_daemon_save_written(struct nb_daemon *daemon)
{
	g_autoptr(GArray) rows = g_array_copy(daemon->awaited);
	const struct nb_memory *memory = &daemon->loop.memory;
	g_autofree char *text = NULL;
	int r;

	if (daemon->written_version == memory->written_version)
		return;
	for (unsigned i = 0; i < memory->written.n; i++)
		add_row(daemon->loop.snapshot->machine, &memory->written.rows[i], rows);
	text = nb_written_format(rows);
	r = rows->len > 0 ? nb_sysroot_replace(daemon->root, PATH, text, strlen(text))
			  : nb_sysroot_unlink(daemon->root, PATH);
	if (r < 0 && r != -ENOENT)
		nb_journal_say(LOG_WARNING, NULL, "Failed to write /" PATH ": %s", strerror(-r));
	daemon->written_version = memory->written_version;
}

unsigned nb_daemon_release_written(struct nb_daemon *daemon, const char *what)
{
	struct nb_target target;
	struct nb_queue_key key;

	if (!daemon->loop.snapshot || nb_target_parse(what, &target) < 0 ||
	    !nb_target_find(&target, daemon->loop.snapshot->machine, &key))
		return 0;
	return nb_written_release(&daemon->loop.memory, key);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in the code a line was written is of no use to the operator. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include "publish/journal.h"

#include "base/describe.h"
#include "publish/journal_fields.h"

#include <glib.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

/* The program has one stderr, and so one threshold for it. */
static int max_priority = LOG_INFO;

void nb_journal_set_max_priority(int priority)
{
	max_priority = priority;
}

/* systemd.exec(5): $JOURNAL_STREAM names device and inode of the journal's end; it is inherited, so
 * only a match tells that stderr has not been redirected since. */
static bool stderr_is_journal(void)
{
	const char *stream = g_getenv("JOURNAL_STREAM");
	g_autofree char *own = NULL;
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return false;
	own = g_strdup_printf("%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return g_str_equal(stream, own);
}

static int send_entry(int priority, const char *message_id, const char *message, char **fields)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	g_autofree struct iovec *iov = NULL;

	g_ptr_array_add(texts, g_strdup_printf("MESSAGE=%s", message));
	g_ptr_array_add(texts, g_strdup_printf("PRIORITY=%d", priority));
	if (message_id)
		g_ptr_array_add(texts, g_strdup_printf("MESSAGE_ID=%s", message_id));
	for (char **field = fields; field && *field; field++)
		g_ptr_array_add(texts, g_strdup(*field));

	iov = g_new(struct iovec, texts->len);
	for (unsigned i = 0; i < texts->len; i++)
		iov[i] = (struct iovec){texts->pdata[i], strlen(texts->pdata[i])};
	return sd_journal_sendv(iov, (int)texts->len);
}

static void say(int priority, const char *message_id, const char *message, char **fields)
{
	if (priority > max_priority)
		return;
	if (stderr_is_journal() && send_entry(priority, message_id, message, fields) >= 0)
		return;
	fprintf(stderr, "%s\n", message);
}

void nb_journal_record(const struct nb_record *record)
{
	g_autofree char *message = nb_record_describe(record);
	g_auto(GStrv) fields = nb_record_fields(record);

	say(nb_record_priority(record), nb_record_message_id(record), message, fields);
}

void nb_journal_say(int priority, const char *message_id, const char *format, ...)
{
	g_autofree char *message = NULL;
	va_list args;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	say(priority, message_id, message, NULL);
}

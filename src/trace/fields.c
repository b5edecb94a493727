/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/fields.h"

#include "base/cpumask_text.h"
#include "trace/rows.h"

#include <glib.h>

bool nb_trace_take(struct nb_trace_fields *fields, struct nb_trace_field *ret)
{
	size_t left = (size_t)(fields->end - fields->at);
	const char *space = memchr(fields->at, ' ', left);
	const char *end = space ? space : fields->end;

	if (end == fields->at || (space && space + 1 == fields->end))
		return false;
	*ret = (struct nb_trace_field){.text = fields->at, .len = (size_t)(end - fields->at)};
	fields->at = space ? space + 1 : end;
	return true;
}

bool nb_trace_take_word(struct nb_trace_fields *fields, char ret[NB_TRACE_WORD_MAX])
{
	struct nb_trace_field field;

	if (!nb_trace_take(fields, &field) || field.len >= NB_TRACE_WORD_MAX)
		return false;
	for (size_t i = 0; i < field.len; i++)
		if (!g_ascii_isgraph(field.text[i]))
			return false;
	memcpy(ret, field.text, field.len);
	ret[field.len] = '\0';
	return true;
}

/* Each number has one way to be written. */
static bool to_time(struct nb_trace_field field, uint64_t max, uint64_t *ret)
{
	uint64_t number = 0;

	if (field.len == 0 || (field.len > 1 && field.text[0] == '0'))
		return false;
	for (size_t i = 0; i < field.len; i++) {
		if (!g_ascii_isdigit(field.text[i]))
			return false;
		number = number * 10 + (uint64_t)(field.text[i] - '0');
		if (number > max)
			return false;
	}
	*ret = number;
	return true;
}

static bool to_number(struct nb_trace_field field, uint32_t max, uint32_t *ret)
{
	uint64_t number;

	if (!to_time(field, max, &number))
		return false;
	*ret = (uint32_t)number;
	return true;
}

bool nb_trace_take_time(struct nb_trace_fields *fields, uint64_t max, uint64_t *ret)
{
	struct nb_trace_field field;

	return nb_trace_take(fields, &field) && to_time(field, max, ret);
}

bool nb_trace_take_number(struct nb_trace_fields *fields, uint32_t max, uint32_t *ret)
{
	struct nb_trace_field field;

	return nb_trace_take(fields, &field) && to_number(field, max, ret);
}

bool nb_trace_take_perhaps(struct nb_trace_fields *fields, uint32_t max, int *ret)
{
	struct nb_trace_field field;
	uint32_t number;

	if (!nb_trace_take(fields, &field))
		return false;
	if (nb_trace_field_is(&field, "-")) {
		*ret = -1;
		return true;
	}
	if (!to_number(field, MIN(max, INT32_MAX), &number))
		return false;
	*ret = (int)number;
	return true;
}

/* In two at the first sign; false when there is none. */
static bool split(struct nb_trace_field field, char sign, struct nb_trace_field *ret_before,
		  struct nb_trace_field *ret_after)
{
	const char *at = memchr(field.text, sign, field.len);

	if (!at)
		return false;
	ret_before->text = field.text;
	ret_before->len = (size_t)(at - field.text);
	ret_after->text = at + 1;
	ret_after->len = field.len - ret_before->len - 1;
	return true;
}

bool nb_trace_take_range(struct nb_trace_fields *fields, uint32_t max, uint32_t *ret_first,
			 uint32_t *ret_last)
{
	struct nb_trace_field field, before, after;
	uint32_t first, last;

	if (!nb_trace_take(fields, &field))
		return false;
	if (!split(field, '-', &before, &after))
		before = after = field;
	if (!to_number(before, max, &first) || !to_number(after, max, &last) || last < first)
		return false;
	*ret_first = first;
	*ret_last = last;
	return true;
}

bool nb_trace_take_queue(struct nb_trace_fields *fields, struct nb_queue_key *ret)
{
	struct nb_trace_field field, before, after;
	uint32_t nic, index;

	if (!nb_trace_take(fields, &field) || !split(field, '.', &before, &after) ||
	    !to_number(before, NB_TRACE_NIC_MAX, &nic) ||
	    !to_number(after, NB_TRACE_INDEX_MAX, &index))
		return false;
	*ret = (struct nb_queue_key){.ifindex = (int)nic, .index = index};
	return true;
}

bool nb_trace_take_cpus(struct nb_trace_fields *fields, struct nb_cpumask *ret)
{
	struct nb_trace_field field;
	struct nb_cpumask cpus;

	if (!nb_trace_take(fields, &field) ||
	    nb_cpumask_parse_list(field.text, field.len, &cpus) < 0 || nb_cpumask_empty(&cpus))
		return false;
	*ret = cpus;
	return true;
}

bool nb_trace_at_end(const struct nb_trace_fields *fields)
{
	return fields->at == fields->end;
}

bool nb_trace_field_is(const struct nb_trace_field *field, const char *word)
{
	return field->len == strlen(word) && memcmp(field->text, word, field->len) == 0;
}

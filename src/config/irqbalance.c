/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/irqbalance.h"

#include "base/cpumask_text.h"
#include "config/draft.h"
#include "config/files.h"
#include "config/irqbalance_variables.h"

#include <errno.h>
#include <string.h>

/* The unit, where the first that exists counts. */
static const char *const units[] = {
	"etc/systemd/system/irqbalance.service",
	"run/systemd/system/irqbalance.service",
	"usr/local/lib/systemd/system/irqbalance.service",
	"usr/lib/systemd/system/irqbalance.service",
	"lib/systemd/system/irqbalance.service",
	NULL,
};
/* Container runtimes write them whether irqbalance is installed or not; an assignment in the second
 * one counts more. */
static const char *const files[] = {"etc/default/irqbalance", "etc/sysconfig/irqbalance"};

/* One file or directory that was looked at. */
struct source {
	char *path; /* below the root; owned */
	struct nb_file_stamp stamp;
};

static void source_clear(void *p)
{
	struct source *source = p;

	g_free(source->path);
}

void nb_irqbalance_free(struct nb_irqbalance *irqbalance)
{
	if (!irqbalance)
		return;
	nb_interrupt_rules_clear(&irqbalance->interrupts);
	g_clear_pointer(&irqbalance->sources, g_array_unref);
	g_free(irqbalance->origin);
	g_free(irqbalance);
}

bool nb_irqbalance_is_empty(const struct nb_irqbalance *irqbalance)
{
	return nb_cpumask_empty(&irqbalance->banned) && irqbalance->interrupts.n_rules == 0;
}

bool nb_irqbalance_is_current(const struct nb_irqbalance *irqbalance, struct nb_sysroot *root)
{
	for (unsigned i = 0; irqbalance->sources && i < irqbalance->sources->len; i++) {
		const struct source *source = &g_array_index(irqbalance->sources, struct source, i);
		struct nb_file_stamp now = nb_sysroot_stamp(root, source->path);

		if (memcmp(&now, &source->stamp, sizeof(now)) != 0)
			return false;
	}
	return true;
}

/* What the variables say. */
struct reading {
	const struct nb_irqbalance_variables *variables;
	struct nb_irqbalance *irqbalance;
	char *error;
};

static int refuse(struct reading *reading, enum nb_irqbalance_variable variable, const char *text,
		  const char *remedy)
{
	reading->error =
		g_strdup_printf("%s: %s=%s %s", reading->variables->values[variable].origin,
				nb_irqbalance_variable_name(variable), text, remedy);
	return -EINVAL;
}

/* "-" is what tools write for none where an empty value counts as not set. */
static int parse_cpus(struct reading *reading, enum nb_irqbalance_variable variable,
		      struct nb_cpumask *ret)
{
	const char *text = reading->variables->values[variable].text;
	const char *digits = g_str_has_prefix(text, "0x") ? text + strlen("0x") : text;

	if (g_str_equal(text, "-"))
		*ret = (struct nb_cpumask){};
	else if (variable == NB_IRQBALANCE_MASK &&
		 nb_cpumask_parse_mask(digits, strlen(digits), ret) < 0)
		return refuse(reading, variable, text,
			      "is not a mask of CPUs; write groups of eight hex digits such as "
			      "0000000f,00000000");
	else if (variable == NB_IRQBALANCE_LIST &&
		 nb_cpumask_parse_list(text, strlen(text), ret) < 0)
		return refuse(reading, variable, text,
			      "is not a list of CPUs; write CPU numbers and ranges such as 0-3,8");
	return 0;
}

static bool is_set(const struct reading *reading, enum nb_irqbalance_variable variable)
{
	const char *text = reading->variables->values[variable].text;

	return text && *text != '\0';
}

static int take_cpus(struct reading *reading)
{
	enum nb_irqbalance_variable variable =
		is_set(reading, NB_IRQBALANCE_MASK) ? NB_IRQBALANCE_MASK : NB_IRQBALANCE_LIST;
	int r;

	if (!is_set(reading, variable))
		return 0;
	r = parse_cpus(reading, variable, &reading->irqbalance->banned);
	if (r < 0)
		return r;
	reading->irqbalance->origin = g_strdup(reading->variables->values[variable].origin);
	return 0;
}

/* The value of an option, which may be the next word; NULL: word is another one. */
static const char *option_value(const char *word, const char *next, const char *name, char letter)
{
	size_t len = strlen(name);

	if (word[0] != '-')
		return NULL;
	if (word[1] == letter)
		return word[2] != '\0' ? word + 2 : next;
	if (strncmp(word, name, len) != 0)
		return NULL;
	if (word[len] == '=')
		return word + len + 1;
	return word[len] == '\0' ? next : NULL;
}

static void ignore(struct reading *reading, const char *match)
{
	nb_config_interrupt_rule(&reading->irqbalance->interrupts, match)->ignore = true;
}

static int take_argument(struct reading *reading, enum nb_irqbalance_variable variable,
			 const char *word, const char *next)
{
	const char *irq = option_value(word, next, "--banirq", 'i');
	const char *module = option_value(word, next, "--banmod", 'm');
	uint64_t number;

	if (irq && !g_ascii_string_to_unsigned(irq, 10, 0, UINT32_MAX, &number, NULL))
		return refuse(reading, variable, word,
			      "bans no interrupt; write its number such as --banirq=35");
	if (irq)
		ignore(reading, irq);
	/* A part of its name is enough (classify.c check_for_module_ban()). */
	if (module) {
		g_autofree char *match = g_strdup_printf("driver:*%s*", module);

		ignore(reading, match);
	}
	return 0;
}

/* systemd splits $IRQBALANCE_ARGS at white space. */
static int take_arguments(struct reading *reading, enum nb_irqbalance_variable variable)
{
	g_auto(GStrv) words = NULL;

	if (!is_set(reading, variable))
		return 0;
	words = g_strsplit_set(reading->variables->values[variable].text, " \t", -1);
	for (char **word = words; *word; word++) {
		const char *next = word[1] ? word[1] : "";
		int r = take_argument(reading, variable, *word, next);

		if (r < 0)
			return r;
	}
	return 0;
}

static int take_all(struct reading *reading)
{
	int r = take_cpus(reading);

	if (r == 0)
		r = take_arguments(reading, NB_IRQBALANCE_COMMAND);
	if (r == 0)
		r = take_arguments(reading, NB_IRQBALANCE_ARGUMENTS);
	return r;
}

int nb_irqbalance_interpret(const struct nb_irqbalance_variables *variables,
			    struct nb_irqbalance **ret, char **ret_error)
{
	g_autoptr(nb_irqbalance) irqbalance = g_new0(nb_irqbalance, 1);
	struct reading reading = {.variables = variables, .irqbalance = irqbalance};
	int r = take_all(&reading);

	if (r < 0)
		*ret_error = reading.error;
	else
		*ret = g_steal_pointer(&irqbalance);
	return r;
}

typedef void (*adder)(struct nb_irqbalance_variables *variables, const char *path, const char *text,
		      size_t len);

/* The files of a host. */
struct reader {
	struct nb_sysroot *root;
	struct nb_irqbalance_variables variables;
	GArray *sources; /* of struct source */
	char *error;
};

static void note_source(struct reader *reader, const char *path)
{
	struct source source = {g_strdup(path), nb_sysroot_stamp(reader->root, path)};

	g_array_append_val(reader->sources, source);
}

static int fail(struct reader *reader, int error, const char *path)
{
	g_autofree char *fault = nb_config_explain_read(error);

	reader->error = g_strdup_printf("/%s: %s", path, fault);
	return error;
}

/* 1: it was read; 0: there is none. */
static int read_source(struct reader *reader, const char *path, adder add)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *shown = g_strconcat("/", path, NULL);
	int r;

	note_source(reader, path);
	r = nb_config_read_file(reader->root, path, text);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return fail(reader, r, path);
	add(&reader->variables, shown, text->str, text->len);
	return 1;
}

static int read_unit(struct reader *reader)
{
	int r = 0;

	for (const char *const *unit = units; *unit && r == 0; unit++)
		r = read_source(reader, *unit, nb_irqbalance_variables_add_unit);
	return MIN(r, 0);
}

static int read_dropins(struct reader *reader)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *dir = NULL;
	int r;

	for (const char *const *unit = units; *unit; unit++) {
		g_autofree char *path = g_strconcat(*unit, ".d", NULL);

		note_source(reader, path);
	}
	r = nb_config_list_dropins(reader->root, units, paths, &dir);
	if (r < 0)
		return fail(reader, r, dir);
	for (unsigned i = 0; i < paths->len && r >= 0; i++)
		r = read_source(reader, g_ptr_array_index(paths, i),
				nb_irqbalance_variables_add_unit);
	return MIN(r, 0);
}

static bool is_read_anyhow(const char *path)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
		if (g_str_equal(path, files[i]))
			return true;
	return false;
}

static int read_environment_files(struct reader *reader)
{
	const GPtrArray *named = reader->variables.files;
	int r = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(files) && r >= 0; i++)
		r = read_source(reader, files[i], nb_irqbalance_variables_add_file);
	for (unsigned i = 0; named && i < named->len && r >= 0; i++) {
		const char *path = (const char *)g_ptr_array_index(named, i) + strlen("/");

		if (!is_read_anyhow(path))
			r = read_source(reader, path, nb_irqbalance_variables_add_file);
	}
	return MIN(r, 0);
}

static int read_all(struct reader *reader)
{
	int r = read_unit(reader);

	if (r == 0)
		r = read_dropins(reader);
	if (r == 0)
		r = read_environment_files(reader);
	return r;
}

static int read_and_interpret(struct reader *reader, struct nb_irqbalance **ret)
{
	int r = read_all(reader);

	return r < 0 ? r : nb_irqbalance_interpret(&reader->variables, ret, &reader->error);
}

int nb_irqbalance_read(struct nb_sysroot *root, struct nb_irqbalance **ret, char **ret_error)
{
	struct nb_irqbalance *irqbalance = NULL;
	struct reader reader = {.root = root};
	int r;

	reader.sources = g_array_new(FALSE, FALSE, sizeof(struct source));
	g_array_set_clear_func(reader.sources, source_clear);
	r = read_and_interpret(&reader, &irqbalance);
	nb_irqbalance_variables_clear(&reader.variables);
	if (!irqbalance) {
		g_array_unref(reader.sources);
		*ret_error = reader.error;
		return r;
	}
	irqbalance->sources = reader.sources;
	*ret = irqbalance;
	return 0;
}

void nb_irqbalance_apply(const struct nb_irqbalance *irqbalance, struct nb_config *config)
{
	int row = nb_settings_find("Balance", "BannedCPUs");
	gpointer *origin = &g_ptr_array_index(config->origins, (unsigned)row);

	config->devices.irqbalance = &irqbalance->interrupts;
	if (*origin && !config->banned_by_irqbalance)
		return;
	g_free(*origin);
	*origin = g_strdup(irqbalance->origin);
	config->policy.banned = irqbalance->banned;
	config->banned_by_irqbalance = *origin != NULL;
}

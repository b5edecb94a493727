/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/irqbalance.h"

#include "base/cpumask_text.h"
#include "config/draft.h"
#include "config/files.h"

#include <errno.h>
#include <string.h>

const char *const nb_irqbalance_files[NB_IRQBALANCE_FILES] = {
	"etc/default/irqbalance",
	"etc/sysconfig/irqbalance",
};

enum variable { MASK, LIST, ARGUMENTS, _VARIABLE_MAX };

static const char *const names[_VARIABLE_MAX] = {
	[MASK] = "IRQBALANCE_BANNED_CPUS",
	[LIST] = "IRQBALANCE_BANNED_CPULIST",
	[ARGUMENTS] = "IRQBALANCE_ARGS",
};

/* The last assignment. */
struct value {
	char *text; /* NULL: none; owned */
	char *origin;
};

struct environment {
	struct value values[_VARIABLE_MAX];
	char *error;
};

void nb_irqbalance_free(struct nb_irqbalance *irqbalance)
{
	if (!irqbalance)
		return;
	nb_interrupt_rules_clear(&irqbalance->interrupts);
	g_free(irqbalance->origin);
	g_free(irqbalance);
}

bool nb_irqbalance_is_empty(const struct nb_irqbalance *irqbalance)
{
	return nb_cpumask_empty(&irqbalance->banned) && irqbalance->interrupts.n_rules == 0;
}

static void environment_clear(struct environment *environment)
{
	for (unsigned i = 0; i < _VARIABLE_MAX; i++) {
		g_free(environment->values[i].text);
		g_free(environment->values[i].origin);
	}
}

/* Without the quotes around it. */
static char *unquote(char *text)
{
	size_t len;

	g_strstrip(text);
	len = strlen(text);
	if (len >= 2 && (text[0] == '"' || text[0] == '\'') && text[len - 1] == text[0]) {
		text[len - 1] = '\0';
		text++;
	}
	return g_strstrip(text);
}

static void assign(struct environment *environment, char *line, const char *path, unsigned n)
{
	char *equals = strchr(g_strchug(line), '=');

	if (!equals || *line == '#' || *line == ';')
		return;
	*equals = '\0';
	for (unsigned i = 0; i < _VARIABLE_MAX; i++) {
		struct value *value = &environment->values[i];

		if (!g_str_equal(g_strstrip(line), names[i]))
			continue;
		g_free(value->text);
		g_free(value->origin);
		value->text = g_strdup(unquote(equals + 1));
		value->origin = g_strdup_printf("%s:%u", path, n);
	}
}

/* The syntax of EnvironmentFile= in systemd.exec(5): a backslash continues a line. */
static void read_text(struct environment *environment, const struct nb_irqbalance_text *file)
{
	g_autofree char *text = g_strndup(file->text, file->len);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(GString) whole = g_string_new(NULL);
	unsigned first = 0;

	for (unsigned i = 0; lines[i]; i++) {
		if (whole->len == 0)
			first = i;
		g_string_append(whole, lines[i]);
		if (g_str_has_suffix(lines[i], "\\") && lines[i + 1]) {
			whole->str[whole->len - 1] = ' ';
			continue;
		}
		assign(environment, whole->str, file->path, first + 1);
		g_string_truncate(whole, 0);
	}
}

static int refuse(struct environment *environment, enum variable variable, const char *text,
		  const char *remedy)
{
	environment->error = g_strdup_printf("%s: %s=%s %s", environment->values[variable].origin,
					     names[variable], text, remedy);
	return -EINVAL;
}

/* "-" is what tools write for none where an empty value counts as not set. */
static int parse_cpus(struct environment *environment, enum variable variable,
		      struct nb_cpumask *ret)
{
	const char *text = environment->values[variable].text;
	const char *digits = g_str_has_prefix(text, "0x") ? text + strlen("0x") : text;

	if (g_str_equal(text, "-"))
		*ret = (struct nb_cpumask){};
	else if (variable == MASK && nb_cpumask_parse_mask(digits, strlen(digits), ret) < 0)
		return refuse(environment, variable, text,
			      "is not a mask of CPUs; write groups of eight hex digits such as "
			      "0000000f,00000000");
	else if (variable == LIST && nb_cpumask_parse_list(text, strlen(text), ret) < 0)
		return refuse(environment, variable, text,
			      "is not a list of CPUs; write CPU numbers and ranges such as 0-3,8");
	return 0;
}

static bool is_set(const struct environment *environment, enum variable variable)
{
	const char *text = environment->values[variable].text;

	return text && *text != '\0';
}

static int take_cpus(struct environment *environment, struct nb_irqbalance *irqbalance)
{
	enum variable variable = is_set(environment, MASK) ? MASK : LIST;
	int r;

	if (!is_set(environment, variable))
		return 0;
	r = parse_cpus(environment, variable, &irqbalance->banned);
	if (r < 0)
		return r;
	irqbalance->origin = g_strdup(environment->values[variable].origin);
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

static void ignore(struct nb_irqbalance *irqbalance, const char *match)
{
	nb_config_interrupt_rule(&irqbalance->interrupts, match)->ignore = true;
}

static int take_argument(struct environment *environment, const char *word, const char *next,
			 struct nb_irqbalance *irqbalance)
{
	const char *irq = option_value(word, next, "--banirq", 'i');
	const char *module = option_value(word, next, "--banmod", 'm');
	uint64_t number;

	if (irq && !g_ascii_string_to_unsigned(irq, 10, 0, UINT32_MAX, &number, NULL))
		return refuse(environment, ARGUMENTS, word,
			      "bans no interrupt; write its number such as --banirq=35");
	if (irq)
		ignore(irqbalance, irq);
	/* A part of its name is enough (classify.c check_for_module_ban()). */
	if (module) {
		g_autofree char *match = g_strdup_printf("driver:*%s*", module);

		ignore(irqbalance, match);
	}
	return 0;
}

/* systemd splits $IRQBALANCE_ARGS at white space. */
static int take_arguments(struct environment *environment, struct nb_irqbalance *irqbalance)
{
	g_auto(GStrv) words = NULL;

	if (!is_set(environment, ARGUMENTS))
		return 0;
	words = g_strsplit_set(environment->values[ARGUMENTS].text, " \t", -1);
	for (char **word = words; *word; word++) {
		const char *next = word[1] ? word[1] : "";
		int r = take_argument(environment, *word, next, irqbalance);

		if (r < 0)
			return r;
	}
	return 0;
}

int nb_irqbalance_parse(const struct nb_irqbalance_text *files, unsigned n_files,
			struct nb_irqbalance **ret, char **ret_error)
{
	g_autoptr(nb_irqbalance) irqbalance = g_new0(nb_irqbalance, 1);
	struct environment environment = {};
	int r;

	for (unsigned i = 0; i < n_files; i++)
		read_text(&environment, &files[i]);
	r = take_cpus(&environment, irqbalance);
	if (r == 0)
		r = take_arguments(&environment, irqbalance);
	environment_clear(&environment);
	if (r < 0) {
		*ret_error = environment.error;
		return r;
	}
	*ret = g_steal_pointer(&irqbalance);
	return 0;
}

int nb_irqbalance_read(struct nb_sysroot *root, struct nb_irqbalance **ret, char **ret_error)
{
	struct nb_irqbalance_text files[NB_IRQBALANCE_FILES];
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	unsigned n = 0;

	for (unsigned i = 0; i < NB_IRQBALANCE_FILES; i++) {
		g_autoptr(GString) text = g_string_new(NULL);
		char *path = g_strconcat("/", nb_irqbalance_files[i], NULL);
		int r = nb_config_read_file(root, nb_irqbalance_files[i], text);

		g_ptr_array_add(texts, path);
		if (r == -ENOENT)
			continue;
		if (r < 0) {
			g_autofree char *fault = nb_config_explain_read(r);

			*ret_error = g_strdup_printf("%s: %s", path, fault);
			return r;
		}
		files[n++] = (struct nb_irqbalance_text){path, text->str, text->len};
		g_ptr_array_add(texts, g_string_free(g_steal_pointer(&text), FALSE));
	}
	return nb_irqbalance_parse(files, n, ret, ret_error);
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

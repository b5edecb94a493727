/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/report/rehearsed.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <zlib.h>

#define PIECE_SIZE 65536u

void nb_rehearsed_clear(nb_rehearsed *rehearsed)
{
	g_free(rehearsed->title);
	nb_rehearsal_free(rehearsed->runs[0]);
	nb_rehearsal_free(rehearsed->runs[1]);
	nb_config_free(rehearsed->config);
	*rehearsed = (nb_rehearsed){0};
}

G_DEFINE_AUTO_CLEANUP_FREE_FUNC(gzFile, gzclose_r, NULL)

/* As it is, or as gzip has compressed it; up to the cut, where a compressed one was cut. */
static int read_file(const char *path, char **ret_text, size_t *ret_len)
{
	g_auto(gzFile) file = gzopen(path, "rbe");
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *piece = g_malloc(PIECE_SIZE);
	int n;

	if (!file) {
		g_printerr("nicbalancectl: cannot read %s: %s\n", path, strerror(errno));
		return -EIO;
	}
	while ((n = gzread(file, piece, PIECE_SIZE)) > 0)
		g_string_append_len(text, piece, n);
	if (n < 0) {
		g_printerr("nicbalancectl: cannot read %s\n", gzerror(file, &n));
		return -EIO;
	}
	*ret_len = text->len;
	*ret_text = g_string_free(g_steal_pointer(&text), FALSE);
	return 0;
}

/* Each line of faults begins with its number. */
static void say_faults(const char *path, const char *faults)
{
	g_auto(GStrv) lines = g_strsplit(faults, "\n", -1);

	for (unsigned i = 0; lines[i]; i++)
		if (*lines[i])
			g_printerr("%s:%s\n", path, lines[i]);
}

static int load_config(const char *file, struct nb_config **ret)
{
	g_autoptr(nb_sysroot) root = NULL;
	g_autofree char *faults = NULL;
	int r;

	r = nb_sysroot_open(NULL, &root);
	if (r < 0) {
		g_printerr("nicbalancectl: cannot open /: %s\n", strerror(-r));
		return r;
	}
	r = nb_config_load(root, file, ret, &faults);
	if (r < 0)
		g_printerr("%s\n", faults);
	return r;
}

/* What both begin with. */
static int read_input(const char *path, const char *config_file, struct nb_config **ret_config,
		      char **ret_text, size_t *ret_len)
{
	int r = load_config(config_file, ret_config);

	return r < 0 ? r : read_file(path, ret_text, ret_len);
}

/* What the first [Device] section that names a NIC asks for; a simulated one has nothing else to be
 * matched by than its name. What no section says is as in the scenario. */
static void ask_nic(const struct nb_device_rules *rules, struct nb_sim_nic *nic)
{
	for (unsigned i = 0; i < rules->n_rules; i++) {
		const struct nb_device_rule *rule = &rules->rules[i];

		if (fnmatch(rule->match, nic->name, 0) != 0)
			continue;
		nic->spill |= rule->spill;
		if (rule->channels != NB_CHANNELS_KEEP)
			nic->channels_asked = rule->channels;
		nic->udp_ports_asked |= rule->udp_hash == NB_UDP_HASH_PORTS;
		nic->threaded |= rule->threaded;
		return;
	}
}

int nb_rehearsed_simulate(const char *path, const char *config_file, nb_rehearsed *ret)
{
	g_autoptr(nb_config) config = NULL;
	g_autoptr(nb_scenario) scenario = NULL;
	g_autofree char *text = NULL, *faults = NULL;
	size_t len;
	int r;

	r = read_input(path, config_file, &config, &text, &len);
	if (r < 0)
		return r;
	r = nb_scenario_parse(text, len, &scenario, &faults);
	if (r < 0) {
		say_faults(path, faults);
		return r;
	}
	for (unsigned i = 0; i < scenario->nics->len; i++)
		ask_nic(&config->devices, &g_array_index(scenario->nics, struct nb_sim_nic, i));
	*ret = (nb_rehearsed){
		.title = g_strdup(scenario->title ? scenario->title : ""),
		.names = {"without", "with"},
		.headings = {"without the daemon", "with the daemon"},
		.runs = {nb_rehearse_scenario(scenario, &config->policy, false),
			 nb_rehearse_scenario(scenario, &config->policy, true)},
	};
	ret->config = g_steal_pointer(&config);
	return 0;
}

int nb_rehearsed_replay(const char *path, const char *config_file, nb_rehearsed *ret)
{
	g_autoptr(nb_config) config = NULL;
	g_autoptr(nb_trace) trace = NULL;
	g_autofree char *text = NULL, *faults = NULL;
	size_t len;
	int r;

	r = read_input(path, config_file, &config, &text, &len);
	if (r < 0)
		return r;
	r = nb_trace_parse(text, len, &trace, &faults);
	if (r < 0) {
		say_faults(path, faults);
		return r;
	}
	if (nb_trace_n_frames(trace) == 0) {
		g_printerr("%s: nothing is recorded in it; record for two seconds at least\n",
			   path);
		return -ENODATA;
	}
	*ret = (nb_rehearsed){
		.title = g_strdup(""),
		.names = {"actual", "replayed"},
		.headings = {"as it was", "with the daemon"},
		.note = "Loads are as recorded: work that a full CPU left undone is not in the trace, "
			"RPS masks are planned but not set, and device interrupts move as "
			"recorded.",
		.runs = {nb_rehearse_actual(trace), nb_rehearse_trace(trace, &config->policy)},
	};
	ret->config = g_steal_pointer(&config);
	return 0;
}

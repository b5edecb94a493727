/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpumask_text.h"
#include "publish/bus_internal.h"
#include "publish/lookup.h"

static char *note_of(const struct nb_status *status, const struct nb_queue *queue)
{
	const struct nb_queue_memory *memory = nb_status_find_queue_memory(status, queue->key);
	const char *words[6];
	unsigned n = 0;

	if (queue->n_irqs == 0)
		words[n++] = "no-interrupt";
	if (memory && memory->fresh)
		words[n++] = "fresh";
	if (memory && memory->refused)
		words[n++] = "refused";
	if (memory && nb_status_is_future(status, memory->yielded_until_nsec))
		words[n++] = "yielded";
	else if (memory && memory->pending.active)
		words[n++] = "measuring";
	else if (memory && memory->moved_nsec > 0)
		words[n++] = "moved";
	words[n] = NULL;
	return g_strjoinv(",", (char **)words);
}

static char *rps_of(const struct nb_status *status, struct nb_queue_key key)
{
	const struct nb_cpumask *rps = nb_status_find_rps(status, key);

	return rps ? nb_cpumask_format_list(rps) : g_strdup("");
}

static int append_numbers(sd_bus_message *reply, const struct nb_status *status,
			  struct nb_queue_key key)
{
	static const struct nb_queue_load unknown = {0};
	const struct nb_queue_load *load = nb_status_find_queue_load(status, key);

	if (!load)
		load = &unknown;
	return sd_bus_message_append(reply, "iuubttt", nb_status_queue_cpu(status, key), load->time,
				     load->threaded, (int)load->saturated, load->rx_packets_per_sec,
				     load->tx_packets_per_sec, load->interrupts_per_sec);
}

static int append_name(sd_bus_message *reply, const struct nb_machine *machine,
		       const struct nb_queue *queue)
{
	int r;

	r = sd_bus_message_append(reply, "i", queue->key.ifindex);
	if (r < 0)
		return r;
	r = nb_bus_append_texts(reply, nb_machine_netdev(machine, queue->key.ifindex), NULL);
	if (r < 0)
		return r;
	r = sd_bus_message_append(reply, "ubb", queue->key.index, (int)queue->has_rx,
				  (int)queue->has_tx);
	if (r < 0)
		return r;
	return nb_bus_append_irqs(reply, queue->irqs, queue->n_irqs);
}

static int append_queue(sd_bus_message *reply, const struct nb_status *status,
			const struct nb_queue *queue)
{
	g_autofree char *rps = rps_of(status, queue->key);
	g_autofree char *note = note_of(status, queue);
	int r;

	r = sd_bus_message_open_container(reply, 'r', NB_BUS_QUEUE);
	if (r < 0)
		return r;
	r = append_name(reply, status->snapshot->machine, queue);
	if (r < 0)
		return r;
	r = append_numbers(reply, status, queue->key);
	if (r < 0)
		return r;
	r = nb_bus_append_texts(reply, rps, note, NULL);
	if (r < 0)
		return r;
	return sd_bus_message_close_container(reply);
}

static int render(sd_bus_message *reply, const struct nb_status *status)
{
	const struct nb_machine *machine = nb_status_machine(status);
	int r;

	for (unsigned i = 0; machine && i < machine->n_queues; i++) {
		r = append_queue(reply, status, &machine->queues[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

int nb_bus_list_queues(sd_bus_message *call, void *userdata, sd_bus_error *error)
{
	(void)error;
	return nb_bus_reply_rows(call, userdata, NB_BUS_QUEUE, render);
}

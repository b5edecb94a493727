/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

#include "support/rewrite_trace.h"

#include <errno.h>
#include <string.h>

#define BEGIN "nicbalance-trace 2\n"
#define MACHINE "machine 4 precise\ncpu 0 0 0 0\ncpu 1 0 0 0\nnic 1 igb 0 2 2 1\nqueue 1 0-1 rt 1\n"
#define HEAD BEGIN MACHINE
/* A window that takes a second and ends at so many; its lines go between these two. */
#define WINDOW(sec) "window " #sec "000 1000 measured\n"
#define END "end\n"

static struct nb_trace *read_text(const char *text)
{
	g_autofree char *error = NULL;
	struct nb_trace *trace = NULL;

	if (nb_trace_parse(text, strlen(text), &trace, &error) < 0)
		fail_msg("%s", error);
	return trace;
}

static void assert_fault(const char *text, const char *expected)
{
	g_autoptr(nb_trace) trace = NULL;
	g_autofree char *error = NULL;

	assert_int_equal(nb_trace_parse(text, strlen(text), &trace, &error), -EBADMSG);
	assert_null(trace);
	assert_string_equal(error, expected);
}

static void gives_back_what_was_written(void **state)
{
	struct host *host = *state;
	g_autoptr(nb_trace) trace = NULL;
	struct nb_trace_frame frame;

	host->cpu_loads[1].window_fixed = 4321;
	host->cpu_loads[2].window_backlog = 17;
	host->cpu_loads[3].dropped = 9;
	host->queue_loads[1].window_time = 10001;
	host->queue_loads[1].window_threaded = 250;
	host->queue_loads[2].cpu = -1;
	host->queue_loads[3].cpu = 3;
	host->states[3].settable = false;
	host->queue_loads[2].deferred = true;
	host_second(host);
	trace = read_text(host->text->str);
	assert_int_equal(nb_trace_n_frames(trace), 1);
	nb_trace_frame(trace, 0, &frame);
	assert_true(frame.taken_nsec == NB_NSEC_PER_SEC && frame.window_nsec == NB_NSEC_PER_SEC);
	assert_int_equal(frame.grade, NB_GRADE_MEASURED);
	assert_memory_equal(frame.fixed, ((uint32_t[]){0, 4321, 0, 0}), 16);
	assert_memory_equal(frame.backlog, ((uint32_t[]){0, 0, 17, 0}), 16);
	assert_memory_equal(frame.dropped, ((uint32_t[]){0, 0, 0, 9}), 16);
	assert_memory_equal(frame.time, ((uint32_t[]){0, 10001, 0, 0}), 16);
	assert_memory_equal(frame.threaded, ((uint32_t[]){0, 250, 0, 0}), 16);
	assert_memory_equal(frame.cpus, ((int[]){0, 0, -1, 3}), 16);
	assert_memory_equal(frame.pinned, ((uint32_t[]){0, 0, 0, 1}), 16);
	assert_memory_equal(frame.deferred, ((uint32_t[]){0, 0, 1, 0}), 16);
	assert_int_equal(frame.n_rps, 0);
	assert_int_equal(frame.n_moves, 0);
}

static void windows_keep_what_each_of_them_was(void **state)
{
	g_autoptr(nb_trace) trace = read_text(
		HEAD WINDOW(1) "cpu-fixed 1 0\nqueue-time 1 0\n" END
			       "window 1750 500 measured\ncpu-fixed 2 0\nqueue-time 1 0\n" END
			       "window 1751 1 estimated\ncpu-fixed 2 0\n" END);
	struct nb_trace_frame first, second, third;

	(void)state;
	assert_int_equal(nb_trace_n_frames(trace), 3);
	nb_trace_frame(trace, 0, &first);
	nb_trace_frame(trace, 1, &second);
	nb_trace_frame(trace, 2, &third);
	assert_int_equal(first.fixed[0], 1);
	assert_int_equal(second.fixed[0], 2);
	assert_int_equal(second.time[0], 1);
	assert_true(second.taken_nsec == 1750 * NB_NSEC_PER_SEC / 1000);
	assert_true(second.window_nsec == NB_NSEC_PER_SEC / 2);
	assert_ptr_equal(third.fixed, second.fixed);
	assert_ptr_equal(third.machine, first.machine);
	assert_int_equal(third.time[0], 0); /* not told */
	assert_int_equal(third.grade, NB_GRADE_ESTIMATED);
}

static void masks_are_those_that_are_told(void **state)
{
	g_autoptr(nb_trace) trace = read_text(HEAD WINDOW(1) "rps 1.0 0-1\nrps 1.1 1\n" END WINDOW(
		2) "rps 1.0 0-1\nrps 1.1 1\n" END WINDOW(3) "rps 1.1 1\n" END);
	struct nb_trace_frame before, frame;

	(void)state;
	nb_trace_frame(trace, 0, &before);
	nb_trace_frame(trace, 1, &frame);
	assert_int_equal(frame.n_rps, 2);
	assert_int_equal(frame.rps[0].key.index, 0);
	assert_int_equal(nb_cpumask_count(&frame.rps[0].cpus), 2);
	assert_int_equal(frame.rps[1].key.index, 1);
	assert_ptr_equal(frame.rps, before.rps);
	nb_trace_frame(trace, 2, &frame);
	assert_int_equal(frame.n_rps, 1);
	assert_int_equal(frame.rps[0].key.index, 1);
}

static void moves_belong_to_their_window(void **state)
{
	g_autoptr(nb_trace) trace =
		read_text(HEAD WINDOW(1) "move 1.1 - 1 panic 1 2 3 4 5\n" END WINDOW(2)
				  END WINDOW(3) "move 1.0 1 0 swap 6 7 8 9 10\n" END);
	struct nb_trace_frame frame;

	(void)state;
	nb_trace_frame(trace, 0, &frame);
	assert_int_equal(frame.n_moves, 1);
	assert_int_equal(frame.moves[0].key.ifindex, 1);
	assert_int_equal(frame.moves[0].key.index, 1);
	assert_int_equal(frame.moves[0].cpu_from, -1);
	assert_int_equal(frame.moves[0].cpu_to, 1);
	assert_int_equal(frame.moves[0].reason, NB_REASON_PANIC);
	assert_int_equal(frame.moves[0].target_after, 5);
	nb_trace_frame(trace, 1, &frame);
	assert_int_equal(frame.n_moves, 0);
	nb_trace_frame(trace, 2, &frame);
	assert_int_equal(frame.moves[0].load, 6);
}

static void interrupts_of_other_devices_belong_to_their_window(void **state)
{
	g_autoptr(nb_trace) trace = read_text(
		HEAD WINDOW(1) "device-irq 41 moved - 1 device-hot\ndevice-irq 2 yielded 1 -\n" END
			WINDOW(2) END WINDOW(3) "device-irq 41 restored 1 -\n" END);
	struct nb_trace_frame frame;

	(void)state;
	nb_trace_frame(trace, 0, &frame);
	assert_int_equal(frame.n_moves, 0);
	assert_int_equal(frame.n_device_irqs, 2);
	assert_int_equal(frame.device_irqs[0].irq, 41);
	assert_int_equal(frame.device_irqs[0].event, NB_EVENT_MOVED);
	assert_int_equal(frame.device_irqs[0].reason, NB_REASON_DEVICE_HOT);
	assert_int_equal(frame.device_irqs[0].cpu_from, -1);
	assert_int_equal(frame.device_irqs[0].cpu_to, 1);
	assert_int_equal(frame.device_irqs[1].event, NB_EVENT_YIELDED);
	assert_int_equal(frame.device_irqs[1].reason, _NB_REASON_INVALID);
	assert_int_equal(frame.device_irqs[1].cpu_to, -1);
	nb_trace_frame(trace, 1, &frame);
	assert_int_equal(frame.n_device_irqs, 0);
	nb_trace_frame(trace, 2, &frame);
	assert_int_equal(frame.n_device_irqs, 1);
	assert_int_equal(frame.device_irqs[0].event, NB_EVENT_RESTORED);
}

static void an_interrupted_recording_ends_with_its_last_window(void **state)
{
	static const char *const tails[] = {
		"",
		"win",
		"window 2000 1000 measured",
		WINDOW(2),
		WINDOW(2) "cpu-fixed 1",
		WINDOW(2) "cpu-fixed 1 2\n",
		WINDOW(2) "move 1.1 - 1 panic 1 2 3 4 5\n",
		WINDOW(2) "device-irq 1 moved 0 1 device-hot\n",
		WINDOW(2) "end",
		"machine 4 precise\ncpu 0 0",
		"nonsense",
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(tails); i++) {
		g_autofree char *text = g_strconcat(HEAD WINDOW(1) END, tails[i], NULL);
		g_autoptr(nb_trace) trace = read_text(text);

		assert_int_equal(nb_trace_n_frames(trace), 1);
	}
}

static void one_trace_after_another_is_a_trace(void **state)
{
	g_autoptr(nb_trace) trace = read_text(HEAD WINDOW(1) "cpu-fixed 1 0\n" END WINDOW(
		2) "move 1.1 - 1 panic 1 2 3 4 5\ndevice-irq 1 yielded 0 1\n" HEAD
						      WINDOW(1) "queue-time 1 0\n" END);
	struct nb_trace_frame first, second;

	(void)state;
	assert_int_equal(nb_trace_n_frames(trace), 2);
	nb_trace_frame(trace, 0, &first);
	nb_trace_frame(trace, 1, &second);
	assert_true(second.machine->generation > first.machine->generation);
	assert_int_equal(second.fixed[0], 0);
	assert_int_equal(second.time[0], 1);
	assert_int_equal(second.n_moves, 0);
	assert_int_equal(second.n_device_irqs, 0);
	assert_true(second.taken_nsec == 2 * NB_NSEC_PER_SEC);
}

static void a_trace_may_be_without_a_window(void **state)
{
	g_autoptr(nb_trace) trace = read_text(BEGIN);

	(void)state;
	assert_int_equal(nb_trace_n_frames(trace), 0);
}

static void names_the_line_and_what_is_wrong(void **state)
{
	(void)state;
	assert_fault("", "1: not a trace of nicbalance");
	assert_fault("nicbalance-trace 2", "1: not a trace of nicbalance");
	assert_fault("hello\n", "1: not a trace of nicbalance");
	assert_fault(BEGIN WINDOW(1), "2: a window before any machine");
	assert_fault(BEGIN "cpu 0 0 0 0\n", "2: not within the lines of a machine");
	assert_fault(BEGIN "machine 4 tick\n" WINDOW(1), "3: the machine above has no CPU");
	assert_fault(BEGIN "machine 4 tick\nmachine 4 tick\n", "3: a machine within a machine");
	assert_fault(HEAD "\n", "7: an empty line, or a space too many");
	assert_fault(HEAD "cpu-fixed 1 0\n", "7: not within a window");
	assert_fault(HEAD "end\n", "7: not within a window");
	assert_fault(HEAD "window 1000 1000 perfect\n", "7: an unknown grade");
	assert_fault(HEAD "window 1000 1000\n", "7: no grade");
	assert_fault(HEAD "window 1000 0 measured\n", "7: not two numbers of milliseconds");
	assert_fault(HEAD "window 01 1 measured\n", "7: not two numbers of milliseconds");
	assert_fault(HEAD "window 1000 1000 measured 1\n", "7: too many fields");
	assert_fault(HEAD "window 999 1000 measured\n",
		     "7: it begins before the window above ends");
	assert_fault(HEAD WINDOW(2) END "window 2999 1000 measured\n",
		     "9: it begins before the window above ends");
	assert_fault(HEAD "window 1000000000001 1 measured\n",
		     "7: not two numbers of milliseconds");
	assert_fault(HEAD WINDOW(1) WINDOW(2), "8: a window within a window");
	assert_fault(HEAD WINDOW(1) "machine 4 tick\n", "8: a machine within a window");
	assert_fault(HEAD WINDOW(1) "x\n", "8: an unknown kind of line");
	assert_fault(HEAD WINDOW(1) "cpu-fixed 1\n", "8: not a possible number for each");
	assert_fault(HEAD WINDOW(1) "cpu-fixed 1 2 3\n", "8: too many fields");
	assert_fault(HEAD WINDOW(1) "cpu-fixed 1 -\n", "8: not a possible number for each");
	assert_fault(HEAD WINDOW(1) "queue-cpu 0 8192\n", "8: not a possible number for each");
	assert_fault(HEAD WINDOW(1) "queue-pinned 0 2\n", "8: not a possible number for each");
	assert_fault(HEAD WINDOW(1) "queue-deferred 0 2\n", "8: not a possible number for each");
	assert_fault(HEAD WINDOW(1) "cpu-fixed 1 0\ncpu-fixed 1 0\n", "9: twice in one window");
	assert_fault(HEAD WINDOW(1) "rps 2.0 1\n", "8: not a queue of a NIC above");
	assert_fault(HEAD WINDOW(1) "rps 1.0 1,\n", "8: not a list of CPUs");
	assert_fault(HEAD WINDOW(1) "rps 1.0 -\n", "8: not a list of CPUs");
	assert_fault(HEAD WINDOW(1) "rps 1.1 1\nrps 1.1 1\n", "9: queues must ascend");
	assert_fault(HEAD WINDOW(1) "move 1.2 0 1 panic 1 2 3 4 5\n",
		     "8: not a queue of this machine");
	assert_fault(HEAD WINDOW(1) "move 1.1 0 - panic 1 2 3 4 5\n", "8: not a CPU");
	assert_fault(HEAD WINDOW(1) "move 1.1 0 1 fun 1 2 3 4 5\n", "8: an unknown reason");
	assert_fault(HEAD WINDOW(1) "move 1.1 0 1 panic 1 2 3 4\n",
		     "8: not a load and four busy shares");
	assert_fault(HEAD WINDOW(1) "move 1.1 0 1 panic 1 2 3 4 5 6\n", "8: too many fields");
	assert_fault(HEAD WINDOW(1) "device-irq -1 yielded 0 1\n",
		     "8: not the number of an interrupt");
	assert_fault(HEAD WINDOW(1) "device-irq 1\n", "8: no event");
	assert_fault(HEAD WINDOW(1) "device-irq 1 lost 0 1\n", "8: not an event of an interrupt");
	assert_fault(HEAD WINDOW(1) "device-irq 1 steered 0 1\n",
		     "8: not an event of an interrupt");
	assert_fault(HEAD WINDOW(1) "device-irq 1 yielded 0\n", "8: not a CPU");
	assert_fault(HEAD WINDOW(1) "device-irq 1 moved 0 1\n", "8: no reason");
	assert_fault(HEAD WINDOW(1) "device-irq 1 moved 0 1 fun\n", "8: an unknown reason");
	assert_fault(HEAD WINDOW(1) "device-irq 1 yielded 0 1 panic\n", "8: too many fields");
	assert_fault(HEAD WINDOW(1) "end 1\n", "8: too many fields");
}

static void says_which_version_it_does_not_read_and_what_to_do(void **state)
{
	(void)state;
	assert_fault("nicbalance-trace\n", "1: not a trace of nicbalance");
	assert_fault("nicbalance-trace 1\n",
		     "1: this nicbalance reads version 2 of the format; record again, or replay it "
		     "with the nicbalance that writes version 1");
	assert_fault(HEAD WINDOW(1) END "nicbalance-trace 13\n",
		     "9: this nicbalance reads version 2 of the format; record again, or replay it "
		     "with the nicbalance that writes version 13");
}

static void writing_what_was_read_gives_the_same_text(void **state)
{
	struct host *host = *state;
	g_autoptr(nb_trace) trace = NULL;
	g_autoptr(GString) again = NULL;

	host_second(host);
	for (unsigned i = 0; i < HOST_CPUS; i++)
		host->cpu_loads[i].window_fixed = 1000 * i;
	host->nics[1].scope = NB_SCOPE_IN; /* between the two others */
	host->machine.generation++;
	host_window(host, NB_NSEC_PER_SEC + 1234567);
	host->loads.taken_nsec += NB_NSEC_PER_SEC;
	host_second(host);
	trace = read_text(host->text->str);
	again = nb_rewrite_trace(trace);
	assert_string_equal(again->str, host->text->str);
}

#define HOST_TEST(test) cmocka_unit_test_setup_teardown(test, host_set_up, host_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOST_TEST(gives_back_what_was_written),
		cmocka_unit_test(windows_keep_what_each_of_them_was),
		cmocka_unit_test(masks_are_those_that_are_told),
		cmocka_unit_test(moves_belong_to_their_window),
		cmocka_unit_test(interrupts_of_other_devices_belong_to_their_window),
		cmocka_unit_test(an_interrupted_recording_ends_with_its_last_window),
		cmocka_unit_test(one_trace_after_another_is_a_trace),
		cmocka_unit_test(a_trace_may_be_without_a_window),
		cmocka_unit_test(names_the_line_and_what_is_wrong),
		cmocka_unit_test(says_which_version_it_does_not_read_and_what_to_do),
		HOST_TEST(writing_what_was_read_gives_the_same_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

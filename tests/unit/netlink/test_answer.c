/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "netlink/answer.h"
#include "support/support.h"

#include <errno.h>
#include <string.h>

#define SEQ 17
#define TYPE 40

/* Messages one behind the other, as they stand in a datagram. */
struct datagram {
	_Alignas(struct nlmsghdr) char bytes[512];
	size_t len;
};

static void add(struct datagram *datagram, uint32_t seq, int type, int flags, int payload)
{
	struct nlmsghdr hdr = {
		.nlmsg_len = NLMSG_LENGTH(sizeof(payload)),
		.nlmsg_type = (uint16_t)type,
		.nlmsg_flags = (uint16_t)flags,
		.nlmsg_seq = seq,
	};

	memcpy(datagram->bytes + datagram->len, &hdr, sizeof(hdr));
	memcpy(datagram->bytes + datagram->len + NLMSG_HDRLEN, &payload, sizeof(payload));
	datagram->len += NLMSG_SPACE(sizeof(payload));
}

static int add_up(struct nlmsghdr *hdr, void *userdata)
{
	int payload;

	memcpy(&payload, nlmsg_data(hdr), sizeof(payload));
	*(int *)userdata += payload;
	return payload < 0 ? payload : 0;
}

static int take(struct datagram *datagram, struct nb_answer *answer, int *ret_sum)
{
	return nb_answer_take(answer, datagram->bytes, datagram->len, add_up, ret_sum);
}

static void is_complete_only_with_its_end(void **state)
{
	struct nb_answer answer = {.seq = SEQ};
	struct datagram first = {0}, last = {0};
	int sum = 0;

	(void)state;
	add(&first, SEQ, TYPE, NLM_F_MULTI, 1);
	add(&first, SEQ, TYPE, NLM_F_MULTI, 2);
	assert_int_equal(take(&first, &answer, &sum), 0);
	add(&last, SEQ, TYPE, NLM_F_MULTI, 4);
	add(&last, SEQ, NLMSG_DONE, NLM_F_MULTI, 0);
	assert_int_equal(take(&last, &answer, &sum), 1);
	assert_int_equal(sum, 7);
}

static void an_acknowledgement_ends_it(void **state)
{
	struct nb_answer answer = {.seq = SEQ};
	struct datagram datagram = {0};
	int sum = 0;

	(void)state;
	add(&datagram, SEQ, NLMSG_ERROR, 0, 0);
	assert_int_equal(take(&datagram, &answer, &sum), 1);
}

static void the_errno_of_a_refusal_is_kept(void **state)
{
	struct nb_answer answer = {.seq = SEQ};
	struct datagram datagram = {0};
	int sum = 0;

	(void)state;
	add(&datagram, SEQ, NLMSG_ERROR, 0, -ENODEV);
	assert_int_equal(take(&datagram, &answer, &sum), -ENODEV);
}

static void the_errno_that_ends_a_dump_is_kept(void **state)
{
	struct nb_answer answer = {.seq = SEQ};
	struct datagram datagram = {0};
	int sum = 0;

	(void)state;
	add(&datagram, SEQ, NLMSG_DONE, NLM_F_MULTI, -EOPNOTSUPP);
	assert_int_equal(take(&datagram, &answer, &sum), -EOPNOTSUPP);
}

static void an_interrupted_dump_is_told_at_its_end(void **state)
{
	struct nb_answer answer = {.seq = SEQ};
	struct datagram first = {0}, last = {0};
	int sum = 0;

	(void)state;
	add(&first, SEQ, TYPE, NLM_F_MULTI | NLM_F_DUMP_INTR, 1);
	assert_int_equal(take(&first, &answer, &sum), 0);
	add(&last, SEQ, TYPE, NLM_F_MULTI, 2);
	add(&last, SEQ, NLMSG_DONE, NLM_F_MULTI, 0);
	assert_int_equal(take(&last, &answer, &sum), -EINTR);
}

static void messages_that_answer_another_request_are_passed_over(void **state)
{
	struct nb_answer answer = {.seq = SEQ};
	struct datagram datagram = {0};
	int sum = 0;

	(void)state;
	add(&datagram, SEQ - 1, TYPE, NLM_F_MULTI | NLM_F_DUMP_INTR, 1);
	add(&datagram, SEQ - 1, NLMSG_DONE, NLM_F_MULTI, -EIO);
	add(&datagram, 0, TYPE, 0, 2);
	assert_int_equal(take(&datagram, &answer, &sum), 0);
	assert_int_equal(sum, 0);
	assert_false(answer.interrupted);
}

static void a_message_that_cannot_be_taken_ends_it(void **state)
{
	struct nb_answer answer = {.seq = SEQ};
	struct datagram datagram = {0};
	int sum = 0;

	(void)state;
	add(&datagram, SEQ, TYPE, NLM_F_MULTI, -EBADMSG);
	add(&datagram, SEQ, TYPE, NLM_F_MULTI, 1);
	assert_int_equal(take(&datagram, &answer, &sum), -EBADMSG);
	assert_int_equal(sum, -EBADMSG);
}

static void a_cut_message_is_not_taken(void **state)
{
	struct nb_answer answer = {.seq = SEQ};
	struct datagram datagram = {0};
	int sum = 0;

	(void)state;
	add(&datagram, SEQ, TYPE, NLM_F_MULTI, 1);
	add(&datagram, SEQ, TYPE, NLM_F_MULTI, 2);
	datagram.len--;
	assert_int_equal(take(&datagram, &answer, &sum), 0);
	assert_int_equal(sum, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_complete_only_with_its_end),
		cmocka_unit_test(an_acknowledgement_ends_it),
		cmocka_unit_test(the_errno_of_a_refusal_is_kept),
		cmocka_unit_test(the_errno_that_ends_a_dump_is_kept),
		cmocka_unit_test(an_interrupted_dump_is_told_at_its_end),
		cmocka_unit_test(messages_that_answer_another_request_are_passed_over),
		cmocka_unit_test(a_message_that_cannot_be_taken_ends_it),
		cmocka_unit_test(a_cut_message_is_not_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nicbalance/names.h"
#include "support/support.h"

/* Every value has a word of its own, lower-case with dashes, that leads back to it. */
#define CLAIM_WORDS(type, TYPE)                                                              \
	static void every_##type##_has_one_word(void **state)                                \
	{                                                                                    \
		(void)state;                                                                 \
		for (int i = 0; i < _NB_##TYPE##_MAX; i++) {                                 \
			const char *word = nb_##type##_to_string((enum nb_##type)i);         \
                                                                                             \
			assert_non_null(word);                                               \
			assert_true(word[0] != '\0');                                        \
			assert_int_equal(strspn(word, "abcdefghijklmnopqrstuvwxyz-"),        \
					 strlen(word));                                      \
			assert_int_equal(nb_##type##_from_string(word), i);                  \
		}                                                                            \
		assert_int_equal(nb_##type##_from_string("no such word"), -1);               \
		assert_int_equal(nb_##type##_from_string(""), -1);                           \
		assert_string_equal(nb_##type##_to_string((enum nb_##type) - 1), "invalid"); \
		assert_string_equal(nb_##type##_to_string((enum nb_##type)_NB_##TYPE##_MAX), \
				    "invalid");                                              \
	}

CLAIM_WORDS(accounting, ACCOUNTING)
CLAIM_WORDS(advice, ADVICE)
CLAIM_WORDS(drops_cause, DROPS_CAUSE)
CLAIM_WORDS(effect, EFFECT)
CLAIM_WORDS(event, EVENT)
CLAIM_WORDS(grade, GRADE)
CLAIM_WORDS(isolation, ISOLATION)
CLAIM_WORDS(kind, KIND)
CLAIM_WORDS(mapping, MAPPING)
CLAIM_WORDS(mode, MODE)
CLAIM_WORDS(outcome, OUTCOME)
CLAIM_WORDS(packets_source, PACKETS)
CLAIM_WORDS(reason, REASON)
CLAIM_WORDS(rule, RULE)
CLAIM_WORDS(scope, SCOPE)
CLAIM_WORDS(source, SOURCE)
CLAIM_WORDS(verdict, VERDICT)

/* A clause stands inside a sentence: no capital first, no full stop last. */
#define CLAIM_CLAUSES(type, TYPE)                                                  \
	static void every_##type##_has_a_clause(void **state)                      \
	{                                                                          \
		(void)state;                                                       \
		for (int i = 0; i < _NB_##TYPE##_MAX; i++) {                       \
			const char *text = nb_##type##_explain((enum nb_##type)i); \
                                                                                   \
			assert_non_null(text);                                     \
			assert_true(g_ascii_islower(text[0]));                     \
			assert_false(g_str_has_suffix(text, "."));                 \
		}                                                                  \
		assert_non_null(nb_##type##_explain((enum nb_##type) - 1));        \
	}

CLAIM_CLAUSES(drops_cause, DROPS_CAUSE)
CLAIM_CLAUSES(effect, EFFECT)
CLAIM_CLAUSES(outcome, OUTCOME)
CLAIM_CLAUSES(reason, REASON)
CLAIM_CLAUSES(rule, RULE)
CLAIM_CLAUSES(scope, SCOPE)
CLAIM_CLAUSES(verdict, VERDICT)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_accounting_has_one_word),
		cmocka_unit_test(every_advice_has_one_word),
		cmocka_unit_test(every_drops_cause_has_one_word),
		cmocka_unit_test(every_effect_has_one_word),
		cmocka_unit_test(every_event_has_one_word),
		cmocka_unit_test(every_grade_has_one_word),
		cmocka_unit_test(every_isolation_has_one_word),
		cmocka_unit_test(every_kind_has_one_word),
		cmocka_unit_test(every_mapping_has_one_word),
		cmocka_unit_test(every_mode_has_one_word),
		cmocka_unit_test(every_outcome_has_one_word),
		cmocka_unit_test(every_packets_source_has_one_word),
		cmocka_unit_test(every_reason_has_one_word),
		cmocka_unit_test(every_rule_has_one_word),
		cmocka_unit_test(every_scope_has_one_word),
		cmocka_unit_test(every_source_has_one_word),
		cmocka_unit_test(every_verdict_has_one_word),
		cmocka_unit_test(every_drops_cause_has_a_clause),
		cmocka_unit_test(every_effect_has_a_clause),
		cmocka_unit_test(every_outcome_has_a_clause),
		cmocka_unit_test(every_reason_has_a_clause),
		cmocka_unit_test(every_rule_has_a_clause),
		cmocka_unit_test(every_scope_has_a_clause),
		cmocka_unit_test(every_verdict_has_a_clause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

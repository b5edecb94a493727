/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Against Microsoft's "Verifying the RSS Hash Calculation". */
#include "bpf/toeplitz.h"
#include "support/support.h"

#include <arpa/inet.h>
#include <string.h>

static const uint8_t key[NB_TOEPLITZ_KEY] = {
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
	0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
	0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

static const struct {
	int family;
	const char *destination;
	uint16_t destination_port;
	const char *source;
	uint16_t source_port;
	uint32_t addresses, ports; /* the hash of the addresses alone, and with the ports */
} vectors[] = {
	{AF_INET, "161.142.100.80", 1766, "66.9.149.187", 2794, 0x323e8fc2, 0x51ccc178},
	{AF_INET, "65.69.140.83", 4739, "199.92.111.2", 14230, 0xd718262a, 0xc626b0ea},
	{AF_INET, "12.22.207.184", 38024, "24.19.198.95", 12898, 0xd2d0a5de, 0x5c2b394a},
	{AF_INET, "209.142.163.6", 2217, "38.27.205.30", 48228, 0x82989176, 0xafc7327f},
	{AF_INET, "202.188.127.2", 1303, "153.39.163.191", 44251, 0x5d1809c5, 0x10e828a2},
	{AF_INET6, "3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x2cc18cd5,
	 0x40207d3d},
	{AF_INET6, "ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0x0f0c461c,
	 0xdde51bbf},
	{AF_INET6, "fe80::200:f8ff:fe21:67cf", 38024, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251,
	 0x4b61e985, 0x02d1feef},
};

/* Returns how many bytes the addresses take. */
static unsigned lay_out(unsigned i, uint8_t input[NB_TOEPLITZ_INPUT])
{
	unsigned size = vectors[i].family == AF_INET ? 4 : 16;
	uint16_t ports[] = {htons(vectors[i].source_port), htons(vectors[i].destination_port)};

	assert_int_equal(inet_pton(vectors[i].family, vectors[i].source, input), 1);
	assert_int_equal(inet_pton(vectors[i].family, vectors[i].destination, input + size), 1);
	memcpy(input + 2 * size, ports, sizeof(ports));
	return 2 * size;
}

static void hashes_are_those_that_microsoft_published(void **state)
{
	struct nb_toeplitz toeplitz;

	(void)state;
	nb_toeplitz_prepare(key, &toeplitz);
	for (unsigned i = 0; i < G_N_ELEMENTS(vectors); i++) {
		uint8_t input[NB_TOEPLITZ_INPUT] = {0};
		unsigned n = lay_out(i, input);

		assert_int_equal(nb_toeplitz_hash(&toeplitz, input, n), vectors[i].addresses);
		assert_int_equal(nb_toeplitz_hash(&toeplitz, input, n + 4), vectors[i].ports);
	}
}

/* The last four bytes of a key are those of the last bit of the input and of the 31 before it. */
static void the_end_of_the_input_meets_the_end_of_the_key(void **state)
{
	const uint8_t end[NB_TOEPLITZ_KEY] = {[NB_TOEPLITZ_KEY - 1] = 3};
	const uint8_t input[NB_TOEPLITZ_INPUT + 1] = {[NB_TOEPLITZ_INPUT - 1] = 1, 255};
	struct nb_toeplitz toeplitz;

	(void)state;
	nb_toeplitz_prepare(end, &toeplitz);
	assert_int_equal(nb_toeplitz_hash(&toeplitz, input, NB_TOEPLITZ_INPUT - 1), 0);
	assert_int_equal(nb_toeplitz_hash(&toeplitz, input, NB_TOEPLITZ_INPUT), 1);
	assert_int_equal(nb_toeplitz_hash(&toeplitz, input, NB_TOEPLITZ_INPUT + 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes_are_those_that_microsoft_published),
		cmocka_unit_test(the_end_of_the_input_meets_the_end_of_the_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once
/* MESSAGE_ID of every notice. systemd/nicbalance.catalog explains each to the operator; an id never
 * changes its meaning. Pure. */

#define NB_MESSAGE_MOVED "79631a8150f94fc7ac93e0a43772c4ce"
#define NB_MESSAGE_STEERED "1528cacbe8c34856856fa15024e7fa14"
#define NB_MESSAGE_REDIRECTED "d3d651871f7f4899834d370ffb70b489"
#define NB_MESSAGE_CONFIGURED "48feab28c1ab46d999bd1d71b8b0b5f4"
#define NB_MESSAGE_YIELDED "5f0429c239974164a6388ba1f269b860"
#define NB_MESSAGE_RESTORED "83c1c5a8be1749f5a8c7d797d6525d09"
/* The kernel, or a full /run, did not let a knob be changed. */
#define NB_MESSAGE_REFUSED "68a50065b9e8401c930f98000808d1cc"
/* What a move was found not to have done. */
#define NB_MESSAGE_NOT_FOLLOWED "4bf66a20d6f04d9394ab0ee66fd2cf63"
#define NB_MESSAGE_NO_GAIN "8f01fbf3e37e4f97b149d8a78e28a6a4"
#define NB_MESSAGE_WORSE "02ccc7b580b345c3814da1136bb1e731"
/* The same as the first of each of these, of an interrupt that is no NIC's. */
#define NB_MESSAGE_DEVICE_IRQ_MOVED "f75f83daa9ed4ac1b0e1d492187add5c"
#define NB_MESSAGE_DEVICE_IRQ_YIELDED "878045a84bcd4b898f8a284d452fc85d"
#define NB_MESSAGE_DEVICE_IRQ_REFUSED "c9429eebf08840afa89ea4633080853b"

#define NB_MESSAGE_CONFIGURATION_REFUSED "d28227588686478ba27b95113351f03f"
#define NB_MESSAGE_CONFIGURATION_RELOADED "260afb63592a4346b3def1530e073051"
/* Files of irqbalance are obeyed, or could not be understood. */
#define NB_MESSAGE_IRQBALANCE_OBEYED "aa953e14bbb848b2a66cd3c575d20841"
#define NB_MESSAGE_IRQBALANCE_REFUSED "d0ef483723814127b18dbee927bc2416"
/* IRQAffinity= of a .link file is not understood. */
#define NB_MESSAGE_LINK_FILE "95fc8d8f506b4d548449fe3bbd5b9efe"
/* There is but one CPU to choose from. */
#define NB_MESSAGE_ONE_CPU "ec4750fc207d49e0ac1852dffefccdd9"
/* No CPU that is online may serve interrupts; or one may again. */
#define NB_MESSAGE_NO_CPU "b479eb5781894264b414a07e81ebb853"
/* An earlier run ended without putting things back; that has been done now. */
#define NB_MESSAGE_LEFTOVER_RESTORED "2eec9b045db14bffa7deefbe611b480a"
/* Files of this host could not be read, or were malformed; and later could be again. */
#define NB_MESSAGE_READING_LOST "0bf62dbd59324fb7929bb205f3f7399b"
#define NB_MESSAGE_READING_BACK "230c54e4148a42cc8cdd00c1e1b37084"
/* A NIC drops packets, and no CPU is full. */
#define NB_MESSAGE_NIC_DROPS "12e8381942634febab244c2e66715436"
/* A NIC's node is full, and another node has time. */
#define NB_MESSAGE_FULL_NODE "58acaeee0ce44ae1b6c4f9b6242a8085"
/* An administrator could change something of a NIC. */
#define NB_MESSAGE_ADVICE "5253a8f5f8834926987ebb78059be11b"
/* Costs are measured in another way from now on, or not in the best way from the start. */
#define NB_MESSAGE_GRADE_CHANGED "3687ea5eb1df4913a2dbc005d20b93da"
/* Interrupts and softirqs on a CPU that is excluded. */
#define NB_MESSAGE_INTRUSIONS "7bd36ededa2e41488860cf084bba81c3"
/* The values found cannot be kept, so nothing may be changed. */
#define NB_MESSAGE_BASELINE_LOST "41409388b84a4987a222a524acf8669b"
/* The bans and claims that an earlier run kept are damaged. */
#define NB_MESSAGE_CLAIMS_DAMAGED "fefc781ce22945a6a2bb108e92b645ad"
/* The kept values of an earlier run are damaged. */
#define NB_MESSAGE_BASELINE_DAMAGED "30ebdfea776949a98674178d0eb9b708"

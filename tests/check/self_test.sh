#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# self_test.sh IMPURE-LIBRARY : the checks can fail. Each is shown one thing it has to refuse, in a
# source tree made for it, and must name that thing.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$here/lib.sh"
impure=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
spdx='SPDX-License-Identifier: GPL-2.0-or-later'

# put PATH LINE... : one file of the tree.
put() {
	mkdir -p "$tree/$(dirname "$1")"
	printf '%s\n' "${@:2}" > "$tree/$1"
}

claims=0
# refuses WHAT SCRIPT ARGUMENT... : the check fails, and says WHAT.
refuses() {
	local what=$1 script=$2 output status=0
	shift 2

	claims=$((claims + 1))
	output=$("$here/$script" "$@" 2>&1) || status=$?
	((status != 77)) || { echo "$script cannot run here: $output"; return; }
	((status == 1)) || fault "$script: exit status $status, wanted 1: $output"
	[[ $output == *"$what"* ]] || fault "$script does not say '$what': $output"
}

accepts() {
	local script=$1 output status=0
	shift

	claims=$((claims + 1))
	output=$("$here/$script" "$@" 2>&1) || status=$?
	((status == 0 || status == 77)) || fault "$script: exit status $status: $output"
}

refuses 'needs clock_gettime' purity.sh "$here/pure-symbols.list" "$impure"
refuses 'is not there' purity.sh "$here/pure-symbols.list" "$tree/libnb_plan.a"
printf '%s\n' "$impure" > "$tree/objects"
: > "$tree/none"
refuses 'last_nsec can be written' globals.sh "$tree/none" "$tree/objects"
echo 'last_nsec # the self-test' > "$tree/one"
accepts globals.sh "$tree/one" "$tree/objects"
printf 'last_nsec\nlong_gone\n' > "$tree/two"
refuses 'long_gone is allowed' globals.sh "$tree/two" "$tree/objects"

mkdir "$tree/docs"
cp "$here/../../docs/ARCHITECTURE.md" "$tree/docs"
refuses 'looked at nothing' layers.sh "$tree"
put src/plan/plan.c "/* $spdx */" '#include "base/cpumask_text.h"' '#include "nicbalance/plan.h"'
accepts layers.sh "$tree"
put src/plan/plan.c "/* $spdx */" '#include "sysroot/sysroot.h"'
refuses 'plan may not use sysroot/sysroot.h' layers.sh "$tree"
put src/plan/plan.c "/* $spdx */" '#  include <systemd/sd-journal.h>'
refuses 'plan may not use <systemd/sd-journal.h>' layers.sh "$tree"
put src/plan/plan.c "/* $spdx */" '#include "plan/sub/sub.h"'
put src/plan/sub/sub.h "/* $spdx */" '#include "base/cpumask_text.h"'
refuses 'src/plan/sub/: no row says' layers.sh "$tree"
rm -r "$tree/src/plan/sub"
put include/nicbalance/load.h "/* $spdx */" '#include "base/cpumask_text.h"'
refuses 'the nouns include' layers.sh "$tree"
rm -r "$tree/include"
put src/misc/misc.c "/* $spdx */"
refuses 'no row says' layers.sh "$tree"
rm -r "$tree/src/misc"
sed -i 's/^\(| .plan. .*\) base |$/\1 sysroot |/' "$tree/docs/ARCHITECTURE.md"
refuses 'plan uses sysroot, here base' layers.sh "$tree"

put tests/check/covered-elsewhere.list
put src/plan/plan.c "/* $spdx */"
refuses 'src/plan/plan.c: neither' mirror.sh "$tree"
put tests/unit/plan/test_plan.c 'nothing'
refuses 'asserts nothing' mirror.sh "$tree"
put tests/unit/plan/test_plan.c 'assert_true(1);'
accepts mirror.sh "$tree"
put tests/check/covered-elsewhere.list 'src/plan/plan.c tests/unit/plan/test_plan.c # for a reason'
refuses 'has its own test' mirror.sh "$tree"
put tests/check/covered-elsewhere.list
put src/daemon/loop.c "/* $spdx */"
refuses 'src/daemon/loop.c: neither tests/daemon/test_loop.c' mirror.sh "$tree"
put tests/daemon/test_loop.c 'assert_true(1);'
accepts mirror.sh "$tree"
rm -r "$tree/src/daemon"
put tests/check/covered-elsewhere.list 'src/plan/gone.c tests/unit/plan/test_plan.c'
refuses 'there is no src/plan/gone.c' mirror.sh "$tree"
put src/plan/sub/sub.c "/* $spdx */"
refuses 'neither tests/unit/plan/sub/test_sub.c' mirror.sh "$tree"

refuses 'looked at nothing' fuzzers.sh "$tree"
put src/plan/plan.h 'int nb_plan_parse(const char *text);'
put tests/fuzz/fuzz_plan.c 'nb_plan_format(text);'
refuses 'nb_plan_parse: no fuzzer calls it' fuzzers.sh "$tree"
put tests/fuzz/fuzz_plan.c 'nb_plan_parse(text);'
put tests/fuzz/CMakeLists.txt 'nb_fuzzer(plan nb_plan)'
refuses 'has no seeds' fuzzers.sh "$tree"
put tests/fuzz/corpus/plan/empty ''
accepts fuzzers.sh "$tree"
put tests/fuzz/CMakeLists.txt ''
refuses 'is not built' fuzzers.sh "$tree"
rm -r "$tree/tests/fuzz" "$tree/src/plan/plan.h"

put src/plan/plan.c "/* $spdx */" $'int f(void)\n{\n\treturn 1;\n}'
put tests/mutate/mutants.list $'src/plan/plan.c\t{\\n\\treturn 1;\treturn 2;'
accepts mutants.sh "$tree"
put tests/mutate/mutants.list $'src/plan/plan.c\treturn 3;\treturn 2;'
refuses '"return 3;" is not there once' mutants.sh "$tree"
put tests/mutate/mutants.list $'src/plan/gone.c\treturn 1;\treturn 2;'
refuses 'there is no src/plan/gone.c' mutants.sh "$tree"
rm -r "$tree/tests/mutate"
put src/plan/plan.c "/* $spdx */"

accepts clocks.sh "$tree"
put tests/unit/plan/test_plan.c 'assert_true(g_get_monotonic_time() > 0);'
refuses 'test_plan.c:1:' clocks.sh "$tree"
put tests/unit/plan/test_plan.c 'assert_true(1);'

refuses 'looked at nothing' messages.sh "$tree"
id=0123456789abcdef0123456789abcdef
put src/publish/message_ids.h "#define NB_MESSAGE_MOVED \"$id\""
put systemd/nicbalance.catalog "-- $id" 'Subject: moved'
put man/nicbalanced.8.scd 'no message'
refuses "no word about $id" messages.sh "$tree"
put man/nicbalanced.8.scd "$id"
accepts messages.sh "$tree"
put systemd/nicbalance.catalog "-- $id" "-- ${id//0/f}"
refuses 'is not in src/publish/message_ids.h' messages.sh "$tree"

for folder in include cmake conf bench .ci; do
	mkdir -p "$tree/$folder"
done
put dev '#!/bin/bash' "# $spdx"
put CMakeLists.txt "# $spdx"
put src/plan/plan.c 'int x;'
refuses 'src/plan/plan.c: no SPDX line' licence.sh "$tree"
put src/plan/plan.c "/* $spdx */" 'int  x ;'
refuses 'src/plan/plan.c: run' format.sh "$tree"
put dev '#!/bin/bash' "# $spdx" 'set -euo pipefail' "rm -rf \$1/*"
refuses 'SC2086' scripts.sh "$tree"
put dev '#!/bin/bash' "# $spdx" "rm -rf \"\$1\"/*"
refuses 'does not begin with set' scripts.sh "$tree"

finish "$claims" claims

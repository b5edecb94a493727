#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A broken configuration is refused with file and line and changes nothing; a correct one is taken.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../guest/lib.sh
. /lab/guest/lib.sh

need_product

main_pid() { systemctl show -P MainPID nicbalanced; }
hot() { nicbalancectl config --json | jq -r '.. | objects | select(.key == "Hot") | .value'; }
tells_where() { entries_since "$asked" | jq -r .MESSAGE | grep -q "$CONF_DROPIN:3"; }

mkdir -p "${CONF_DROPIN%/*}"
printf '[Balance]\nHot=61%%\n' > "$CONF_DROPIN"
service_start
pid=$(main_pid)
assert_equal 61% "$(hot)" "Hot= as configured at the start"

printf '# broken on its third line\n\n[NoSuchSection\n' > "$CONF_DROPIN"
asked=$EPOCHREALTIME
if systemctl reload nicbalanced; then
	echo "reload of a broken file: accepted by systemctl, so the journal must tell"
else
	echo "reload of a broken file: refused"
fi
wait_until 10 tells_where || fail "no message names $CONF_DROPIN:3"
entries_since "$asked" | jq -r .MESSAGE | grep "$CONF_DROPIN"
service_active || fail "the service is not active after a broken reload"
assert_equal "$pid" "$(main_pid)" "process of the service"
assert_equal 61% "$(hot)" "Hot= after a broken reload"

printf '[Balance]\nHot=62%%\n' > "$CONF_DROPIN"
asked=$EPOCHREALTIME
systemctl reload nicbalanced || fail "a correct file is refused"
nap 2
! entries_since "$asked" | jq -r 'select((.PRIORITY | tonumber) <= 3) | .MESSAGE' | grep . ||
	fail "errors after the reload of a correct file"
service_active || fail "the service is not active"
assert_equal "$pid" "$(main_pid)" "process of the service"
assert_equal 62% "$(hot)" "Hot= after a correct reload"

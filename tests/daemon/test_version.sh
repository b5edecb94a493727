#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# --version says whether the Varlink interface is built in, and its socket is there if so.
# shellcheck disable=SC2119 # start needs no options
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

interface=org.nicbalance.Constraints
version=$("$NB_DAEMON" --version)
[[ $version == "nicbalanced "* ]] || fail "no version: $version"

pile_captured_guest
start
wait_until is_spread
case $version in
*"Varlink interface $interface"*) [[ -S $tmp/$interface ]] || fail "there is no socket of $interface" ;;
*"without the Varlink interface"*) [[ ! -e $tmp/$interface ]] || fail "there is a socket of $interface" ;;
*) fail "nothing is said of Varlink: $version" ;;
esac
stop
[[ ! -e $tmp/$interface ]] || fail "the socket is left"

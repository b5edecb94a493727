#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The document that the daemon tells is as systemd/status.schema.json says, on machines of all kinds, at rest and
# after it moved something: no field that the schema does not have, none missing.
set -euo pipefail
. "$NB_SOURCE_DIR/tests/daemon/lib.sh"

python=
for candidate in python3 /usr/bin/python3; do
	! "$candidate" -c 'import jsonschema' 2> /dev/null || python=$candidate
done
[[ $python ]] || {
	echo "skipped: no python3-jsonschema"
	exit 77
}

# validate FILE... : each a document.
validate() {
	"$python" - "$NB_SOURCE_DIR/systemd/status.schema.json" "$@" <<- 'END'
		import json, sys, jsonschema

		def complete(schema, path):
		    if "properties" in schema:
		        assert schema["additionalProperties"] is False, path
		        assert schema["required"] == list(schema["properties"]), path
		        for name, field in schema["properties"].items():
		            complete(field, path + "/" + name)
		    elif "items" in schema:
		        complete(schema["items"], path)

		with open(sys.argv[1]) as file:
		    schema = json.load(file)
		jsonschema.Draft7Validator.check_schema(schema)
		complete(schema, "")
		for name in sys.argv[2:]:
		    with open(name) as file:
		        jsonschema.validate(json.load(file), schema, jsonschema.Draft7Validator)
	END
}

document=$tmp/document
ask() { "$NB_CTL" --socket "$tmp/bus" status --json > "$document"; }
knows() { ask && grep -q "$1" "$document"; }

# on_machine WORD : the daemon on $machine, once WORD is in what it tells.
# shellcheck disable=SC2119 # it needs no options
on_machine() {
	start
	wait_until knows "$1"
	validate "$document" || fail "not as the schema says: $(< "$document")"
	stop
	rm -rf "$machine"
}

pile_captured_guest
on_machine '"event": "moved"'
echo "after moves: as the schema says"

# Two nodes and isolated CPUs; a synthetic NIC, whose queues have channels; a NIC with one vector for all queues.
for name in mlx5 hv_netvsc virtio; do
	"$NB_SOURCE_DIR/tests/support/unpack-machine" "$NB_SOURCE_DIR/tests/sysroots/$name.machine" "$machine"
	on_machine '"grade": "estimated"'
done

unpack_captured_guest
for cpu in {0..7}; do
	echo $((cpu < 4 ? 1024 : 460)) > "$machine/sys/devices/system/cpu/cpu$cpu/cpu_capacity"
done
on_machine '"capacity-percent": 44.9'
echo "on other machines: as the schema says"

# Of a daemon that is not there: a plan with changes of every kind, delays, and the time before the first cycle.
for golden in "$NB_SOURCE_DIR"/tests/cli/golden/status{,-measured,-empty}-json.txt; do
	validate "$golden" || fail "$golden is not as the schema says"
done

# That it would be found out.
sed 's/"cycles"/"rounds"/' "$document" > "$tmp/odd"
! validate "$tmp/odd" 2> /dev/null || fail "a field of another name passes"
echo "and nothing else passes"

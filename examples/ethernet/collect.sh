#!/bin/sh
# Collect what `unknot audit` reads from switches, by ssh; it only reads. usage: collect.sh FOLDER SWITCH...
set -u
folder=${1:?usage: collect.sh FOLDER SWITCH...}
shift
for switch in "$@"; do
    mkdir -p "$folder/$switch"
    fetch() { # FILE COMMAND: keep what the switch prints, or nothing if it cannot
        ssh -o BatchMode=yes -n "$switch" "$2" > "$folder/$switch/$1.part" 2> /dev/null &&
            [ -s "$folder/$switch/$1.part" ] && mv "$folder/$switch/$1.part" "$folder/$switch/$1" ||
            { rm -f "$folder/$switch/$1.part"; echo "$switch: no $1" >&2; }
    }
    fetch route.json "vtysh -c 'show ip route vrf all json' || sudo -n vtysh -c 'show ip route vrf all json'"
    fetch route6.json "vtysh -c 'show ipv6 route vrf all json' || sudo -n vtysh -c 'show ipv6 route vrf all json'"
    fetch lldp.json "lldpcli -f json show neighbors || docker exec lldp lldpcli -f json show neighbors"
    fetch config_db.json "cat /etc/sonic/config_db.json"
    fetch nvue.json "nv config show -o json"
    fetch bgp.json "vtysh -c 'show bgp summary json'"
    fetch bgp_neighbors.json "vtysh -c 'show bgp neighbors json'"
    fetch mux.json "show muxcable status --json"
done

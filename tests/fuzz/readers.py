"""The readers that are fuzzed: good files of each, how it is called, and what its sniffing lets pass."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.fabrics import texts, tool_texts
from tests.fabrics.test_machines import BETAS, link, machine
from unknot._base.errors import UnknotError
from unknot.fabrics import FORMATS, read_fabric, write_network
from unknot.fabrics.ethernet.batfish import read_batfish_routes
from unknot.fabrics.ethernet.bgp import _Told
from unknot.fabrics.ethernet.config_db import read_config_db
from unknot.fabrics.ethernet.folder import read_ethernet
from unknot.fabrics.ethernet.routes import read_cable_list, read_lldp, read_routes
from unknot.fabrics.ethernet.settings import read_nvue, read_port_channels
from unknot.fabrics.ethernet.topologies import read_topology
from unknot.network import Network, from_edges
from unknot.network.families import mesh, ring
from unknot.verify.audit_ethernet import audit_ethernet

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Reader:
    """A reader under test.

    Attributes
    ----------
    name : str
    ending : str
        Of the file that is read.
    corpus : callable
        Gives good files.
    read : callable
        Takes a path; anything but a result or an `UnknotError` is a failure.
    passes : callable
        Whether the head of a file gets past the sniffing of the format.
    """

    name: str
    ending: str
    corpus: Callable[[], list[bytes]]
    read: Callable[[Path], Any]
    passes: Callable[[str], object]


def _text(head: str) -> bool:
    """Sniffing of a format that has no sign: text that is not empty."""
    return bool(head.strip()) and "\0" not in head and "\ufffd" not in head


@cache
def _networks() -> list[Network]:
    grid = mesh(2, 2)
    plain = ring(3, latency=2)
    named = replace(
        plain,
        wires=replace(plain.wires, ports=[(c, c + 1) for c in range(6)]),
        places=replace(plain.places, router_labels=("a", "b c", 'd"\\'), terminal_labels=("x", "y", "z")),
    )
    simple = from_edges([("a", "b", 3), ("b", "c"), ("c", "a")])
    return [grid, named, simple, ring(3), replace(ring(4), inject=[0, 0, 1, 3], eject=None)]


def _written(form: str) -> list[bytes]:
    """What Unknot writes, for every network that the format takes."""
    import tempfile

    from unknot._base.errors import NetworkError

    written = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "n"
        for network in _networks():
            try:
                write_network(network, path, form)
            except NetworkError:
                continue
            written.append(path.read_bytes())
    return written


_LAYOUT = texts.ring(3)
_LAYOUT.levels = {(end, 1 + i % 3): i % 16 for i, end in enumerate([*_LAYOUT.lids, *_LAYOUT.lids])}
_LAYOUT.lanes = {(f"S{i}", i, 3 - i): [(sl + i) % 16 for sl in range(16)] for i in range(3)}
_LAYOUT.copies = {(0xC000 + i % 2, f"S{i}"): [1, 2, 3][: 1 + i] for i in range(3)}
_BY_SWITCH = "# switches\n0x0000000000200000 0x0000000000200010 1\n0x0000000000200010 0x0000000000200000 1\n"
_MORE: dict[str, list[str]] = {
    "mcfdbs": [texts.mcfdbs(_LAYOUT), texts.dump_mfts(_LAYOUT, 12), texts.dump_mfts(_LAYOUT, 18, masks=True)],
    "ibnetdiscover": [texts.ibnetdiscover(_LAYOUT), texts.ibnetdiscover(texts.ring(2, lmc=1))],
    "lst": [texts.lst(_LAYOUT), texts.lst(_LAYOUT, down=[("S0", 1), ("S1", 2)])],
    "iblinkinfo": [
        texts.iblinkinfo(_LAYOUT),
        texts.iblinkinfo(_LAYOUT, down=[("S0", 1), ("S1", 2)]),
        tool_texts.iblinkinfo_lines(_LAYOUT),
    ],
    "netdump": [tool_texts.net_dump(_LAYOUT), tool_texts.net_dump(texts.ring(2), labels=True)],
    "dbcsv": [tool_texts.db_csv(_LAYOUT), tool_texts.db_csv(texts.ring(2, lmc=1))],
    "ports": [tool_texts.ports(_LAYOUT), tool_texts.ports(texts.ring(2))],
    "portcsv": [
        tool_texts.port_csv(_LAYOUT),
        "StartDevice,StartPort,EndDevice,EndPort\na,Port 1,b,2\na,Port 3,h,h ib0\n",
    ],
    "opareport": [tool_texts.snapshot(_LAYOUT), tool_texts.snapshot(texts.ring(2), groups=True)],
    "plft": [f"Switch 0x{_LAYOUT.guid('S0'):016x} - S0\n1: {', '.join('0' * 16)}\n2 : {' '.join('01' * 8)}\n"],
    "vl2vl": [
        f"# levels\nSwitch 0x{_LAYOUT.guid('S0'):016x}\nSLs: 0, 1, 2\nSwitch 0x{_LAYOUT.guid('S1'):016x}\nSLs:\n"
    ],
    "far": [tool_texts.far(_LAYOUT), tool_texts.far(texts.ring(2), state="HBF")],
    "lfts": [texts.lfts(_LAYOUT), texts.ibroute(_LAYOUT), texts.ibroute(texts.ring(2, lmc=1))],
    "fdbs": [texts.fdbs(_LAYOUT), texts.fdbs(texts.ring(2))],
    "psl": [texts.psl(_LAYOUT), texts.psl_blocks(_LAYOUT), texts.path_records(_LAYOUT), _BY_SWITCH],
    "sl2vl": [form(_LAYOUT) for form in (texts.sl2vl, texts.slvl, texts.smpquery_sl2vl, texts.saquery_sl2vl)],
    "ibsim": ['Switch 3 "s" # x\n[1] "h"[1]\n[2] "s"[3]\n[3] "s"[2]\n\nHca 1 "h"\n[1] "s"[1]\n'],
    "nccl": [machine(), machine((link("0000:11:00.0"), link("0000:10:00.0", 3)))],
    "taccl": [json.dumps(BETAS), json.dumps({**BETAS, "links": [[0, 1], [1, 0]], "betas": [[0, 2.5], [1, 0]]})],
    "booksim": ["router 0 node 0 router 1 15\nrouter 1 node 1 router 2 3\nrouter 2 node 2\n"],
    "edges": ["# n\na -> b 3\nb -- c\nc a\nc\n", "0 1\n1 2\n2 0 4\n"],
    "tod": [
        "line(2)[ring(3)] * line(2) ** 2",
        "k = 4; torus(k, 2)",
        '{a -- b, b -> c : 3, "d e" -- a}',
        "f(n) = if n == 0 then point() else f(n - 1) * line(2); f(3)",
        "{(x, y) -- (x + 1, y) for x in 3, y in 4 if x != 1 or y == 2}",
        "terminals(ring(3), inject=[0, 1, 1], eject=[2, 0, 1])",
    ],
    "gml": [
        'Creator "x"\nVersion 1\n# c\ngraph\n[\n  directed 0\n'
        '  node\n  [\n    id 7 label "A" graphics [ x -1.5e3 y .5 ]\n  ]\n'
        '  node [ id 9 label "B&lt;" ]\n  edge [ source 7 target 9 latency 3 ]\n  edge [ source 9 target 9 ]\n]\n'
    ],
    "graphml": [
        '<?xml version="1.0" encoding="ISO-8859-1"?><!-- c -->'
        '<g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">'
        '<g:key id="w" for="all" attr.name="latency" attr.type="int"><g:default>4</g:default></g:key>'
        '<g:graph edgedefault="undirected"><g:desc>w</g:desc><g:node id="a"><g:port name="p"/></g:node>'
        '<g:node id="b"/>'
        '<g:edge source="a" target="b"/><g:edge id="e" source="b" target="a" directed="true">'
        '<g:data key="w">2</g:data></g:edge></g:graph></g:graphml>',
        '<!DOCTYPE g [<!ENTITY a "aa">]><graphml><graph><node id="&a;"/></graph></graphml>',
    ],
    "json": [
        '{"directed": false, "graph": {"name": "x", "inject": [0, 1]},'
        ' "nodes": [{"id": [0, 1]}, {"id": "b", "label": null}],'
        ' "links": [{"source": [0, 1], "target": "b", "latency": 3, "key": 0}]}'
    ],
}
_STUDIES = [
    '[[design]]\nname = "small"\nnetwork = "torus(3, 3)"\nrouting = "dimension_order"\nvcs = 2\n\n'
    "[simulation]\nloads = [0.1, 0.2]\nseeds = [1, 2]\nmeasure = 500\n",
    'title = "x"\n[common]\nnetwork = ["ring(4)", "mesh(2, 2)"]\nswitching = "wormhole"\n'
    "packet_length = { 1 = 0.5, 5 = 0.5 }\nbuffer_depth = 8\n"
    '[[design]]\nrouting = "up_down"\nvcs = [1, 2]\ntraffic = "uniform"\n\n'
    "[simulation]\nloads = { from = 0.1, to = 0.5, step = 0.2 }\n[proof]\ntime_limit = 5\n",
]
_BOOKSIM = [
    "// a mesh\ntopology = mesh; k = 4; n = 2;\nrouting_function = dor; num_vcs = 2; alloc_iters = 2;\n"
    "traffic = hotspot({{1,2},{3,1}}); packet_size = {{1,5}}; packet_size_rate = {{3,1}}; injection_rate = 0.05;\n",
    "topology = torus;\nk = 4;\nn = 2;\nrouting_function = dim_order;\nnum_vcs = 4;\nvc_buf_size = 8;\n"
    "vc_allocator = separable_input_first;\nsw_allocator = separable_input_first;\nrouting_delay = 0;\n"
    "injection_process = on_off({0.2,0.1}); watch_out = -; seed = 3; sim_type = throughput;\n",
    "topology = dragonflynew; k = 2; n = 1; routing_function = min; num_vcs = 2; traffic = bad_dragon;\n"
    "internal_speedup = 1.5; input_speedup = 2; injection_rate_uses_flits = 1; credit_delay = 2;\n",
    "topology=flatfly;k=4;n=2;c=4;x=4;y=4;xr=2;yr=2;routing_function=xyyx;num_vcs=4;traffic=tornado;\n",
]
_BATFISH = """Node,VRF,Network,Next_Hop_IP,Next_Hop_Interface,Protocol
a,default,10.0.0.0/31,AUTO/NONE(-1l),Ethernet0,connected
a,default,10.9.0.0/24,10.0.0.1,dynamic,bgp
b,default,10.9.0.0/24,AUTO/NONE(-1l),null_interface,aggregate
b,mgmt,0.0.0.0/0,10.8.0.1,eth0,static
"""
_TRACES = [
    "id,cycle,source,destination,flits,needs,delay,class\na,0,0,1,4,,0,\nb,5,1,2,1,a,3,\nc,9,t2,0,2,a;b,,\n",
    "# c\ncycle,source,destination,flits\n0,0,1,4\n\n7,1,0,1\n",
    'flits,cycle,destination,source,needs\n1,0,"1",0,\n2,3,2,1,0\n',
]


def _technologies() -> list[bytes]:
    """Technology files of the three forms."""
    from tests.simulation.energy.technologies import NOXIM, OWN, gates

    return [text.encode() for text in (OWN, gates(), NOXIM)]


def _archives() -> list[bytes]:
    """Tar archives of a folder of ibdiagnet, plain and packed."""
    packed = []
    for mode in ("w", "w:gz"):
        whole = io.BytesIO()
        with tarfile.open(fileobj=whole, mode=mode) as tar:
            for name, text in (("d/a.lst", texts.lst(_LAYOUT)), ("d/a.fdbs", texts.fdbs(_LAYOUT))):
                about = tarfile.TarInfo(name)
                about.size = len(text)
                tar.addfile(about, io.BytesIO(text.encode()))
        packed.append(whole.getvalue())
    return packed


def _read_technology(path: Path) -> Any:
    from unknot.simulation.energy.option import read_technology

    return read_technology(path)


def _replays() -> list[bytes]:
    whole = (ROOT / "examples/knots/mesh.json").read_text(encoding="utf-8")
    return [whole.encode(), json.dumps(json.loads(whole)).encode()]


def _ethernet(*patterns: str) -> Callable[[], list[bytes]]:
    """Files of the examples of Ethernet and of the tests."""
    folders = ROOT / "examples/ethernet", ROOT / "tests/fabrics"
    return lambda: sorted(
        {p.read_bytes() for pattern in patterns for folder in folders for p in folder.rglob(pattern)}
    )


def _of_folders() -> list[bytes]:
    """Files of two folders of switches."""
    names = [
        "frr-all-links-up/leaf0.route.json",
        "frr-all-links-up/cables.txt",
        "dual-tor-two-queues/tor-a/config_db.json",
    ]
    return [(ROOT / "examples/ethernet" / name).read_bytes() for name in names]


def _read_folder(path: Path) -> Any:
    """Read and audit a folder of switches with this file among its routes, configurations, or cables."""
    text, folder = path.read_bytes(), path.with_suffix(".folder")
    kind = "config_db.json" if b"_MAP" in text else "route.json" if b"{" in text[:40] else "cables.txt"
    good = ROOT / "examples/ethernet" / ("dual-tor-two-queues" if kind == "config_db.json" else "frr-all-links-up")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(good, folder)
    name = {"config_db.json": "tor-a/config_db.json", "route.json": "leaf0.route.json"}.get(kind, kind)
    (folder / name).write_bytes(text)
    try:
        return audit_ethernet(read_ethernet(folder), time_limit=5)
    except UnknotError as error:
        # The folder stands for its file.
        raise UnknotError(str(error).replace(str(folder), str(path)).replace(folder.name, path.name)) from error


def _read_config(path: Path) -> Any:
    return read_config_db(path, ROOT / "examples/ethernet/dual-tor-two-queues/tor-a/mux.json")


def _sessions() -> list[bytes]:
    family = {"ipv4Unicast": {"allowAsInCount": 1}}
    row = {"localAs": 65100, "remoteAs": 65000, "hostname": "spine0", "addressFamilyInfo": family}
    peers = {"10.0.0.1": {"hostname": "spine1", "remoteAs": 65001}}
    neighbour = {
        "BGP_NEIGHBOR": {"10.0.0.1": {"asn": "65000", "name": "spine0"}},
        "BGP_BBR": {"all": {"status": "enabled"}},
    }
    tables = {"DEVICE_METADATA": {"localhost": {"bgp_asn": "65100"}}, **neighbour}
    return [
        json.dumps(one).encode() for one in ({"to-a": row}, {"ipv4Unicast": {"as": 65100, "peers": peers}}, tables)
    ]


def _read_sessions(path: Path) -> Any:
    told = _Told()
    for kind in ("bgp_neighbors.json", "bgp.json", "config_db.json"):
        told.read("leaf0", {kind: path})
    return told


def _topologies() -> list[bytes]:
    """Topologies of containerlab and netlab in each shape."""
    written = """name: x
topology:
  defaults: {kind: ceos}
  groups: {g: {kind: sonic-vs}}
  nodes:
    a: {group: g}
    b:
  links:
    - endpoints: ["a:eth1", "b:eth1_1"]
    - type: veth
      endpoints: [{node: b, interface: e2}, {node: h, interface: e3}]
"""
    ends = [{"node": "a", "interface": "e1"}, {"node": "c", "interface": "e2"}]
    pair = dict(zip("az", ends, strict=True))
    netlab = [{"node": one["node"], "ifname": one["interface"]} for one in ends]
    links = ({"endpoints": pair}, pair, {"interfaces": netlab})
    return [written.encode(), *(json.dumps({"links": [link]}, indent=1).encode() for link in links)]


def _of_vendors(shape: str) -> list[bytes]:
    """Routes of an example as another system prints them: NVUE in both of its shapes, and EOS."""
    from tests.fabrics.test_vendors import eos, nvue

    table = json.loads((ROOT / "examples/ethernet/frr-all-links-up/leaf0.route.json").read_text(encoding="utf-8"))
    tables = [eos(table)] if shape == "eos" else [nvue(table), {"route": nvue(table, old=True)}]
    return [json.dumps(one, indent=1).encode() for one in tables]


def _settings() -> list[bytes]:
    """Settings of Cumulus Linux."""
    from tests.fabrics.test_vendors import config

    roce = {"roce": {"enable": "on", "mode": "lossless"}}
    more = {"router": {"adaptive-routing": {"enable": "on"}}, "nve": {"vxlan": {}}}
    return [json.dumps(one, indent=1).encode() for one in (config(qos=roce), config(qos={"pfc": {"p": {}}}, **more))]


def _of_eos() -> list[bytes]:
    """Neighbours and port channels that EOS tells."""
    row = {"port": "Ethernet1", "neighborDevice": "spine1", "neighborPort": "Ethernet7", "ttl": 120}
    ports = {"activePorts": {"Ethernet1": {"protocol": "lacp"}}, "inactivePorts": {}}
    both = {"lldpNeighbors": [row, row]}, {"portChannels": {"Port-Channel1": ports}}
    return [json.dumps(one, indent=1).encode() for one in both]


def _read_of_eos(path: Path) -> Any:
    return read_lldp(path, "s") if b"lldp" in path.read_bytes() else read_port_channels(path)


def _read_mux(path: Path) -> Any:
    return read_config_db(ROOT / "examples/ethernet/dual-tor-two-queues/tor-a/config_db.json", path)


def _read_trace(path: Path) -> Any:
    from unknot.simulation.traces.trace_file import read_trace

    return read_trace(path, ring(4))


def _read_study(path: Path) -> Any:
    from unknot.studies import load_study

    return load_study(path)


def _read_booksim(path: Path) -> Any:
    from unknot_booksim import read_setup

    return read_setup(path)


def _read_replay(path: Path) -> Any:
    from unknot.cli.answers.configuration_file import read_configuration

    return read_configuration(path)


def _of_format(name: str) -> Reader:
    form = FORMATS[name]

    def corpus() -> list[bytes]:
        own = _written(name) if form.write is not None else []
        more = _BOOKSIM if name == "cfg" else _MORE.get(name, [])
        return [*own, *(text.encode("latin-1" if "ISO-8859" in text else "utf-8") for text in more)]

    def read(path: Path) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a reader names and reads otherwise is no failure
            return form.read(path)

    return Reader(name, form.endings[0], corpus, read, form.sign or _text)


READERS: dict[str, Reader] = {
    reader.name: reader
    for reader in (
        *(_of_format(name) for name, form in FORMATS.items() if form.holds != "program"),
        Reader("study", ".toml", lambda: [text.encode() for text in _STUDIES], _read_study, _text),
        Reader("booksim-configuration", ".cfg", lambda: [text.encode() for text in _BOOKSIM], _read_booksim, _text),
        Reader("replay", ".json", _replays, _read_replay, _text),
        Reader("route-json", ".json", _ethernet("*route.json"), read_routes, _text),
        Reader("route-nvue", ".json", lambda: _of_vendors("nvue"), read_routes, _text),
        Reader("route-eos", ".json", lambda: _of_vendors("eos"), read_routes, _text),
        Reader("nvue-settings", ".json", _settings, read_nvue, _text),
        Reader("eos-ports", ".json", _of_eos, _read_of_eos, _text),
        Reader("config-db", ".json", _ethernet("config_db.json"), _read_config, _text),
        Reader("mux", ".json", _ethernet("mux.json"), _read_mux, _text),
        Reader("bgp-sessions", ".json", _sessions, _read_sessions, _text),
        Reader("cables", ".txt", _ethernet("cables.txt"), read_cable_list, _text),
        Reader("topology", ".clab.yml", _topologies, lambda path: read_topology(path, ("a", "b", "c")), _text),
        Reader("lldp", ".json", _ethernet("one.json*", "two.json"), lambda path: read_lldp(path, "s"), _text),
        Reader("batfish", ".csv", lambda: [_BATFISH.encode()], read_batfish_routes, _text),
        Reader("ethernet-folder", ".any", _of_folders, _read_folder, _text),
        Reader("technology", ".toml", _technologies, _read_technology, _text),
        Reader("archive", ".tar", _archives, read_fabric, lambda head: True),
        Reader("trace-csv", ".csv", lambda: [text.encode() for text in _TRACES], _read_trace, _text),
    )
}

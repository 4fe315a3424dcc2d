// What every buffer of BookSim 2 holds after every cycle, of packets that are given: see booksim_events.py.
//   events FILE key=value … PACKETS DRAWS ROUTES STATES CYCLES
// PACKETS has a line "time source class destination flits kind subnet" for each packet, in the order of times; kind is
// 0, or 1 for reads and 2 for writes. DRAWS has a salt, and for each router first input, first output, number of ports and the
// first buffer of each: what random numbers are a function of. ROUTES is written:
//   p subnet router ports      c subnet router port router port      n node subnet router in-port router out-port
//   r call key cycle router in-port vc out-port first last     what a routing function offers (router -1: on injection)
// STATES are 64-bit words, for each cycle, subnet, router, input port and VC: flits, and then, of the one in front, key of its
// packet, number in it and output (port × VCs + VC, or -1).

#include <algorithm>
#include <cstdint>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "booksim.hpp"
#include "booksim_config.hpp"
#include "buffer.hpp"
#include "flit.hpp"
#include "flitchannel.hpp"
#include "injection.hpp"
#include "iq_router.hpp"
#include "maxsize.hpp"
#include "network.hpp"
#include "outputset.hpp"
#include "pim.hpp"
#include "random_utils.hpp"
#include "routefunc.hpp"
#include "traffic.hpp"
#include "trafficmanager.hpp"

TrafficManager *trafficManager = NULL;
int GetSimTime() { return trafficManager ? trafficManager->getTime() : 0; }
class Stats;
Stats *GetStats(const std::string &name) { return trafficManager->getStats(name); }
bool gPrintActivity, gTrace;
int gK, gN, gC, gNodes;
ostream *gWatchOut = NULL;

struct Packet {
  int time, to, flits, kind, subnet;
};
static std::map<std::pair<int, int>, std::deque<Packet>> waiting;  // by source and class
static Packet issued;
static std::ofstream routes;
static std::map<int, int> first_flit;  // of each packet
static tRoutingFunction original;
static bool of_dragonfly, adapts, of_two;
static std::map<Router const *, std::vector<std::pair<Flit *, int>>> deciding;

// Random numbers are a function of what they are for, so that the other simulator can draw the same.
struct Rows {
  int64_t into, out;
  std::vector<int64_t> buffers;
};
static uint64_t salt;
static std::vector<Rows> rows;
static std::map<Router const *, int> number_of;
static std::deque<long> forced;
static struct {
  bool on;
  bool of_switch;
  Rows rows;
  int inputs, outputs, count;
} match;
static long mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return (z ^ (z >> 31)) >> 11;
}
long ran_next() {
  if (!forced.empty()) {
    long value = forced.front();
    forced.pop_front();
    return value;
  }
  static const uint64_t step = 0x9E3779B97F4A7C15ULL;
  if (match.on) {
    int each = match.inputs + match.outputs, round = match.count / each, place = match.count % each;
    ++match.count;
    bool of_input = place >= match.outputs;
    uint64_t tag = 2 * round + 2 + of_input + (match.of_switch ? 1 << 20 : 0);
    int64_t row = of_input ? match.rows.into + place - match.outputs : match.rows.out + place;
    return mixed((salt ^ ((uint64_t(GetSimTime()) << 32) + row)) + step * tag);
  }
  static uint64_t stream;
  return mixed(stream += step);
}
void ran_start(long) {}
double ranf_next() { return ran_next() / 9007199254740992.0; }
void ranf_start(long) {}
long ran_x[100];
double ran_u[100];

struct Drawn : PIM {
  bool of_switch;
  Rows rows;
  Drawn(Module *router, Allocator const *like, int iterations, bool s, Rows r)
      : PIM(router, "drawn", like->_inputs, like->_outputs, iterations), of_switch(s), rows(r) {}
  void Allocate() {
    match = {true, of_switch, rows, _inputs, _outputs, 0};
    PIM::Allocate();
    match.on = false;
  }
};

// The turn moves where anything is requested, not whenever a header or a flit waits.
struct Turning : MaxSizeMatch {
  Turning(Module *router, Allocator const *like) : MaxSizeMatch(router, "turning", like->_inputs, like->_outputs) {}
  void Allocate() {
    int before = _prio;
    bool any = false;
    for (int i = 0; i < _inputs; ++i) any = any || InputHasRequests(i);
    MaxSizeMatch::Allocate();
    if (!any) _prio = before;
  }
};

// Of flits that cross the switch in one step the one of the lowest input port comes first into the queue behind it.
struct Watched : IQRouter {
  using IQRouter::IQRouter;
  // VCs that packets of this type take.
  int64_t vcs_of(Flit const *f) const {
    if (f->type == Flit::READ_REQUEST) return gReadReqEndVC - gReadReqBeginVC + 1;
    if (f->type == Flit::WRITE_REQUEST) return gWriteReqEndVC - gWriteReqBeginVC + 1;
    if (f->type == Flit::READ_REPLY) return gReadReplyEndVC - gReadReplyBeginVC + 1;
    if (f->type == Flit::WRITE_REPLY) return gWriteReplyEndVC - gWriteReplyBeginVC + 1;
    return _vcs;
  }
  // Of two ports that a packet draws it takes the one with more credits in the step in which it first requests a VC.
  void draw_two(Rows const &mine) {
    static std::set<std::pair<int, int>> done;
    _InputQueuing();
    for (auto const &entry : _vc_alloc_vcs) {
      int port = entry.second.first.first, vc = entry.second.first.second;
      Flit *f = _buf[port]->FrontFlit(vc);
      if (entry.first >= 0 || !done.insert({f->pid, number_of[this]}).second) continue;
      int64_t drawn = mixed(salt ^ ((uint64_t(GetSimTime()) << 32) + mine.buffers[port] + vc));
      int64_t wide = vcs_of(f), many = gK * wide;
      forced = {long(drawn % many / wide), long(drawn / many % many / wide)};
      if (_routing_delay) _buf[port]->Route(vc, _rf, this, f, port);
      else _rf(this, f, port, &f->la_route_set, false);
      forced.clear();
    }
  }
  void _InternalStep() {
    if (of_two && !::rows.empty()) draw_two(::rows[number_of[this]]);
    auto const undecided = deciding.find(this);
    if (undecided != deciding.end()) {
      std::vector<std::pair<Flit *, int>> const those = undecided->second;
      deciding.erase(undecided);
      _InputQueuing();
      for (auto const &[f, port] : those) {
        if (_routing_delay) _buf[port]->Route(f->vc, _rf, this, f, port);
        else _rf(this, f, port, &f->la_route_set, false);
      }
      deciding.erase(this);
    }
    typedef std::pair<int, std::pair<Flit *, std::pair<int, int>>> Crossing;
    Flit const *last = _crossbar_flits.empty() ? NULL : _crossbar_flits.back().second.first;
    IQRouter::_InternalStep();
    auto fresh = std::find_if(_crossbar_flits.begin(), _crossbar_flits.end(), [last](Crossing const &one) { return one.second.first == last; });
    fresh = fresh == _crossbar_flits.end() ? _crossbar_flits.begin() : fresh + 1;
    std::stable_sort(fresh, _crossbar_flits.end(), [this](Crossing const &a, Crossing const &b) {
      return a.second.second.first / _input_speedup < b.second.second.first / _input_speedup;
    });
  }
  void prepare(int number) {
    number_of[this] = number;
    Allocator **both[] = {&_vc_allocator, &_sw_allocator};
    for (int k = 0; k < 2; ++k) {
      if (PIM *pim = dynamic_cast<PIM *>(*both[k]))
        if (number < int(::rows.size())) *both[k] = new Drawn(this, pim, pim->_PIM_iter, k == 1, ::rows[number]);
      if (dynamic_cast<MaxSizeMatch *>(*both[k])) *both[k] = new Turning(this, *both[k]);
    }
  }
};

static int64_t key_of(Flit const *f) {
  bool reply = f->type == Flit::READ_REPLY || f->type == Flit::WRITE_REPLY;
  return ((int64_t(f->ctime) << 16 | f->src) << 4 | f->cl) << 4 | f->subnetwork << 1 | reply;
}

struct Fed : InjectionProcess {
  TrafficManager *manager;
  int cl;
  Fed(TrafficManager *m, int c) : InjectionProcess(1, 0), manager(m), cl(c) {}
  bool test(int source) {
    std::deque<Packet> &queue = waiting[{source, cl}];
    if (queue.empty() || queue.front().time != manager->_qtime[source][cl]) return false;
    issued = queue.front();
    queue.pop_front();
    manager->_packet_size[cl].assign(1, issued.flits);
    manager->_write_fraction[cl] = issued.kind == 2 ? 2.0 : -1.0;
    return true;
  }
};
struct There : TrafficPattern {
  There() : TrafficPattern(1) {}
  int dest(int) {
    if (issued.kind == 0) forced.push_back(issued.subnet);
    return issued.to;
  }
};

static void offered(Router const *router, Flit const *f, int in_channel, OutputSet *outputs, bool inject) {
  original(router, f, in_channel, outputs, inject);
  if (f->head) first_flit[f->pid] = f->id;
  // A packet of a dragonfly that leaves at its first router does so by the VC that it came by.
  if (of_dragonfly && router && f->hops == 0) {
    int port = outputs->GetSet().begin()->output_port;
    if (!router->GetOutputChannel(port)->GetSink()) outputs->Clear(), outputs->AddRange(port, f->vc, f->vc);
  }
  // A packet compares queues in the step in which it first requests a VC, not at the end of the one before.
  if (adapts && router && f->hops == 0) deciding[router].push_back({const_cast<Flit *>(f), in_channel});
  static int calls = 0;
  ++calls;
  for (OutputSet::sSetElement const &one : outputs->GetSet())
    routes << "r " << calls << ' ' << key_of(f) << ' ' << GetSimTime() << ' ' << (inject ? -1 : router->GetID()) << ' ' << in_channel << ' ' << f->vc << ' '
           << one.output_port << ' ' << one.vc_start << ' ' << one.vc_end << '\n';
}

int main(int argc, char **argv) {
  BookSimConfig config;
  int cycles = atoi(argv[--argc]);
  std::ofstream states(argv[--argc], std::ios::binary);
  routes.open(argv[--argc]);
  std::ifstream draws(argv[--argc]), packets(argv[--argc]);
  draws >> salt;
  int ports;
  for (Rows one; draws >> one.into >> one.out >> ports; rows.push_back(one)) {
    one.buffers.resize(ports);
    for (int64_t &buffer : one.buffers) draws >> buffer;
  }
  if (!ParseArgs(&config, argc, argv)) return 2;
  InitializeRoutingMap(config);
  int subnets = config.GetInt("subnets"), vcs = config.GetInt("num_vcs");
  std::vector<Network *> nets;
  for (int i = 0; i < subnets; ++i) nets.push_back(Network::New(config, "network_" + std::to_string(i)));
  TrafficManager *manager = trafficManager = TrafficManager::New(config, nets);
  original = manager->_rf;
  of_two = config.GetStr("routing_function") == "anca";
  adapts = config.GetStr("routing_function").find("adaptive") == 0;
  of_dragonfly = config.GetStr("topology") == "dragonflynew";
  manager->_rf = offered;
  for (int c = 0; c < manager->_classes; ++c) {
    manager->_injection_process[c] = new Fed(manager, c);
    manager->_traffic_pattern[c] = new There();
  }
  Packet p;
  int source, cl;
  while (packets >> p.time >> source >> cl >> p.to >> p.flits >> p.kind >> p.subnet) waiting[{source, cl}].push_back(p);
  Watched *like = new Watched(config, NULL, "like", 0, 2, 2);
  int number = 0;
  std::vector<Watched *> routers;
  for (int subnet = 0; subnet < subnets; ++subnet) {
    for (Router *router : nets[subnet]->GetRouters()) {
      // From here on it is a router that is watched: it has no members more.
      *reinterpret_cast<void **>(router) = *reinterpret_cast<void **>(like);
      routers.push_back(static_cast<Watched *>(router));
      routers.back()->_rf = offered;
      routers.back()->prepare(number++);
      routes << "p " << subnet << ' ' << router->GetID() << ' ' << router->NumInputs() << '\n';
      for (int port = 0; port < router->NumOutputs(); ++port) {
        FlitChannel const *channel = router->GetOutputChannel(port);
        if (channel->GetSink())
          routes << "c " << subnet << ' ' << router->GetID() << ' ' << port << ' ' << channel->GetSink()->GetID() << ' '
                 << channel->GetSinkPort() << '\n';
      }
    }
    for (int node = 0; node < nets[subnet]->NumNodes(); ++node) {
      FlitChannel const *in = nets[subnet]->GetInject(node), *out = nets[subnet]->GetEject(node);
      routes << "n " << node << ' ' << subnet << ' ' << in->GetSink()->GetID() << ' ' << in->GetSinkPort() << ' '
             << out->GetSource()->GetID() << ' ' << out->GetSourcePort() << '\n';
    }
  }
  manager->_sim_state = TrafficManager::warming_up;
  manager->_ClearStats();
  while (manager->getTime() < cycles) {
    // A packet that found a VC, but not its turn, looks for one again.
    for (auto const &classes : manager->_partial_packets)
      for (std::list<Flit *> const &queue : classes)
        if (!queue.empty() && queue.front()->head) queue.front()->vc = -1;
    manager->_Step();
    for (Watched *router : routers)
      for (int port = 0; port < router->NumInputs(); ++port)
        for (int vc = 0; vc < vcs; ++vc) {
          Buffer const *buffer = router->_buf[port];
          int64_t row[4] = {buffer->GetOccupancy(vc), -1, -1, -1};
          if (Flit const *f = buffer->FrontFlit(vc)) row[1] = key_of(f), row[2] = f->id - first_flit[f->pid];
          if (buffer->GetState(vc) == VC::active) row[3] = buffer->GetOutputPort(vc) * vcs + buffer->GetOutputVC(vc);
          states.write(reinterpret_cast<char const *>(row), sizeof row);
        }
  }
  routes.flush();
  states.flush();
  _Exit(0);
}

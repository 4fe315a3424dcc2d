// Every step that a packet may take in BookSim 2, by its own routing functions: see booksim_routes.py.
//   routes FILE key=value … walks=N     N packets from each node to each other
// prints, behind a line "routes",
//   r router      c source target latency      n node first-router last-router
//   s destination router-before router vc-before next-router vc      (-1: injected, ejected)

#include <array>
#include <iostream>
#include <set>

#include "booksim.hpp"
#include "booksim_config.hpp"
#include "flit.hpp"
#include "flitchannel.hpp"
#include "network.hpp"
#include "outputset.hpp"
#include "random_utils.hpp"
#include "routefunc.hpp"
#include "trafficmanager.hpp"

TrafficManager *trafficManager = NULL;
int GetSimTime() { return 0; }
class Stats;
Stats *GetStats(const std::string &) { return NULL; }
bool gPrintActivity, gTrace;
int gK, gN, gC, gNodes;
ostream *gWatchOut = NULL;

typedef std::array<int, 6> Step;

static void walk(Network *network, tRoutingFunction route, int source, int target, std::set<Step> &steps) {
  Flit *flit = Flit::New();
  flit->src = source, flit->dest = target, flit->head = true, flit->type = Flit::ANY_TYPE;
  OutputSet at_first;
  route(NULL, flit, -1, &at_first, true);
  OutputSet::sSetElement first = *at_first.GetSet().begin();
  flit->vc = first.vc_start + RandomInt(first.vc_end - first.vc_start);
  const FlitChannel *channel = network->GetInject(source);
  for (int before = -1, hops = 0; hops < 64; ++hops) {
    const Router *here = channel->GetSink();
    OutputSet offered;
    route(here, flit, channel->GetSinkPort(), &offered, false);
    std::set<OutputSet::sSetElement> const &all = offered.GetSet();
    auto chosen = all.begin();
    std::advance(chosen, RandomInt(all.size() - 1));
    channel = here->GetOutputChannel(chosen->output_port);
    const Router *next = channel->GetSink();
    int vc = chosen->vc_start + RandomInt(chosen->vc_end - chosen->vc_start);
    steps.insert({target, before, here->GetID(), before < 0 ? -1 : flit->vc, next ? next->GetID() : -1, next ? vc : -1});
    if (!next) break;
    before = here->GetID(), flit->vc = vc, ++flit->hops;
  }
  flit->Free();
}

int main(int argc, char **argv) {
  BookSimConfig config;
  int walks = atoi(argv[--argc] + 6);
  if (!ParseArgs(&config, argc, argv)) return 2;
  InitializeRoutingMap(config);
  RandomSeed(1);
  Network *network = Network::New(config, "network");
  tRoutingFunction route = gRoutingFunctionMap[config.GetStr("routing_function") + "_" + config.GetStr("topology")];
  std::cout << "\nroutes\n";
  for (Router *router : network->GetRouters()) {
    std::cout << "r " << router->GetID() << '\n';
    for (int port = 0; port < router->NumOutputs(); ++port) {
      const FlitChannel *channel = router->GetOutputChannel(port);
      if (channel->GetSink())
        std::cout << "c " << router->GetID() << ' ' << channel->GetSink()->GetID() << ' ' << channel->GetLatency() << '\n';
    }
  }
  std::set<Step> steps;
  for (int source = 0; source < network->NumNodes(); ++source) {
    std::cout << "n " << source << ' ' << network->GetInject(source)->GetSink()->GetID() << ' '
              << network->GetEject(source)->GetSource()->GetID() << '\n';
    for (int target = 0; target < network->NumNodes(); ++target)
      for (int i = 0; i < walks; ++i)
        if (source != target) walk(network, route, source, target, steps);
  }
  for (Step const &step : steps) {
    std::cout << 's';
    for (int number : step) std::cout << ' ' << number;
    std::cout << '\n';
  }
}

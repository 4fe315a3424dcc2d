"""Lossless Ethernet: routes, cables and QoS maps as switches print them."""

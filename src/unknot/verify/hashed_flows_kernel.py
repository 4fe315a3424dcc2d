# mypy: ignore-errors
"""Flows on equal-cost paths, drawn many times: the load of each channel when hashes choose the next hops."""

from unknot._base.kernels.lazy_kernel import F64, I64, READ32, READ64, kernel

INDEPENDENT, SAME, CRC = 0, 1, 2
"""Hashes: a random one for each switch, one for all switches, or CRC-32 with a seed for each switch."""
POLYNOMIAL = 0xEDB88320
KEY_WORDS = 3
"""Words of 32 bits of a flow's key: source, destination, and source port with the port of RoCE."""


@kernel(inline=True, allocates=False)
def mixed(x: int) -> int:
    """Bits of a number, mixed (SplitMix64, Steele, Lea and Flood 2014), without the sign."""
    x = x + -7046029254386353131
    x = (x ^ ((x >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
    x = (x ^ ((x >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
    return (x ^ ((x >> 31) & 0x1FFFFFFFF)) & 0x7FFFFFFFFFFFFFFF


@kernel(allocates=False)
def crc(value: int, word: int) -> int:
    """Continue a CRC-32 by a word of 32 bits."""
    value ^= word
    for _ in range(32):
        value = (value >> 1) ^ (POLYNOMIAL if value & 1 else 0)
    return value


@kernel(allocates=False)
def draw(
    first: READ64, onward: READ64, channel: READ32, router: READ32, start: READ64, keys: READ64, rate: F64,
    seeds: READ64, kind: int, qps: int, draws: int, seed: int, slowness: F64, peaks: F64, load: F64, busiest: I64,
) -> None:  # fmt: skip
    """Draw the choices of all flows some times: the highest load of each time, and how often a channel had it.

    State i leads to states ``onward[first[i] : first[i + 1]]`` by channels of the same places; a state without any is
    the end. ``load`` is scratch of the size of channels; loads are times `slowness`.
    """
    for d in range(draws):
        for c in range(load.size):
            load[c] = 0.0
        for f in range(start.size):
            for q in range(qps):
                key = mixed(mixed(mixed(seed + d) + f) + q)
                at, hop = start[f], 0
                port = 0xC000 + (key & 0x3FFF)
                while first[at] < first[at + 1]:
                    many = first[at + 1] - first[at]
                    pick = 0
                    if many > 1:
                        if kind == INDEPENDENT:
                            value = mixed(key + router[at] + 1)
                        elif kind == SAME:
                            value = key
                        else:
                            value = seeds[router[at]] & 0xFFFFFFFF
                            value = crc(crc(crc(value, keys[2 * f]), keys[2 * f + 1]), port << 16 | 4791)
                            value = value >> (seeds[router[at]] >> 32)
                        pick = value % many
                    place = first[at] + pick
                    load[channel[place]] += rate[f]
                    at = onward[place]
                    hop += 1
        peak = 0.0
        for c in range(load.size):
            load[c] *= slowness[c] / qps
            peak = max(peak, load[c])
        peaks[d] = peak
        for c in range(load.size):
            # Sums of the same parts in another order differ in the last bits.
            if peak > 0 and load[c] > peak * (1 - 1e-9):
                busiest[c] += 1

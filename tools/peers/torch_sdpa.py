#!/usr/bin/env python3
"""Times PyTorch's scaled_dot_product_attention and writes a result file in attnscope's schema.

  tools/peers/torch_sdpa.py --output torch.json 1x16x4096x128:f16 1x32x16384x128:q=1:kv=8:f16 ...
  tools/peers/torch_sdpa.py --output torch.json --preset assets/presets/system-A.toml --backend default
  tools/peers/torch_sdpa.py --output torch.json --preset assets/presets/zoo.toml --backend default --backend flash --graph
  tools/peers/torch_sdpa.py --list --preset assets/presets/zoo.toml    # what would be timed; needs no torch

Of a preset with a table the table's problems are timed, of another one all it lists; what SDPA does not cover is left out.
Each problem and backend (default, flash, efficient, math) is timed twice: by Triton's do_bench (25 ms of warm-up, 100 ms
of repetitions), and inside a CUDA graph of many calls, which leaves out the gaps between launches (--graph: in this way
alone). attnscope's GPU timestamps compare with the second. A causal mask aligns to the bottom right, as attnscope's does.
Needs torch and triton, and a CUDA device.
"""

import argparse
import datetime
import json
import math
import os
import statistics
import tempfile

try:
    import torch
    import triton
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.attention.bias import causal_lower_right
except ImportError as missing:
    torch, why_no_torch = None, str(missing)

# By the names that torch has for them.
BACKENDS = {"default": None, "flash": "FLASH_ATTENTION", "efficient": "EFFICIENT_ATTENTION", "math": "MATH"}
DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}


class NotCovered(Exception):
    pass


def parse(text):
    """The subset of attnscope's problem text that SDPA covers: BxHxSxD with q=, kv=, dv=, causal and a dtype."""
    shape, *options = text.split(":")
    if shape.startswith("varlen"):
        raise NotCovered(f"{text}: SDPA takes no packed sequences")
    b, h, s, d = (int(x) for x in shape.split("x"))
    p = dict(b=b, h=h, kv=h, q=s, s=s, d=d, dv=d, causal=False, dtype="f32")
    for option in options:
        key, _, value = option.partition("=")
        if key in ("q", "kv", "dv"):
            p[key] = int(value)
        elif key == "causal":
            p["causal"] = True
        elif key in DTYPES:
            p["dtype"] = key
        else:
            raise NotCovered(f"{text}: option '{option}' is not one that this script knows")
    if p["causal"] and p["q"] > p["s"]:
        raise NotCovered(f"{text}: torch gives no zeros for queries that see no key")
    # Aligned to the bottom right, the one query there is sees all keys.
    p["mask"] = "none" if not p["causal"] or p["q"] == 1 else "square" if p["q"] == p["s"] else "lower right"
    return p


def preset_problems(path):
    """In the file's order, each once. An item is a problem's text, or a table with it and whose it is."""
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        from pip._vendor import tomli as tomllib
    with open(path, "rb") as file:
        preset = tomllib.load(file)
    items = list(preset["problems"])
    if "table" in preset:
        items = list(preset["table"].get("problems", []))
        for row in preset["row"]:
            items += row.get("problems", [])
        items = items or list(preset["problems"])
    return list(dict.fromkeys(item["problem"] if isinstance(item, dict) else item for item in items))


def flops(p):
    if p["causal"]:
        pairs = sum(max(0, min(p["s"], i + p["s"] - p["q"] + 1)) for i in range(p["q"]))
    else:
        pairs = p["q"] * p["s"]
    return 2.0 * p["b"] * p["h"] * pairs * (p["d"] + p["dv"])


def least_bytes(p):
    size = 4 if p["dtype"] == "f32" else 2
    return size * p["b"] * (p["h"] * p["q"] * (p["d"] + p["dv"]) + p["kv"] * p["s"] * (p["d"] + p["dv"]))


def graph_samples(call, target_ms=100.0):
    """Milliseconds of one call, from replays of a graph that holds enough calls to last 5 ms."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    one = triton.testing.do_bench(call, warmup=25, rep=25, return_mode="median")
    calls = max(1, min(500, math.ceil(5.0 / one)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    for _ in range(5):
        graph.replay()
    samples = []
    while sum(samples) * calls < target_ms or len(samples) < 10:
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end) / calls)
    return samples, calls


def record(text, p, name, launch, samples_ms, calls):
    ns = [x * 1e6 for x in samples_ms]
    median = statistics.median(ns)
    p20, _, _, p80 = statistics.quantiles(ns if len(ns) > 1 else ns * 2, n=5, method="inclusive")
    return {
        "problem": text,
        "variant": f"torch-{name}",
        "config": {},
        "config_name": launch,
        "outcome": "measured",
        "message": "timed by do_bench" if launch == "do_bench" else f"{calls} calls in a CUDA graph",
        "samples_ns": ns,
        "statistics": {
            "count": len(ns), "median": median, "min": min(ns), "max": max(ns), "mean": statistics.fmean(ns),
            "p20": p20, "p80": p80,
            "stddev": statistics.pstdev(ns), "noise": 0.0, "drift": 0.0,
        },
        "dispatches_per_sample": calls,
        "flops": flops(p),
        "bytes": least_bytes(p),
        "tflops": flops(p) / median / 1e3,
        "gbps": least_bytes(p) / median,
        "environment": {
            "device": {"name": torch.cuda.get_device_name(), "type": "discrete GPU", "driver": "CUDA " + torch.version.cuda},
            "program_version": "torch " + torch.__version__,
            "time_utc": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        },
    }


def measure(text, backends, graph_alone):
    p = parse(text)
    dtype = getattr(torch, DTYPES[p["dtype"]])
    make = lambda heads, seq, dim: torch.randn(p["b"], heads, seq, dim, device="cuda", dtype=dtype)
    q, k, v = make(p["h"], p["q"], p["d"]), make(p["kv"], p["s"], p["d"]), make(p["kv"], p["s"], p["dv"])
    for name in backends:
        backend = BACKENDS[name]
        # SDPA's own is_causal aligns to the top left.
        mask = causal_lower_right(p["q"], p["s"]) if p["mask"] == "lower right" else None

        def call():
            return torch.nn.functional.scaled_dot_product_attention(
                q, k, v, attn_mask=mask, is_causal=p["mask"] == "square", enable_gqa=p["h"] != p["kv"])
        try:
            if backend is None:
                yield from timed(text, p, name, call, graph_alone)
            else:
                with sdpa_kernel(getattr(SDPBackend, backend)):
                    yield from timed(text, p, name, call, graph_alone)
        except (RuntimeError, torch.OutOfMemoryError) as error:
            print(f"{text:40} torch-{name:10} not available: {str(error).splitlines()[0][:80]}", flush=True)
            torch.cuda.empty_cache()


def timed(text, p, name, call, graph_alone):
    call()
    torch.cuda.synchronize()
    if not graph_alone:
        bench = triton.testing.do_bench(call, warmup=25, rep=100, return_mode="all")
        yield record(text, p, name, "do_bench", bench, 1)
    samples, calls = graph_samples(call)
    yield record(text, p, name, "graph", samples, calls)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("problems", nargs="*")
    arguments.add_argument("--preset", action="append", default=[], metavar="FILE.toml", help="repeatable")
    arguments.add_argument("--backend", action="append", choices=BACKENDS, help="repeatable; default: all")
    arguments.add_argument("--graph", action="store_true", help="inside a CUDA graph alone")
    arguments.add_argument("--list", action="store_true", help="print what would be timed, and how it is read")
    arguments.add_argument("--output")
    options = arguments.parse_args()
    texts = {}
    try:
        for text in options.problems:
            texts[text] = parse(text)
    except NotCovered as error:
        raise SystemExit(str(error))
    for path in options.preset:
        for text in preset_problems(path):
            try:
                texts[text] = parse(text)
            except NotCovered as error:
                print(f"left out: {error}", flush=True)
    if not texts:
        arguments.error("give problems, or a --preset that has some")
    if options.list:
        for text, p in texts.items():
            print(text, *(f"{key}={p[key]}" for key in ("b", "h", "kv", "q", "s", "d", "dv", "dtype", "mask")))
        return
    if not options.output:
        arguments.error("give an --output file")
    if torch is None:
        raise SystemExit(f"torch and triton are needed: {why_no_torch}")
    records = []
    for text in texts:
        for one in measure(text, options.backend or list(BACKENDS), options.graph):
            records.append(one)
            print(f"{text:40} {one['variant']:16} {one['config_name']:9} {one['statistics']['median'] / 1e3:10.1f} us"
                  f" {one['tflops']:8.1f} TFLOP/s {one['gbps']:8.0f} GB/s", flush=True)
    folder = os.path.dirname(os.path.abspath(options.output))
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
        json.dump({"schema": 1, "program": "torch " + torch.__version__, "records": records}, file)
    os.replace(file.name, options.output)


if __name__ == "__main__":
    main()

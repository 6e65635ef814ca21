"""What other programs train many networks with: PyTorch's torch.func.vmap in CUDA graphs, JAX's vmap in a scan, and
processes of PyTorch that share the GPU. Prints a line of JSON for each case: its name, and optimizer steps of all models
per second, or the reason why there are none.

    python3 tests/gpu/stack_references.py vmap|jax|processes DEVICE SECONDS CASES

CASES: JSON, a list of [name, features, hidden, batch, models]. For `processes`, models is their number. Each case
measures for SECONDS. All train networks features-hidden-10 with relu, cross entropy and Adam in float32, and read rows of
a data set on the device in random order, which was drawn before.
"""

import json
import sys
import time

ROWS, CLASSES = 1797, 10
STEPS = 16  # in a graph, and in a scan


def rate_of(run, models, seconds, wait):
    """Optimizer steps per second. `run` trains all models for STEPS steps; `wait` waits until they are done."""
    run()
    wait()
    calls, start = 0, time.perf_counter()
    while True:
        run()
        calls += 1
        if time.perf_counter() - start >= seconds:
            wait()
            return calls * STEPS * models / (time.perf_counter() - start)
        if calls % 16 == 0:
            wait()  # otherwise the queue of the GPU grows


def sizes_of(features, hidden):
    return {"first": (hidden, features), "first_bias": (hidden,), "last": (CLASSES, hidden), "last_bias": (CLASSES,)}


def vmap(device, seconds, features, hidden, batch, models):
    import torch
    from torch.func import grad

    on_gpu = device == "cuda"
    torch.set_num_threads(1)
    rows = torch.randn(ROWS, features, device=device)
    labels = torch.randint(CLASSES, (ROWS,), device=device)
    order = torch.randint(ROWS, (STEPS, models, batch), device=device)
    networks = {name: (0.1 * torch.randn(models, *sizes, device=device)).requires_grad_()
                for name, sizes in sizes_of(features, hidden).items()}
    optimizer = torch.optim.Adam(networks.values(), lr=1e-3, fused=True, capturable=on_gpu)

    def loss(network, inputs, targets):
        values = torch.relu(inputs @ network["first"].T + network["first_bias"])
        return torch.nn.functional.cross_entropy(values @ network["last"].T + network["last_bias"], targets)

    gradients = torch.func.vmap(grad(loss))

    def train():
        for chosen in order:
            detached = {name: values.detach() for name, values in networks.items()}
            found = gradients(detached, rows[chosen], labels[chosen])
            for name, values in networks.items():
                values.grad = found[name]
            optimizer.step()

    if not on_gpu:
        return rate_of(train, models, seconds, lambda: None)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        train()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        train()
    return rate_of(graph.replay, models, seconds, torch.cuda.synchronize)


def jax(device, seconds, features, hidden, batch, models):
    import jax
    import jax.numpy as jnp
    import numpy

    random = numpy.random.default_rng(0)
    jax.config.update("jax_platforms", device)
    rows = jnp.asarray(random.normal(size=(ROWS, features)).astype("f4"))
    labels = jnp.asarray(random.integers(0, CLASSES, ROWS))
    order = jnp.asarray(random.integers(0, ROWS, (STEPS, models, batch)))
    networks = {name: jnp.asarray(0.1 * random.normal(size=(models, *sizes)).astype("f4"))
                for name, sizes in sizes_of(features, hidden).items()}
    zeros = jax.tree_util.tree_map(jnp.zeros_like, networks)

    def loss(network, chosen):
        values = jax.nn.relu(rows[chosen] @ network["first"].T + network["first_bias"])
        outputs = jax.nn.log_softmax(values @ network["last"].T + network["last_bias"])
        return -jnp.take_along_axis(outputs, labels[chosen][:, None], 1).mean()

    gradients = jax.vmap(jax.grad(loss))

    def step(state, chosen):
        networks, first, second, count = state
        found, count = gradients(networks, chosen), count + 1
        first = jax.tree_util.tree_map(lambda mean, new: 0.9 * mean + 0.1 * new, first, found)
        second = jax.tree_util.tree_map(lambda mean, new: 0.999 * mean + 0.001 * new * new, second, found)
        networks = jax.tree_util.tree_map(
            lambda values, one, two: values - 1e-3 / (1 - 0.9**count) * one /
            (jnp.sqrt(two / (1 - 0.999**count)) + 1e-8), networks, first, second)
        return (networks, first, second, count), None

    train = jax.jit(lambda state: jax.lax.scan(step, state, order)[0], donate_argnums=0)
    state = (networks, zeros, jax.tree_util.tree_map(jnp.copy, zeros), jnp.float32(0))

    def run():
        nonlocal state
        state = train(state)

    return rate_of(run, models, seconds, lambda: jax.block_until_ready(state))


def train_alone(device, seconds, cases, barrier, rates):
    """One of several processes: trains one network of each case while the others do so, too."""
    import torch

    torch.set_num_threads(1)
    for _, features, hidden, batch, _ in cases:
        rows = torch.randn(ROWS, features, device=device)
        labels = torch.randint(CLASSES, (ROWS,), device=device)
        order = torch.randint(ROWS, (STEPS, batch), device=device)
        network = torch.nn.Sequential(torch.nn.Linear(features, hidden), torch.nn.ReLU(),
                                      torch.nn.Linear(hidden, CLASSES)).to(device)
        optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

        def train():
            for chosen in order:
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(network(rows[chosen]), labels[chosen]).backward()
                optimizer.step()

        train()
        barrier.wait(120)
        wait = torch.cuda.synchronize if device == "cuda" else lambda: None
        rates.put(rate_of(train, 1, seconds, wait))
        barrier.wait(120)


def processes(device, seconds, cases):
    """The rates of all cases, which have the same number of processes."""
    import multiprocessing

    method = multiprocessing.get_context("spawn")
    count = cases[0][4]
    barrier, rates = method.Barrier(count), method.Queue()
    started = [method.Process(target=train_alone, args=(device, seconds, cases, barrier, rates)) for _ in range(count)]
    for one in started:
        one.start()
    try:
        for name, *_ in cases:
            report(name, sum(rates.get(timeout=180) for _ in range(count)))
        for one in started:
            one.join()
    finally:
        for one in started:
            one.kill()


def report(name, rate):
    print(json.dumps([name, rate]), flush=True)


def main(kind, device, seconds, cases):
    if kind == "processes":
        processes(device, seconds, cases)
        return
    for name, *case in cases:
        try:
            report(name, {"vmap": vmap, "jax": jax}[kind](device, seconds, *case))
        except (RuntimeError, ImportError, MemoryError) as error:
            report(name, f"{type(error).__name__}: {str(error).splitlines()[0]}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), json.loads(sys.argv[4]))

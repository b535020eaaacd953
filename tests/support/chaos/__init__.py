"""A real plane, two schedulers, applications, faults, and tenants who forge whatever they may, by seed.

life      one life: a world, a plan drawn from the seed, its steps, then the settling and the judgement
world     nodes, replicas behind fault proxies, tenants, and what everybody has made
plan      the steps that a seed stands for
spark     applications, and the thread that makes their executors
tenant    a ServiceAccount with the rights of `edit` in one namespace, which remembers what it wrote
misdeeds  what tenants do, to `_texts` of ours and to `_pods`; `forgery` has the texts that they write
troubles  what happens to the schedulers and the API; `_nodes`: to the nodes; `comings`: who comes and goes
settle    the end: all is well again, so everybody has what it declared, and nothing is held for nobody
chronicle what can be read of it afterwards
judge     what must be true of every state that the API server showed
"""

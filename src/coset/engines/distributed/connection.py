"""Opens the cluster at an address."""

from __future__ import annotations

from coset.engines.choices import local_workers
from coset.engines.distributed.cluster import Cluster


def connected(address: str) -> Cluster:
    """The cluster; raises `NoCluster`."""
    from coset.engines.distributed.ray_cluster import RayCluster

    return RayCluster(address, local_workers(address))

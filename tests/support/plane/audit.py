"""What an API server's audit log says of the rights of who asked."""
from typing import Iterable

from ..client.api import Json


def is_forbidden(event: Json) -> bool:
    """For want of a right: admission refuses with the same code, for instance in a namespace that is going."""
    decision = event.get("annotations", {}).get("authorization.k8s.io/decision")
    return decision == "forbid" or (event.get("responseStatus", {}).get("code") == 403 and decision != "allow")


def lacking(events: Iterable[Json]) -> list[tuple[str, str]]:
    """Verb and path of what the scheduler was refused. Its verbs that ask try the scheduler's own Service, and tell who
    may not; the scheduler never does."""
    return sorted({(event["verb"], event["requestURI"]) for event in events
                   if is_forbidden(event) and "/proxy/api/v1/" not in event["requestURI"]})

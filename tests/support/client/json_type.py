"""The type of a JSON object, for every module that handles Kubernetes objects."""
from typing import Any

Json = dict[str, Any]

"""audit - `labeler audit`: how noisy a run's labels are, and what more rollouts would buy.

`sources` says what of a run is audited, `shared` what of two. `counts` and `scan` read it;
`replays` and `disagreement` find what counts alone do not say. The mathematics is labeler/audit;
`show` and `outputs` tell what came out.
"""

from labeler.apps.audit.audits import audit, findings_of
from labeler.apps.audit.how import How
from labeler.apps.audit.outputs import Outputs

__all__ = ["How", "Outputs", "audit", "findings_of"]

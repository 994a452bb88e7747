"""audit - how noisy labels from N rollouts are, and what more rollouts would buy. Pure.

    found = Audit(AuditSettings(pool=pool_size(sizes)))      # auditing, settings
    for chains in batches:                                   # chains; memory does not grow
        found.add(chains)
    findings = found.findings({"name": "pilot"})             # findings
    contrasts = compared(found, another)                     # paired over problems

1. N rollouts of a prefix are drawn without replacement from its pool, the M that the log has
   (`draws`). What follows from single prefixes, pairs or chains is exact; only the rule posterior
   is drawn, on a sample (`posterior_rule`). Rows against the pool end below M: there it would
   judge itself.
2. Intervals are over problems (`estimates`), and nothing depends on batches or their order.
3. The pool is noisy too. What is said against `value` speaks of V itself: reliability and standard
   errors by moments (`marginal`), numbers beyond the pool by a mixture (`mixture`).
4. What cannot be said is None or has no row, and a caution says why (`cautions`).

Measures, by module:

    marginal        hard_wrong (of all steps), hard_false_good (of wrong ones, those labelled good;
                    against truth alone, as a pool without a correct rollout has no draw with one),
                    hard_false_bad (of correct ones, those labelled bad); soft_bias, soft_se,
                    soft_rmse, soft_reliability, soft_correlation, zero_share, label_soft
    location        located_exact, located_early, located_late of the rules first_zero, bisection
    posterior_rule  the same of the rule posterior, and located_undecided
    ranks           rank_inversion, rank_tie
    progress        progress_sign
    shape           profile, rises, trace_error
    calibration     calibration, calibration_said

`causes` says why labels go wrong, `advice` how many rollouts and which policy reach a stated error.
"""

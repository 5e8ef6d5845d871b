import type { QuotaUse, RequestQuotas } from './request-quota.rules.ts';
import type { KnownSupplier } from './supplier-directory.store.ts';

/** Interval of the statements of a process while requests with a quota arrive. */
const EVERY_MS = 250;
/** Rounds without requests after which a supplier's count is no longer read. */
const QUIET_ROUNDS = 8;

interface SharedCount {
  /** The count of all processes; undefined before the first read. */
  total: number | undefined;
  quiet: number;
}

/**
 * Makes the request quotas count over all processes: a few times a second, each process adds its requests to a common count and charges
 * what the others have added. No request waits for it. A process knows the others' requests a quarter of a second late, so a supplier can
 * exceed its quota for that time; it then waits until the excess is worked off.
 * @param count adds to counts that restart now and then, and returns them
 * @param later runs the next round
 * @returns a function that charges a request, see `RequestQuotas`
 */
export function shareRequestQuotas(
  quotas: RequestQuotas,
  count: (codes: readonly string[], requests: readonly number[]) => Promise<readonly number[]>,
  later: (round: () => Promise<void>) => void = (round) => setTimeout(() => void round(), EVERY_MS).unref(),
): (suppliers: readonly KnownSupplier[]) => QuotaUse | undefined {
  const shared = new Map<string, SharedCount>();
  let isScheduled = false;
  const exchange = async (): Promise<void> => {
    const uses = quotas.takeUses();
    for (const code of uses.keys()) if (!shared.has(code)) shared.set(code, { total: undefined, quiet: 0 });
    for (const [code, one] of shared) {
      one.quiet = uses.has(code) ? 0 : one.quiet + 1;
      if (one.quiet > QUIET_ROUNDS) shared.delete(code);
    }
    const codes = [...shared.keys()];
    if (codes.length > 0) {
      const own = codes.map((code) => uses.get(code) ?? 0);
      const totals = await count(codes, own);
      for (const [index, code] of codes.entries()) {
        const [one, total] = [shared.get(code)!, totals[index]!];
        // After a restart of the count, all of it is new.
        const before = one.total === undefined ? total - own[index]! : total < one.total ? 0 : one.total;
        quotas.chargeOthers(code, Math.max(0, total - before - own[index]!));
        one.total = total;
      }
    }
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    later(async () => {
      // If the database is unavailable, each process counts alone.
      await exchange().catch(() => {});
      isScheduled = false;
      if (shared.size > 0) schedule();
    });
  };
  return (suppliers) => {
    const use = quotas.use(suppliers);
    if (use !== undefined) schedule();
    return use;
  };
}

import type { EntityManager } from '@mikro-orm/postgresql';
import type { NotQueriedReason } from '../vocabulary/reconciliation.ts';
import type { PaymentVendor } from '../vocabulary/value-sets.ts';
import { countAnswer, endVendor, kindOfAnswer, type VendorOutcome } from './queried-instructions.rules.ts';
import { listDifferences, type SubjectDifference } from './difference.store.ts';
import { findPathsInForce, type InstructionInForce } from './instructions-in-force.store.ts';
import { lockReconciliation } from './reconciliation.store.ts';
import type { Tally, VendorProgress } from './tally.rules.ts';

/** The first cursor of a vendor. */
const BEGINNING: VendorProgress['after'] = ['', -1];

/** The cursor after which a vendor is queried next. */
export function cursorOf({ progress }: Tally, vendor: PaymentVendor): VendorProgress['after'] {
  return progress[vendor]?.after ?? BEGINNING;
}

/** The responses of a vendor for one page. */
export interface AnsweredPage {
  vendor: PaymentVendor;
  /** The cursor at the start of the page. */
  before: VendorProgress['after'];
  asked: readonly (InstructionInForce & { outcome: VendorOutcome })[];
  progress: Omit<VendorProgress, 'hasEnded'>;
  /** Set when the vendor is not queried further: the reason for the remaining instructions, or `all` if none remain. */
  ends: NotQueriedReason | 'all' | undefined;
}

/**
 * Stores the responses of a vendor. If two workers query the same page concurrently, only one is counted.
 * @returns `locked` if another worker stores a page; undefined if the reconciliation does not exist or has ended
 */
export async function storeAnswers(
  em: EntityManager,
  id: string,
  { vendor, before, asked, progress, ends }: AnsweredPage,
): Promise<true | 'locked' | undefined> {
  const record = await lockReconciliation(em, id);
  if (record === undefined) return 'locked';
  if (record.status !== 'RUNNING') return undefined;
  const { tally } = record;
  const [account, position] = cursorOf(tally, vendor);
  if (account !== before[0] || position !== before[1] || tally.progress[vendor]?.hasEnded) return 'locked';
  const unlike = asked.filter(({ outcome }) => outcome.kind === 'different');
  const paths = await findPathsInForce(em, unlike);
  const differences: SubjectDifference[] = [];
  for (const instruction of asked) {
    const { key, outcome } = instruction;
    if (outcome.kind === 'different') {
      const path = paths.get(unlike.indexOf(instruction));
      // The instruction was replaced during the query.
      if (path === undefined) continue;
      const kind = kindOfAnswer(outcome.answer);
      const row = { table: 'payment_instruction', column: null, reason: null };
      differences.push({ subject: 'payment_instruction', key, path, kind, ...row, vendorAnswer: outcome.answer });
      tally.differences[kind] += 1;
    }
    countAnswer(tally, vendor, outcome);
  }
  tally.progress[vendor] = progress;
  if (ends !== undefined) endVendor(tally, vendor, ends === 'all' ? undefined : ends);
  await listDifferences(em, record, differences);
  return true;
}

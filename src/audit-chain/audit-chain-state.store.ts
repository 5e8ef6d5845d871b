import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { MeasuredAuditChain } from '../platform/metrics/observed-metrics.ts';
import { documentOf, type StoredAnchor } from './anchor.rules.ts';
import { findLastAnchor } from './audit-anchor.store.ts';
import type { AuditChainTables } from './audit-chain.entity.ts';
import type { AuditAnchorView, AuditChainView } from './audit-chain.schema.ts';
import { findLastVerification } from './verify-audit.store.ts';
import { IS_UNSEALED } from './seal-audit.store.ts';

/** Reads the state of the chain, with the last anchor and the last verification. */
export async function readAuditChain(on: Queryable): Promise<AuditChainView> {
  const { number, hash, entries, sealedAt, signature, unsealedSince } = await kyselyOf<AuditChainTables>(on)
    .selectFrom('audit_chain as c')
    .leftJoin('audit_block as b', 'b.number', 'c.number')
    .select([
      'c.number',
      'c.hash',
      'c.entries',
      'c.sealed_at as sealedAt',
      'b.signature',
      ({ selectFrom }) =>
        selectFrom('audit_entry as e').select('e.at').where(IS_UNSEALED).orderBy('e.xid').limit(1).as('unsealedSince'),
    ])
    .executeTakeFirstOrThrow();
  const anchor = await findLastAnchor(on);
  return {
    last_block: Number(number),
    hash: hash.toString('hex'),
    entries: Number(entries),
    sealed_at: sealedAt?.toISOString() ?? null,
    unsealed_since: unsealedSince?.toISOString() ?? null,
    is_signed: signature !== null,
    last_anchor: anchor === undefined ? null : viewOfAnchor(anchor),
    last_verification: (await findLastVerification(on)) ?? null,
  };
}

/** Reads the state of the chain for metrics. */
export async function measureAuditChain(on: Queryable): Promise<MeasuredAuditChain> {
  const { last_block: blocks, unsealed_since: since, last_verification: last } = await readAuditChain(on);
  return {
    blocks,
    unsealedSince: since === null ? null : new Date(since),
    verification: last && { findings: last.finding_count, startedAt: new Date(last.started_at) },
  };
}

/** An anchor as operators see it. */
export function viewOfAnchor(anchor: StoredAnchor): AuditAnchorView {
  const { type: _type, ...members } = documentOf(anchor);
  return { ...members, jws: anchor.jws };
}

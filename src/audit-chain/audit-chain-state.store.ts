import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { MeasuredAuditChain } from '../platform/metrics/observed-metrics.ts';
import { documentOf, type StoredAnchor } from './anchor.rules.ts';
import { listAnchors } from './audit-anchor.store.ts';
import type { AuditAnchorView, AuditChainView } from './audit-chain.schema.ts';
import { findLastVerification } from './audit-verification.store.ts';
import { isUnsealedSql } from './seal-audit.store.ts';

const STATE: PreparedQuery = {
  name: 'audit-chain-state',
  text: `
    select c.number, c.hash, c.entries, c.sealed_at as "sealedAt", b.signature is not null as "isSigned",
      (select at from audit_entry e where ${isUnsealedSql} order by e.xid limit 1) as "unsealedSince", (select max(day)::text from audit_anchor) as "lastDay"
    from audit_chain c left join audit_block b on b.number = c.number`,
};

interface StateRow extends Record<string, unknown> {
  number: string;
  hash: Buffer;
  entries: string;
  sealedAt: Date | null;
  isSigned: boolean;
  unsealedSince: Date | null;
  lastDay: string | null;
}

/** Reads the state of the chain, with the last anchor and the last verification. */
export async function readAuditChain(on: Queryable): Promise<AuditChainView> {
  const [state] = await run<StateRow>(on, STATE, []);
  const { number, hash, entries, sealedAt, isSigned, unsealedSince, lastDay } = state!;
  const [anchor] = lastDay === null ? [] : await listAnchors(on, lastDay, 1);
  return {
    last_block: Number(number),
    hash: hash.toString('hex'),
    entries: Number(entries),
    sealed_at: sealedAt?.toISOString() ?? null,
    unsealed_since: unsealedSince?.toISOString() ?? null,
    is_signed: isSigned,
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

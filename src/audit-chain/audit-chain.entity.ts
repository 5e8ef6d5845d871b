import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { AuditEntry } from '../access/audit/audit-entry.entity.ts';
import type { AuditFinding } from './audit-chain.schema.ts';

/** Audit entries that were committed since the previous block, chained by hash. */
export const AuditBlock = defineEntity({
  name: 'AuditBlock',
  tableName: 'audit_block',
  properties: {
    number: p.bigint('string').primary(),
    day: p.date(),
    sealedAt: p.datetime(),
    previous: p.blob().$type<Buffer>(),
    entries: p.integer(),
    ids: p.array().columnType('uuid[]'),
    firstId: p.uuid(),
    lastId: p.uuid(),
    digests: p.blob().$type<Buffer>(),
    hash: p.blob().$type<Buffer>(),
    keyId: p.text().nullable(),
    signature: p.blob().$type<Buffer>().nullable(),
  },
});

/** The blocks of a day, with the hash of the last one. */
export const AuditAnchor = defineEntity({
  name: 'AuditAnchor',
  tableName: 'audit_anchor',
  properties: {
    day: p.date().primary(),
    firstBlock: p.bigint('string'),
    lastBlock: p.bigint('string'),
    entries: p.bigint('string'),
    startHash: p.blob().$type<Buffer>(),
    hash: p.blob().$type<Buffer>(),
    jws: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** The end of the chain; one row. */
export const AuditChain = defineEntity({
  name: 'AuditChain',
  tableName: 'audit_chain',
  properties: {
    name: p.text().primary(),
    number: p.bigint('string'),
    hash: p.blob().$type<Buffer>(),
    entries: p.bigint('string'),
    sealedAt: p.datetime().nullable(),
    snapshot: p.text().columnType('pg_snapshot'),
    pending: p.text().columnType('pg_snapshot').nullable(),
    pendingXid: p.text().columnType('xid8').nullable(),
    pendingId: p.uuid().nullable(),
    origin: p.text(),
  },
});

/** A comparison of the audit with its chain, and its progress. */
export const AuditVerification = defineEntity({
  name: 'AuditVerification',
  tableName: 'audit_verification',
  properties: {
    id: p.uuid().primary(),
    startedBy: p.text(),
    startedAt: p.datetime().defaultRaw('now()'),
    completedAt: p.datetime().nullable(),
    phase: p.text().$type<VerificationPhase>().default('anchors'),
    position: p.text().default(''),
    blocks: p.bigint('string').default('0'),
    entries: p.bigint('string').default('0'),
    unsignedBlocks: p.bigint('string').default('0'),
    findings: p.bigint('string').default('0'),
    examples: p.json<AuditFinding[]>(),
  },
});
export type AuditVerification = InferEntity<typeof AuditVerification>;

/** The tables of the chain, and the audit. */
export type AuditChainTables = InferKyselyDB<
  typeof AuditBlock | typeof AuditAnchor | typeof AuditChain | typeof AuditEntry
>;
export type AuditAnchorTable = InferKyselyDB<typeof AuditAnchor, { columnNamingStrategy: 'property' }>;

/** Anchors, then blocks with their entries, then entries that are in no block. */
export type VerificationPhase = 'anchors' | 'blocks' | 'entries';

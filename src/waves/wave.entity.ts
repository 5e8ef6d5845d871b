import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { Selectable } from 'kysely';
import type { WavePauseReason, WaveStatus } from '../vocabulary/waves.ts';
import type { WaveCounts } from './gate.rules.ts';
import type { PlannedWave, WaveOptions } from './wave.schema.ts';

/** A wave of an import supplier: its plan, and what people and its run have decided. */
export const Wave = defineEntity({
  name: 'Wave',
  tableName: 'wave',
  properties: {
    id: p.uuid().primary(),
    importSupplier: p.text(),
    organisation: p.text(),
    apiKeyId: p.uuid(),
    name: p.text(),
    operationsTeam: p.text(),
    createFrom: p.datetime().nullable(),
    createUntil: p.datetime().nullable(),
    supplyStartFrom: p.date().nullable(),
    supplyStartTo: p.date().nullable(),
    expectedAccounts: p.integer().nullable(),
    options: p.json<WaveOptions>(),
    planRevision: p.integer().default(1),
    status: p.text().$type<WaveStatus>(),
    pausedBecause: p.text().$type<WavePauseReason>().nullable(),
    creationJobId: p.uuid().nullable(),
    rehearsalJobId: p.uuid().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    creationRequestedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    signedOffBy: p.text().nullable(),
    signOffReason: p.text().nullable(),
    counts: p.json<WaveCounts>().nullable(),
    countedAt: p.datetime().nullable(),
  },
});

/** An account that belongs to a wave. */
export const WaveAccount = defineEntity({
  name: 'WaveAccount',
  tableName: 'wave_account',
  properties: {
    importProcessId: p.uuid().primary(),
    waveId: p.uuid(),
    addedAt: p.datetime().defaultRaw('now()'),
    rehearsedRevision: p.integer().nullable(),
    approvedRevision: p.integer().nullable(),
    firstSupplyStart: p.date().nullable(),
    switchRequestOn: p.date().nullable(),
  },
});

/** A record that a wave leaves out. */
export const WaveExclusion = defineEntity({
  name: 'WaveExclusion',
  tableName: 'wave_exclusion',
  properties: {
    waveId: p.uuid().primary(),
    /** An external account number, or `import-jobs/<id>/lines/<line>`. */
    record: p.text().primary(),
    reason: p.text(),
    excludedBy: p.text(),
    excludedAt: p.datetime().defaultRaw('now()'),
  },
});

/** A requested approval, with its decision. */
export const WaveApproval = defineEntity({
  name: 'WaveApproval',
  tableName: 'wave_approval',
  properties: {
    id: p.uuid().primary(),
    waveId: p.uuid(),
    purpose: p.text().$type<'creation' | 'withdrawal'>(),
    requestedBy: p.text(),
    /** Permanent identity: `api-keys/<id>`, or issuer and subject of a person. */
    requestedById: p.text(),
    requestedAt: p.datetime().defaultRaw('now()'),
    requestReason: p.text(),
    contentHash: p.blob().$type<Buffer>(),
    members: p.integer(),
    rehearsalJobId: p.uuid().nullable(),
    planned: p.json<PlannedWave>(),
    planRevision: p.integer(),
    decidedBy: p.text().nullable(),
    decidedById: p.text().nullable(),
    decidedAt: p.datetime().nullable(),
    decision: p.text().$type<'approved' | 'declined'>().nullable(),
    decisionReason: p.text().nullable(),
  },
});

type Schemas = typeof Wave | typeof WaveAccount | typeof WaveExclusion | typeof WaveApproval;

/** The tables of waves, with the names of properties or of columns. */
export type WaveTables = InferKyselyDB<Schemas, { columnNamingStrategy: 'property' }>;
export type WaveColumns = InferKyselyDB<Schemas>;

/** A wave as it is stored. */
export type WaveRecord = Selectable<WaveTables['wave']>;
/** An approval as it is stored. */
export type ApprovalRecord = Selectable<WaveTables['wave_approval']>;

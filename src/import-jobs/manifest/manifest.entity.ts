import { defineEntity, p } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { Selectable } from 'kysely';
import type { Manifest as ManifestBody, ManifestKinds, TotalDifference } from './manifest-state.rules.ts';

/** What a job, or all jobs of a wave, are expected to contain by the supplier's own count. */
export const Manifest = defineEntity({
  name: 'Manifest',
  tableName: 'manifest',
  properties: {
    id: p.uuid().primary(),
    importJobId: p.uuid().nullable(),
    waveId: p.uuid().nullable(),
    body: p.json<ManifestBody>(),
    /** Of the body as canonical JSON. */
    sha256: p.text(),
    receivedAt: p.datetime().defaultRaw('now()'),
    /** The differences that an operator accepted. */
    acceptedDifferences: p.json<TotalDifference[]>().nullable(),
    acceptedBy: p.text().nullable(),
    acceptedReason: p.text().nullable(),
    acceptedAt: p.datetime().nullable(),
  },
});

/** The totals of the records of a job. */
export const ImportJobTotals = defineEntity({
  name: 'ImportJobTotals',
  tableName: 'import_job_totals',
  properties: {
    jobId: p.uuid().primary(),
    /** The last page whose records are in `received`. */
    countedPage: p.integer().default(0),
    counted: p.integer().default(0),
    /** Of all records, before a job imports them; null until they are counted. */
    received: p.json<ManifestKinds>().nullable(),
    /** Of the records that were accepted so far. */
    accepted: p.json<ManifestKinds>().nullable(),
  },
});

/** The tables of manifests, with the names of properties. */
export type ManifestTables = InferKyselyDB<
  typeof Manifest | typeof ImportJobTotals,
  { columnNamingStrategy: 'property' }
>;
/** A manifest as it is stored. */
export type ManifestRecord = Selectable<ManifestTables['manifest']>;

import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { BulkActionKind, BulkActionStatus, BulkOutcome } from '../vocabulary/bulk-actions.ts';
import type { BulkParameters, StoredFilter } from './bulk-action.schema.ts';

/** A change of all stuck work that matches a filter. */
export const BulkAction = defineEntity({
  name: 'BulkAction',
  tableName: 'bulk_action',
  properties: {
    id: p.uuid().primary(),
    action: p.text().$type<BulkActionKind>(),
    filter: p.json<StoredFilter>(),
    parameters: p.json<BulkParameters>(),
    requestedBy: p.text(),
    reason: p.text(),
    status: p.text().$type<BulkActionStatus>().default('RUNNING'),
    /** Items at the start. */
    matched: p.integer(),
    handled: p.integer().default(0),
    outcomes: p.json<Partial<Record<BulkOutcome, number>>>().defaultRaw(`'{}'::jsonb`),
    /** The source that is worked off, and its last handled item. */
    source: p.integer().default(0),
    since: p.text().nullable(),
    item: p.text().nullable(),
    /** When the page after that item was begun; attempts since then are not repeated. */
    pageBeganAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    endedAt: p.datetime().nullable(),
    /** When the outcomes of its items were deleted. */
    resultsDeletedAt: p.datetime().nullable(),
  },
});
export type BulkAction = InferEntity<typeof BulkAction>;

/** An item of a bulk action with its outcome. */
export const BulkActionItem = defineEntity({
  name: 'BulkActionItem',
  tableName: 'bulk_action_item',
  properties: {
    bulkActionId: p.uuid().primary(),
    position: p.integer().primary(),
    item: p.text(),
    importSupplier: p.text().nullable(),
    externalAccountNumber: p.text().nullable(),
    outcome: p.text().$type<BulkOutcome>(),
    code: p.text().nullable(),
    handledAt: p.datetime().defaultRaw('now()'),
  },
});

export type BulkActionTables = InferKyselyDB<typeof BulkAction | typeof BulkActionItem>;

import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { RunKind } from '../../../temporal.config.ts';

/** Kinds of work items, each with a workflow. */
export type WorkKind = Exclude<RunKind, 'create-accounts'>;

export type WorkState = 'signalled' | 'unreachable' | 'silent';

const p = defineEntity.properties;

const WorkItemSchema = defineEntity({
  name: 'WorkItem',
  tableName: 'work_item',
  properties: {
    workflowId: p.text().primary(),
    kind: p.text().$type<WorkKind>(),
    input: p.json<unknown>(),
    startAt: p.datetime(),
    createdAt: p.datetime(),
    state: p.text().$type<WorkState>().nullable(),
    runsAlone: p.boolean().default(false),
    tries: p.integer().default(0),
    heldUntil: p.datetime().nullable(),
    stepScheduledAt: p.datetime().nullable(),
    traceparent: p.text().nullable(),
    cause: p.text().nullable(),
    party: p.text().nullable(),
    failure: p.text().nullable(),
    failingSince: p.datetime().nullable(),
  },
});

/** Work that a committed state requires and that is not complete. The dispatcher starts it if Temporal has no run. */
export class WorkItem extends WorkItemSchema.class {}
WorkItemSchema.setClass(WorkItem);

export type WorkItemTable = InferKyselyDB<typeof WorkItemSchema>;

import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const UnfinishedWorkSchema = defineEntity({
  name: 'UnfinishedWork',
  tableName: 'unfinished_work',
  properties: {
    workflowId: p.text().name('workflow_id').primary(),
    kind: p.text().name('kind'),
    input: p.json<Record<string, unknown>>().name('input'),
    startAt: p.datetime().name('start_at'),
    createdAt: p.datetime().name('created_at'),
    state: p.text().name('state').nullable(),
    stepScheduledAt: p.datetime().name('step_scheduled_at').nullable(),
  },
});

/** Work that a committed state still owes; the dispatcher starts it when Temporal does not know it. */
export class UnfinishedWork extends UnfinishedWorkSchema.class {}
UnfinishedWorkSchema.setClass(UnfinishedWork);

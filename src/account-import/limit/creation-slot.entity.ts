import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const CreationSlotSchema = defineEntity({
  name: 'CreationSlot',
  tableName: 'creation_slot',
  properties: {
    creationId: p.uuid().name('creation_id').primary(),
    importProcessId: p.uuid().name('import_process_id').nullable(),
    workflowId: p.text().name('workflow_id').nullable(),
    takenAt: p.datetime().name('taken_at').defaultRaw('now()'),
  },
});

/** A creation under way while the concurrency limit is on; deleted by the transaction that creates or refuses. */
export class CreationSlot extends CreationSlotSchema.class {}
CreationSlotSchema.setClass(CreationSlot);

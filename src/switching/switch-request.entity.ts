import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const SwitchRequestSchema = defineEntity({
  name: 'SwitchRequest',
  tableName: 'switch_request',
  properties: {
    requestId: p.uuid().primary(),
    accountId: p.uuid(),
    pointPosition: p.integer(),
    round: p.integer(),
    requestedAt: p.datetime(),
    answeredAt: p.datetime().nullable(),
    answer: p.text().nullable(),
  },
});

/** A request to the network operator to switch one point; one per round. */
export class SwitchRequest extends SwitchRequestSchema.class {}
SwitchRequestSchema.setClass(SwitchRequest);

/** The table as Kysely knows it. */
export type SwitchRequestTable = InferKyselyDB<typeof SwitchRequestSchema>;

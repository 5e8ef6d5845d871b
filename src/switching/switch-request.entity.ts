import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { KEPT } from '../platform/database/personal-columns.ts';

const p = defineEntity.properties;

const SwitchRequestSchema = defineEntity({
  name: 'SwitchRequest',
  tableName: 'switch_request',
  properties: {
    requestId: p.uuid().primary().comment(KEPT),
    accountId: p.uuid().comment(KEPT),
    pointPosition: p.integer().comment(KEPT),
    round: p.integer().comment(KEPT),
    requestedAt: p.datetime().comment(KEPT),
    answeredAt: p.datetime().nullable().comment(KEPT),
    answer: p.text().nullable().comment(KEPT),
  },
});

/** A request to the network operator to switch one point; one per round. */
export class SwitchRequest extends SwitchRequestSchema.class {}
SwitchRequestSchema.setClass(SwitchRequest);

/** The table as Kysely knows it. */
export type SwitchRequestTable = InferKyselyDB<typeof SwitchRequestSchema>;

import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A value that operators set at run time, unlike the settings of a process (settings.ts). */
export const OperatorSetting = defineEntity({
  name: 'OperatorSetting',
  tableName: 'setting',
  properties: {
    name: p.text().primary(),
    value: p.json<Record<string, unknown>>(),
    reason: p.text().nullable(),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});
export type OperatorSetting = InferEntity<typeof OperatorSetting>;

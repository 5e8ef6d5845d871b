import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const OperatorSettingSchema = defineEntity({
  name: 'OperatorSetting',
  tableName: 'setting',
  properties: {
    name: p.text().primary(),
    value: p.json<Record<string, unknown>>(),
    reason: p.text().nullable(),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** What operators set at run time; not to be taken for the settings of a process (settings.ts). */
export class OperatorSetting extends OperatorSettingSchema.class {}
OperatorSettingSchema.setClass(OperatorSetting);

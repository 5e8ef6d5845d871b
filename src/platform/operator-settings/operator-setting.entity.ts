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

/** A value that operators set at run time, unlike the settings of a process (settings.ts). */
export class OperatorSetting extends OperatorSettingSchema.class {}
OperatorSettingSchema.setClass(OperatorSetting);

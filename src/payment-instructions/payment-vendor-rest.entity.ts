import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const PaymentVendorRestSchema = defineEntity({
  name: 'PaymentVendorRest',
  tableName: 'payment_vendor_rest',
  properties: { vendor: p.text().primary(), endsAt: p.datetime() },
});

/** A payment vendor that failed several times in a row is not asked before this time; told by the worker that was refused. */
export class PaymentVendorRest extends PaymentVendorRestSchema.class {}
PaymentVendorRestSchema.setClass(PaymentVendorRest);

/** The table as Kysely knows it. */
export type PaymentVendorRestTable = InferKyselyDB<typeof PaymentVendorRestSchema>;

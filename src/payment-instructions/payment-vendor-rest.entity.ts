import { defineEntity } from '@mikro-orm/core';
import type { InferKyselyDB } from '@mikro-orm/postgresql';

const p = defineEntity.properties;

const PaymentVendorRestSchema = defineEntity({
  name: 'PaymentVendorRest',
  tableName: 'payment_vendor_rest',
  properties: { vendor: p.text().primary(), endsAt: p.datetime() },
});

/** A payment vendor whose circuit breaker is open until a time, shared by the processes. */
export class PaymentVendorRest extends PaymentVendorRestSchema.class {}
PaymentVendorRestSchema.setClass(PaymentVendorRest);

/** The table as Kysely knows it. */
export type PaymentVendorRestTable = InferKyselyDB<typeof PaymentVendorRestSchema>;

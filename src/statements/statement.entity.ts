import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const StatementSchema = defineEntity({
  name: 'Statement',
  tableName: 'statement',
  properties: {
    accountId: p.uuid().primary(),
    position: p.integer().primary(),
    statementId: p.text(),
    billPeriodFromDate: p.date(),
    billPeriodToDate: p.date(),
    statementPath: p.text().nullable(),
    documentRoot: p.text().nullable(),
    issuedDate: p.date().nullable(),
    number: p.text().nullable(),
    grossAmount: p.decimal('string').nullable(),
    createdAt: p.datetime(),
    /** Of the values that were accepted, where it came by itself. */
    acceptedHashes: p.blob().nullable(),
  },
});

/** A statement of the account; both ends of its period are inclusive. */
export class Statement extends StatementSchema.class {}
StatementSchema.setClass(Statement);

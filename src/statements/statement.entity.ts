import { defineEntity } from '@mikro-orm/core';

const p = defineEntity.properties;

const StatementSchema = defineEntity({
  name: 'Statement',
  tableName: 'statement',
  properties: {
    accountId: p.uuid().name('account_id').primary(),
    position: p.integer().name('position').primary(),
    statementId: p.text().name('statement_id'),
    billPeriodFromDate: p.date().name('bill_period_from_date'),
    billPeriodToDate: p.date().name('bill_period_to_date'),
    statementPath: p.text().name('statement_path').nullable(),
    documentRoot: p.text().name('document_root').nullable(),
    issuedDate: p.date().name('issued_date').nullable(),
    number: p.text().name('number').nullable(),
    grossAmount: p.decimal('string').name('gross_amount').nullable(),
    createdAt: p.datetime().name('created_at'),
  },
});

/** A statement of the account; both ends of its period are inclusive. */
export class Statement extends StatementSchema.class {}
StatementSchema.setClass(Statement);

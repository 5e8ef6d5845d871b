import { defineEntity, p } from '@mikro-orm/core';
import { KEPT, PERSONAL } from '../platform/database/personal-columns.ts';

/** A statement of the account; both ends of its period are inclusive. */
export const Statement = defineEntity({
  name: 'Statement',
  tableName: 'statement',
  properties: {
    accountId: p.uuid().primary().comment(KEPT),
    position: p.integer().primary().comment(KEPT),
    statementId: p.text().comment(KEPT),
    billPeriodFromDate: p.date().comment(KEPT),
    billPeriodToDate: p.date().comment(KEPT),
    statementPath: p.text().nullable().comment(PERSONAL),
    documentRoot: p.text().nullable().comment(KEPT),
    issuedDate: p.date().nullable().comment(KEPT),
    number: p.text().nullable().comment(KEPT),
    grossAmount: p.decimal('string').nullable().comment(KEPT),
    createdAt: p.datetime().comment(KEPT),
    /** Hashes of the accepted values, for statements that were sent in their own request. */
    acceptedHashes: p.blob().nullable().comment(PERSONAL),
    /** The job whose line added it. */
    importJobId: p.uuid().nullable().comment(KEPT),
  },
});

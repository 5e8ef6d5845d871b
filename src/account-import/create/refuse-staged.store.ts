import { writeEventsSql } from '../../events/index.ts';

/**
 * SQL that stores on staged accounts why they are not created, and writes an event only if the reason has changed.
 * @param which condition on `import_process`
 * @param refusal the parameter with the refusal, which has a `code`
 */
export const refuseStagedSql = (which: string, refusal: string): string => `
    with refused as (
      update import_process set refusal = ${refusal}::jsonb || jsonb_build_object('at', now()) where ${which}
      returning import_supplier, external_account_number, old.refusal ->> 'code' as previous_code)
    ${writeEventsSql(`
    select import_supplier, null, 'import.account.refused.v1', 'accounts/' || external_account_number,
      jsonb_build_object('external_account_number', external_account_number, 'code', ${refusal}::jsonb ->> 'code') from refused
    where previous_code is distinct from ${refusal}::jsonb ->> 'code'`)}`;

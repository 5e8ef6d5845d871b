import { Readable } from 'node:stream';
import { recordAudit } from '../../access/index.ts';
import { accountKeySchema, type AccountKey } from '../../accounts/account-key.schema.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { findPerson, type Person } from '../erase/erase-person.store.ts';
import { exportPerson } from './export-person.store.ts';
import { findPersonExportOpenApi } from './person-exports.openapi.ts';

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

interface ExportDeps {
  /** Of the list pool: it reads many tables. */
  lists: Database;
  clock: Clock;
}

/** `GET exports/<supplier>/<external>/`: all that is stored of a person. Each leaves a line in the audit. */
export const findPersonExport = (deps: ExportDeps): Route => ({
  method: 'GET',
  path: '/v1/operations/exports/:supplier/:external',
  access: 'operator',
  action: 'person.export',
  openApi: findPersonExportOpenApi,
  handle: (request) => answer(deps, request),
});

async function answer({ lists, clock }: ExportDeps, request: AuthenticatedRequest): Promise<Reply | Refused> {
  const { params, query, caller } = request;
  const key = checkKey({ import_supplier: params['supplier'], external_account_number: params['external'] });
  const place = query.get('customer');
  if (place !== null && !/^\d{1,6}$/.test(place)) {
    return refuse('validation_failed', {
      violations: [violation('invalid', ['customer'], 'The place of a customer is expected, from 0.')],
    });
  }
  if (isRefused(key)) return unknownProcess();
  const person: Person = {
    importSupplier: key.import_supplier,
    externalAccountNumber: key.external_account_number,
    customer: place === null ? null : Number(place),
  };
  const json = await lists.transaction(async (em) => {
    await em.execute('set transaction isolation level repeatable read');
    const found = await findPerson(em, person);
    if (found === undefined) return undefined;
    await recordAudit(em, caller, {
      action: 'person.exported',
      subject: `accounts/${person.importSupplier}/${person.externalAccountNumber}`,
    });
    return exportPerson(em, found, person);
  });
  if (json === undefined) return unknownProcess();
  const head = JSON.stringify({
    import_supplier: person.importSupplier,
    external_account_number: person.externalAccountNumber,
    customer: person.customer,
    exported_at: clock.now().toISOString(),
  });
  return { status: 200, body: Readable.from([`${head.slice(0, -1)},"tables":${json}}`]) };
}

function unknownProcess(): Refused {
  return refuse('not_found', { detail: 'There is no import process for this import supplier and account number.' });
}

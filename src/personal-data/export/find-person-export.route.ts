import { recordAudit, type Actor } from '../../access/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { findPerson } from '../erase/erase-person.store.ts';
import { personIn, unknownPerson, type SentPerson } from '../erase/sent-person.validation.ts';
import { exportPerson } from './export-person.store.ts';
import { findPersonExportOpenApi } from './person-exports.openapi.ts';

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
  isLong: true,
  openApi: findPersonExportOpenApi,
  handle: async ({ params, query, caller }) => {
    const key = { import_supplier: params['supplier'], external_account_number: params['external'] };
    const json = await exportAudited(deps, caller, { ...key, customer: query.get('customer') });
    return typeof json === 'string' ? { status: 200, body: undefined, bodyJson: json } : json;
  },
});

/**
 * All that is stored of a person, as JSON, with a row of the audit.
 * @returns a text; a refusal where there is nobody, or of a place that is none
 */
export async function exportAudited(
  { lists, clock }: ExportDeps,
  actor: Actor,
  sent: SentPerson,
): Promise<string | Refused> {
  const person = personIn(sent);
  if (isRefused(person)) return person;
  const json = await lists.transaction(async (em) => {
    await em.execute('set transaction isolation level repeatable read');
    const found = await findPerson(em, person);
    if (found === undefined) return undefined;
    await recordAudit(em, actor, {
      action: 'person.exported',
      subject: `accounts/${person.importSupplier}/${person.externalAccountNumber}`,
    });
    return exportPerson(em, found, person);
  });
  if (json === undefined) return unknownPerson();
  const head = JSON.stringify({
    import_supplier: person.importSupplier,
    external_account_number: person.externalAccountNumber,
    customer: person.customer,
    exported_at: clock.now().toISOString(),
  });
  return `${head.slice(0, -1)},"tables":${json}}`;
}

import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { type Actor, recordAudit } from '../../access/index.ts';
import { accountKeyPath } from '../../accounts/account-key.schema.ts';
import { personalData } from '../catalogue.rules.ts';
import { customerParameter, type SentPerson, personIn, unknownPerson } from '../erase/create-erasure.route.ts';
import { type FoundPerson, type Person, findPerson, whoIs } from '../erase/erase-person.store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { kyselyOf } from '../../platform/database/prepared-query.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import type { Route } from '../../platform/http/route.ts';
import { answeredInteger, opaqueObject, requiredInstant } from '../../platform/validation/field-types.schema.ts';
import { type Refused, isRefused } from '../../vocabulary/refusals.ts';

interface ExportDeps {
  /** Database of the list pool, because an export reads many tables. */
  lists: Database;
  clock: Clock;
}

const openApi: RouteOpenApi = {
  operationId: 'findPersonExport',
  page: 'docs/operators/personal-data.md',
  summary: 'Export all stored data of a person',
  description: 'The rows of the account in every table, with all columns. Each export is audited.',
  path: accountKeyPath,
  query: {
    customer: {
      ...customerParameter,
      description: 'Index of the person among the customers of the account, from 0. The other customers are omitted.',
    },
  },
  replies: {
    200: {
      description: 'The rows by table.',
      schema: Type.Object(
        {
          import_supplier: Type.String(),
          external_account_number: Type.String(),
          customer: answeredInteger(),
          exported_at: requiredInstant({ examples: ['2026-11-22T14:00:00.000Z'] }),
          tables: opaqueObject({ examples: [{ customer: [{ position: 0, given_name: 'Camille' }] }] }),
        },
        { title: 'PersonExport' },
      ),
    },
  },
  refusals: ['not_found'],
};

/** `GET exports/<supplier>/<external>/`: all stored data of a person. Each export is recorded in the audit. */
export const findPersonExport = (deps: ExportDeps): Route => ({
  method: 'GET',
  path: '/v1/operations/exports/:supplier/:external',
  access: 'operator',
  action: 'person.export',
  isLong: true,
  openApi,
  handle: async ({ params, query, caller }) => {
    const key = { import_supplier: params['supplier'], external_account_number: params['external'] };
    const json = await exportAudited(deps, caller, { ...key, customer: query.get('customer') });
    return typeof json === 'string' ? { status: 200, body: undefined, bodyJson: json } : json;
  },
});

/**
 * Exports all stored data of a person as JSON, and records it in the audit.
 * @returns the JSON text; a refusal if the account is unknown or the position malformed
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

/**
 * Reads all stored data of a person: the rows of the account in every table of the catalogue.
 * @param em of a `repeatable read` transaction
 * @returns the text of a JSON object with a list for each table; text keeps digits that a JavaScript number would lose
 */
async function exportPerson(em: EntityManager, found: FoundPerson, person: Person): Promise<string> {
  const who = whoIs(found, person);
  const members: string[] = [];
  for (const [table, { of, exported, exportedWhere }] of personalData) {
    if (of === undefined) continue;
    const row = exported === undefined ? 'to_jsonb(t)' : `to_jsonb(t) || ${exported}`;
    const { rows } = await sql<{ json: string }>`
      ${who} select coalesce(jsonb_agg(${sql.raw(row)}), '[]')::text as json
      from ${sql.table(table)} t, who where ${sql.raw(`${of} and ${exportedWhere ?? 'true'}`)}`.execute(kyselyOf(em));
    members.push(`${JSON.stringify(table)}:${rows[0]!.json}`);
  }
  return `{${members.join(',')}}`;
}

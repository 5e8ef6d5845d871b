import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Actor, type AuditEntryView, findAuditEntries, findAuditEntry, recordAudit } from '../../access/index.ts';
import { type AccountKey, accountKeyPath, accountKeySchema } from '../../accounts/account-key.schema.ts';
import { countUploadedPages, eraseUploadedLines, findRunningJobs } from '../../import-jobs/index.ts';
import {
  type ErasedTable,
  type FoundPerson,
  type Person,
  countToErase,
  erasePerson,
  findPerson,
  lockPerson,
} from './erase-person.store.ts';
import {
  type CreateErasure,
  type ErasurePreview,
  type ErasureReceipt,
  createErasureSchema,
  erasurePreviewSchema,
  erasureReceiptSchema,
} from './erasure.schema.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { replyWith, type Route } from '../../platform/http/route.ts';
import type { ParameterOpenApi, RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { compileOperatorBody } from '../../platform/validation/compile-payload.ts';
import { type Refused, isRefused, refuse } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';

/** Most running jobs listed in a refusal. */
const JOBS_NAMED = 10;

/** Largest position of a customer that a request can name. */
const CUSTOMER_MAX = 999_999;

/** The query parameter with the position of a customer. */
export const customerParameter: ParameterOpenApi = {
  description: 'Position of the person among the customers of the account, from 0. If omitted, all customers.',
  example: 1,
  schema: { type: 'integer', minimum: 0, maximum: CUSTOMER_MAX },
};

const checkBody = compileOperatorBody<CreateErasure>(createErasureSchema);

interface ErasureDeps {
  database: Database;
  /** Database of the list pool, because a search for pages may take longer than a request allows. */
  lists: Database;
  clock: Clock;
}

const createOpenApi: RouteOpenApi = {
  operationId: 'createErasure',
  page: 'docs/operators/personal-data.md',
  summary: 'Erase a person',
  description:
    'Erases names, contacts, dates of birth, free texts and document paths from every table. Amounts, dates and keys are kept. An account that was never created is deleted entirely. An erasure cannot be undone.',
  request: createErasureSchema,
  requestExamples: {
    'one of two customers': {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: 'HOME-00004711',
      customer: 1,
      reason: 'Request of 2026-11-20',
    },
    'all of an account': {
      import_supplier: 'SUPPLIER_FR',
      external_account_number: 'HOME-00004711',
      reason: 'Request of 2026-11-20',
    },
  },
  replies: { 201: { description: 'The erased data by table.', schema: erasureReceiptSchema } },
  refusals: ['not_found', 'erasure_must_wait'],
};

/** `POST erasures/`: erases a person. Repeating it erases nothing more. */
export const createErasure = (deps: ErasureDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/erasures',
  access: 'operator',
  action: 'person.erase',
  openApi: createOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller }) => replyWith(await eraseAudited(deps, caller, body), 201),
});

/**
 * Erases a person and records it in the audit.
 * @param body as in the API
 * @returns the receipt; a refusal if the body is invalid, the person unknown, or the erasure must wait
 */
export async function eraseAudited(deps: ErasureDeps, actor: Actor, body: unknown): Promise<ErasureReceipt | Refused> {
  const sent = checkBody(body);
  if (isRefused(sent)) return sent;
  const person: Person = {
    importSupplier: sent.import_supplier,
    externalAccountNumber: sent.external_account_number,
    customer: sent.customer ?? null,
  };
  const refused = whyNot(await findPerson(deps.database, person), person) ?? (await runningJobs(deps.database, person));
  if (refused !== undefined) return refused;
  // First, because it can be repeated: lines keep their keys, by which a retry finds the pages again.
  const pages = await eraseUploadedLines(deps.lists, person.importSupplier, person.externalAccountNumber);
  return deps.database.transaction(async (em) => {
    const found = await lockPerson(em, person);
    const late = whyNot(found, person) ?? (await runningJobs(em, person, true));
    if (late !== undefined) return late;
    const { tables, auditEntries } = await erasePerson(em, found!, person);
    if (pages > 0) tables.push({ table: 'import_job_page', rows: pages, columns: ['body'] });
    const receipt = receiptOf(person, tables, deps.clock.now());
    await recordAudit(em, actor, {
      action: 'person.erased',
      subject: `accounts/${person.importSupplier}/${person.externalAccountNumber}`,
      after: { ...receipt, audit_entries: auditEntries },
      reason: sent.reason,
    });
    return receipt;
  });
}

/** `GET erasures/<supplier>/<external>/`: previews an erasure without changing anything. */
export const findErasurePreview = (deps: ErasureDeps): Route => ({
  method: 'GET',
  path: '/v1/operations/erasures/:supplier/:external',
  access: 'operator',
  action: 'person.erase',
  openApi: {
    operationId: 'findErasurePreview',
    page: 'docs/operators/personal-data.md',
    summary: 'Preview an erasure',
    description: 'Changes nothing.',
    path: accountKeyPath,
    query: { customer: customerParameter },
    replies: { 200: { description: 'The data that would be erased, by table.', schema: erasurePreviewSchema } },
    refusals: ['not_found', 'erasure_must_wait'],
  },
  handle: async ({ params, query }) => {
    const key = { import_supplier: params['supplier'], external_account_number: params['external'] };
    return replyWith(await previewErasure(deps, { ...key, customer: query.get('customer') }));
  },
});

/**
 * Previews an erasure, with the same refusals.
 * @param sent the account, and the position of the customer as a string; null for all
 */
export async function previewErasure(deps: ErasureDeps, sent: SentPerson): Promise<ErasurePreview | Refused> {
  const person = personIn(sent);
  if (isRefused(person)) return person;
  const found = await findPerson(deps.database, person);
  const refused = whyNot(found, person) ?? (await runningJobs(deps.database, person));
  if (refused !== undefined) return refused;
  const { importSupplier, externalAccountNumber, customer } = person;
  const tables = await countToErase(deps.lists, found!, person);
  const pages = await countUploadedPages(deps.lists, importSupplier, externalAccountNumber);
  if (pages > 0) tables.push({ table: 'import_job_page', rows: pages, columns: ['body'] });
  return {
    import_supplier: importSupplier,
    external_account_number: externalAccountNumber,
    customer,
    customers: found!.customers,
    is_created: found!.accountId !== null,
    tables,
  };
}

function whyNot(found: FoundPerson | undefined, { customer }: Person): Refused | undefined {
  if (found === undefined) return unknownPerson();
  if (found.isBeingCreated) return refuse('erasure_must_wait', { detail: 'The account is being created.' });
  // A staged account is deleted as a whole. The number of customers of a deleted payload is unknown.
  if (customer === null || found.accountId === null || customer < found.customers) return undefined;
  const detail = `The account has ${found.customers} customers; positions start at 0.`;
  return refuse('validation_failed', { violations: [violation('invalid', ['customer'], detail)] });
}

async function runningJobs(on: Queryable, { importSupplier }: Person, isLocked = false): Promise<Refused | undefined> {
  const jobs = await findRunningJobs(on, importSupplier, isLocked);
  if (jobs.length === 0) return undefined;
  return refuse('erasure_must_wait', {
    detail: `Import jobs of the import supplier are running: ${jobs.slice(0, JOBS_NAMED).join(', ')}. Pause them, or wait until they have ended.`,
  });
}

function receiptOf(person: Person, tables: readonly ErasedTable[], erasedAt: Date): ErasureReceipt {
  const receipt = {
    erasure_id: uuidv7(),
    import_supplier: person.importSupplier,
    external_account_number: person.externalAccountNumber,
    customer: person.customer,
    erased_at: erasedAt.toISOString(),
    tables: [...tables],
  };
  return { ...receipt, sha256: hash('sha256', JSON.stringify(receipt), 'hex') };
}

/** A receipt from the audit. */
export interface KeptReceipt {
  /** Id of the audit entry. */
  id: string;
  by: string;
  reason: string | null;
  receipt: ErasureReceipt;
}

const ACTION = 'person.erased';

/** Finds the newest receipts. @param account `<supplier>/<number>`; undefined for all accounts */
export async function findReceipts(database: Database, limit: number, account?: string): Promise<KeptReceipt[]> {
  const subject = account === undefined ? {} : { subject: `accounts/${account}` };
  return (await findAuditEntries(database.em(), { limit, action: ACTION, ...subject })).map(receiptIn);
}

/** The receipt in an audit entry; undefined if it contains none. */
export async function findReceipt(database: Database, id: string): Promise<KeptReceipt | undefined> {
  const entry = await findAuditEntry(database.em(), id);
  return entry?.action === ACTION ? receiptIn(entry) : undefined;
}

function receiptIn({ id, actor, reason, after }: AuditEntryView): KeptReceipt {
  // The list of erased audit entries is for verifications of the audit, and no part of the receipt.
  const { audit_entries: _erased, ...receipt } = after as ErasureReceipt & { audit_entries: string[] };
  return { id, by: actor.name, reason, receipt };
}

/** A person as identified by a path or a form. */
export interface SentPerson {
  import_supplier: string | undefined;
  external_account_number: string | undefined;
  /** Position of the customer in the account, as a string; null for all customers. */
  customer: string | null;
}

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

/** Reads a person. @returns a refusal if the position is malformed or no account can have the number */
export function personIn({ customer, ...sent }: SentPerson): Person | Refused {
  if (customer !== null && !/^\d{1,6}$/.test(customer)) {
    return refuse('validation_failed', {
      violations: [violation('invalid', ['customer'], `Send the position of a customer, from 0 to ${CUSTOMER_MAX}.`)],
    });
  }
  const key = checkKey(sent);
  if (isRefused(key)) return unknownPerson();
  return {
    importSupplier: key.import_supplier,
    externalAccountNumber: key.external_account_number,
    customer: customer === null ? null : Number(customer),
  };
}

/** The refusal of an unknown account. */
export function unknownPerson(): Refused {
  return refuse('not_found', { detail: 'There is no import process for this import supplier and account number.' });
}

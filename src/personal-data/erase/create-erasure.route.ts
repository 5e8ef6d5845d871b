import { hash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Actor, type AuditEntryView, findAuditEntries, findAuditEntry, recordAudit } from '../../access/index.ts';
import { type AccountKey, accountKeySchema } from '../../accounts/account-key.schema.ts';
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
  createErasureOpenApi,
  createErasureSchema,
  findErasurePreviewOpenApi,
} from './erasures.openapi.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import type { Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { type Refused, isRefused, refuse } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';

/** Running jobs that a refusal names. */
const JOBS_NAMED = 10;

const checkBody = compileOperatorBody<CreateErasure>(createErasureSchema);

interface ErasureDeps {
  database: Database;
  /** Its statements may take longer than those of a request: it looks for pages. */
  lists: Database;
  clock: Clock;
}

/** `POST erasures/`: erases a person. Sent again, it finds nothing more and says so. */
export const createErasure = (deps: ErasureDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/erasures',
  access: 'operator',
  action: 'person.erase',
  openApi: createErasureOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller }) => {
    const receipt = await eraseAudited(deps, caller, body);
    return isRefused(receipt) ? receipt : { status: 201, body: receipt };
  },
});

/**
 * Erases a person, with a row of the audit.
 * @param body as the API takes it
 * @returns the receipt; a refusal of the body, of an unknown person, or while the erasure must wait
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
  // Before the rest: what it does is found by lines, whose keys stay, and may be done again.
  const pages = await eraseUploadedLines(deps.lists, person.importSupplier, person.externalAccountNumber);
  return deps.database.transaction(async (em) => {
    const found = await lockPerson(em, person);
    const late = whyNot(found, person) ?? (await runningJobs(em, person, true));
    if (late !== undefined) return late;
    const tables = await erasePerson(em, found!, person);
    if (pages > 0) tables.push({ table: 'import_job_page', rows: pages, columns: ['body'] });
    const receipt = receiptOf(person, tables, deps.clock.now());
    await recordAudit(em, actor, {
      action: 'person.erased',
      subject: `accounts/${person.importSupplier}/${person.externalAccountNumber}`,
      after: receipt,
      reason: sent.reason,
    });
    return receipt;
  });
}

/** `GET erasures/<supplier>/<external>/`: what an erasure would take away; it changes nothing. */
export const findErasurePreview = (deps: ErasureDeps): Route => ({
  method: 'GET',
  path: '/v1/operations/erasures/:supplier/:external',
  access: 'operator',
  action: 'person.erase',
  openApi: findErasurePreviewOpenApi,
  handle: async ({ params, query }) => {
    const key = { import_supplier: params['supplier'], external_account_number: params['external'] };
    const preview = await previewErasure(deps, { ...key, customer: query.get('customer') });
    return isRefused(preview) ? preview : { status: 200, body: preview };
  },
});

/**
 * What an erasure would change now; refused where it would be.
 * @param sent the account, and the place of the customer as a text; null for all
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
  const detail = `The account has ${found.customers} customers; their places are counted from 0.`;
  return refuse('validation_failed', { violations: [violation('invalid', ['customer'], detail)] });
}

async function runningJobs(on: Queryable, { importSupplier }: Person, isLocked = false): Promise<Refused | undefined> {
  const jobs = await findRunningJobs(on, importSupplier, isLocked);
  if (jobs.length === 0) return undefined;
  return refuse('erasure_must_wait', {
    detail: `Import jobs of the import supplier are running: ${jobs.slice(0, JOBS_NAMED).join(', ')}. Pause them, or wait for their end.`,
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

/** A receipt as the audit keeps it. */
export interface KeptReceipt {
  /** Of the entry of the audit. */
  id: string;
  by: string;
  reason: string | null;
  receipt: ErasureReceipt;
}

const ACTION = 'person.erased';

/** The newest receipts. @param account `<supplier>/<number>`: those of one account */
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
  return { id, by: actor.name, reason, receipt: after as ErasureReceipt };
}

/** A person as an address or a form names them. */
export interface SentPerson {
  import_supplier: string | undefined;
  external_account_number: string | undefined;
  /** Place among the customers of the account, as a text; null for all of them. */
  customer: string | null;
}

/** Largest position of a customer that a request can name. */
export const CUSTOMER_MAX = 999_999;

const checkKey = compileOperatorBody<AccountKey>(accountKeySchema);

/** Reads a person. @returns a refusal of a malformed position or of a number that no account can have */
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

import { v7 as uuidv7 } from 'uuid';
import type { Caller, Route } from '../../platform/http/route.ts';
import { compilePayload, type PayloadOptions } from '../../platform/validation/compile-payload.ts';
import { findMisspelledMembers } from '../../platform/validation/unknown-members.ts';
import { findSupplierInScope, readingOptionsOf, type SupplierDirectory } from '../../suppliers/index.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { createAccountOpenApi, type CreateAccountRequest, createAccountSchema } from './create-account.openapi.ts';
import { refuseMissingStagedDocuments, type StagedDocumentDeps } from './check-staged-documents.validation.ts';
import { type CreationQueue, type CreationRequest, quarantinedAnswer } from './create-account.queue.ts';
import type { CreationOutcome } from './create-account.rules.ts';
import { findAccountWarnings } from '../../account-view/index.ts';
import { isTransientError, sqlStateOf } from '../../platform/database/faults.ts';
import { type Log, loggedFault } from '../../platform/log.ts';
import { type Warning, warningsOf } from '../../vocabulary/warnings.ts';
import { createFromStaged, type CreationContext } from './create-account.store.ts';

interface CreateDeps extends StagedDocumentDeps {
  creation: CreationContext;
  queue: CreationQueue;
  bodyLimitBytes: number;
}

/** A supplier outside the caller's scope is reported like an unknown one. */
const check = compilePayload<CreateAccountRequest, Caller>(
  createAccountSchema,
  ({ import_supplier_code: code }, { importSuppliers }) => {
    const isStranger = typeof code === 'string' && code !== '' && !importSuppliers.has(code);
    return isStranger
      ? [violation('invalid_choice', ['import_supplier_code'], 'There is no import supplier with this code.')]
      : [];
  },
);

/** Operation 3: creates an account from staged data, or rehearses it and rolls it back. */
export const createAccount = (deps: CreateDeps): Route => ({
  method: 'POST',
  path: '/v1/data-import/account-import-process/process',
  access: 'supplier',
  openApi: createAccountOpenApi,
  bodyLimitBytes: deps.bodyLimitBytes,
  handle: async ({ body, caller, hungUp, log, onceId }) => {
    const { data, violations, payloadWarnings } = check(
      body,
      caller,
      await readingOptions({ body, caller }, deps.suppliers),
    );
    const all = [...violations, ...findMisspelledMembers(body, createAccountSchema)];
    if (all.length > 0) return refuse('validation_failed', { violations: all });
    const request = {
      importSupplier: data.import_supplier_code,
      externalAccountNumber: data.external_account_number,
      operationsTeam: data.operations_team_name,
    };
    const missing = await refuseMissingStagedDocuments(deps, { ...request, isDryRun: data.dry_run === true }, log);
    if (missing) return missing;
    const answer = data.dry_run
      ? await tryCreation(deps, request, { payloadWarnings, log })
      : await deps.queue.submit(onceId === undefined ? request : { ...request, creationId: onceId }, hungUp());
    if (isRefused(answer)) return answer;
    const warnings = [...payloadWarnings, ...(answer.mayWarn ? await creationWarnings(deps, request, log) : [])];
    return { status: 201, body: { service_account_number: answer.serviceAccountNumber, ...warningsOf(warnings) } };
  },
});

/** The account exists already, so a failure to read its warnings must not change the answer. */
async function creationWarnings(deps: CreateDeps, request: CreationRequest, log: Log): Promise<Warning[]> {
  const key = { import_supplier: request.importSupplier, external_account_number: request.externalAccountNumber };
  try {
    return await findAccountWarnings(deps.database, key, 'supplier');
  } catch (error) {
    log.warn({ fault: loggedFault(error) }, 'warnings about a new account cannot be read');
    return [];
  }
}

/** The supplier's options matter only if the request contains a null. */
async function readingOptions(
  request: { body: unknown; caller: Caller },
  suppliers: SupplierDirectory,
): Promise<PayloadOptions | undefined> {
  if (!Object.values(membersIn(request.body)).includes(null)) return undefined;
  return readingOptionsOf(await findSupplierInScope(suppliers, request, 'import_supplier_code'));
}

/** Runs the code of a real creation in a transaction that is rolled back. Needs no workflow. */
async function tryCreation(
  deps: CreateDeps,
  request: CreationRequest,
  { payloadWarnings, log }: { payloadWarnings: readonly Warning[]; log: Log },
): Promise<Refused> {
  const outcome = await rehearse(deps, request).catch((error: unknown) => {
    if (isTransientError(error) || sqlStateOf(error) === undefined) throw error;
    log.error({ fault: loggedFault(error) }, 'the database rejects the account of a dry run');
    return { kind: 'quarantined' } as const;
  });
  if (outcome.kind === 'quarantined') return quarantinedAnswer();
  if (outcome.kind === 'refused') return outcome;
  return refuse('dry_run_succeeded', { extras: warningsOf([...payloadWarnings, ...outcome.warnings]) });
}

function rehearse(deps: CreateDeps, request: CreationRequest): Promise<CreationOutcome & { warnings: Warning[] }> {
  return deps.database.transaction(async (em) => {
    const context = { ...deps.creation, isRehearsal: true };
    const [tried] = await createFromStaged(em, [{ creationId: uuidv7(), ...request }], context);
    const key = { import_supplier: request.importSupplier, external_account_number: request.externalAccountNumber };
    const warnings = tried?.kind === 'created' ? await findAccountWarnings(em, key, 'supplier') : [];
    await em.rollback();
    return { ...(tried as CreationOutcome), warnings };
  });
}

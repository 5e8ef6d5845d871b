import { v7 as uuidv7 } from 'uuid';
import type { Caller, Route } from '../../platform/http/route.ts';
import { compilePayload, type PayloadOptions } from '../../platform/validation/compile-payload.ts';
import { findMisspelledMembers } from '../../platform/validation/unknown-members.ts';
import { findSupplierInScope, readingOptionsOf, type SupplierDirectory } from '../../suppliers/index.ts';
import { membersIn } from '../../vocabulary/loose-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import { refuseMissingStagedDocuments, type StagedDocumentDeps } from './check-staged-documents.validation.ts';
import { type CreationQueue, type CreationRequest, quarantinedAnswer } from './create-account.queue.ts';
import type { CreationOutcome } from './create-account.rules.ts';
import { findAccountWarnings } from '../../account-view/index.ts';
import { isTransientError, sqlStateOf } from '../../platform/database/faults.ts';
import { type Log, loggedFault } from '../../platform/log.ts';
import { type Warning, warningsOf } from '../../vocabulary/warnings.ts';
import { createFromStaged, type CreationContext } from './create-account.store.ts';
import { type Static, Type } from 'typebox';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { warningsMember } from '../../platform/validation/warning.schema.ts';
import { alreadyImportedMembers } from '../stage/already-imported.schema.ts';
import { requiredKey, requiredText } from '../../platform/validation/field-types.schema.ts';

/** Body of operation 3 of the specification. */
const createAccountSchema = Type.Object({
  external_account_number: requiredKey(128),
  import_supplier_code: requiredKey(32),
  operations_team_name: requiredText(128),
  dry_run: Type.Optional(Type.Boolean()),
});

type CreateAccountRequest = Static<typeof createAccountSchema>;

/** Operation 3 of the specification. */
const createAccountOpenApi: RouteOpenApi = {
  operationId: 'createAccount',
  tag: 'Accounts',
  summary: 'Create an account from its staged data',
  description:
    'Waits until the account is created. `dry_run` tries everything and rolls it back; success is then a 400 with the code `dry_run_succeeded`, with `warnings` if there are any. An unknown member that resembles a known one is rejected (`unknown_member`); other unknown members are dropped with a warning. Repeating the request never creates a second account.',
  request: createAccountSchema,
  rules: {
    '': ['max_depth', 'unknown_member'],
    external_account_number: ['import_process_does_not_exist'],
    import_supplier_code: ['invalid_choice'],
    operations_team_name: ['operations_team_name_does_not_exist'],
  },
  requestExamples: {
    create: {
      external_account_number: 'HOME-00004711',
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
    },
    'dry run': {
      external_account_number: 'HOME-00004711',
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
      dry_run: true,
    },
  },
  replies: {
    201: {
      description: 'The account is created.',
      schema: Type.Object(
        {
          service_account_number: Type.String({ description: 'Number of the account on the platform.' }),
          warnings: Type.Optional(warningsMember),
        },
        { title: 'CreatedAccount' },
      ),
    },
  },
  refusals: [
    'account_import_process_already_imported',
    'import_process_marked_to_skip',
    'import_supplier_migration_not_ongoing',
    'import_process_failed_validation',
    'dry_run_succeeded',
    'throttled',
    'creation_pending',
    'account_quarantined',
    'approval_required',
    'account_being_withdrawn',
  ],
  refusalMembers: {
    account_import_process_already_imported: alreadyImportedMembers,
    dry_run_succeeded: Type.Object({ warnings: Type.Optional(warningsMember) }, { title: 'DryRunSucceeded' }),
  },
};

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

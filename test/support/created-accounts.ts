import { v7 as uuidv7 } from 'uuid';
import {
  checkAccountPayload,
  createFromStaged,
  stageAccounts,
  stagedForm,
  type StagedAccount,
} from '../../src/account-import/index.ts';
import { readLine } from '../../src/import-jobs/read-line.validation.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { creationContext } from '../../src/processes/creation-context.ts';
import { createSupplierDirectory } from '../../src/suppliers/index.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';

/**
 * Stages and creates accounts with the functions of the service, without API and workers. The import supplier and the
 * team Migration must exist.
 * @param payloads objects, or JSON strings
 * @returns the external numbers of the valid accounts, all of which are created
 */
export async function createAccounts(
  database: Database,
  importSupplier: string,
  payloads: readonly unknown[],
): Promise<string[]> {
  const suppliers = createSupplierDirectory({ database });
  const caller = { importSuppliers: new Set([importSupplier]) } as never;
  const staged: StagedAccount[] = [];
  for (const payload of payloads) {
    const read = readLine(Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)));
    if (isRefused(read)) throw new Error(read.code);
    const request = { body: read.body, isLarge: false, caller, yieldToEventLoop: async () => {} };
    const checked = await checkAccountPayload(request, { suppliers, clock: systemClock });
    if (!isRefused(checked)) staged.push(stagedForm(checked));
  }
  const context = creationContext({ suppliers, clock: systemClock, settings: readSettings({}) });
  const entries = staged.map(({ externalAccountNumber }) => ({
    creationId: uuidv7(),
    importSupplier,
    externalAccountNumber,
    operationsTeam: 'Migration',
  }));
  for (let from = 0; from < staged.length; from += 250) {
    await database.transaction(async (em) => {
      await stageAccounts(em, importSupplier, staged.slice(from, from + 250));
      const outcomes = await createFromStaged(em, entries.slice(from, from + 250), context);
      const failed = outcomes.find(({ kind }) => kind !== 'created');
      if (failed !== undefined) throw new Error(`An account was not created: ${JSON.stringify(failed)}`);
    });
  }
  return staged.map(({ externalAccountNumber }) => externalAccountNumber);
}

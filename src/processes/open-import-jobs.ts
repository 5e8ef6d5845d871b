import type { WorkDeps } from '../import-jobs/work-off/job-at-work.store.ts';
import type { CreationActivity } from '../account-import/index.ts';
import { accountLineKind } from '../import-jobs/work-off/account-line-kind.store.ts';
import { paymentLineKind } from '../import-jobs/work-off/payment-line-kind.client.ts';
import { routedLineKinds } from '../import-jobs/work-off/routed-line-kind.store.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { createDocumentCheck, createSupplierDirectory } from '../suppliers/index.ts';
import { temporalWorkRuns } from '../platform/temporal/start-run.ts';
import { openDocumentStores } from '../vendors/document-store/open.ts';
import type { PaymentVendors } from '../vendors/payment-vendor/open.ts';
import { creationContext } from './creation-context.ts';
import type { ProcessContext } from './run-process.ts';

/** Dependencies of the activities of import jobs, with the handlers of all kinds of lines. */
export function openImportJobs(
  options: ProcessContext & { database: Database; activity: CreationActivity; vendors: PaymentVendors },
): WorkDeps {
  const { settings, secrets, log, metrics, database, activity, gateway, vendors } = options;
  const runs = temporalWorkRuns({ gateway, log });
  const suppliers = createSupplierDirectory({ database });
  const documents = createDocumentCheck({
    stores: openDocumentStores(settings, secrets),
    deadlineMs: settings.DOCUMENT_STORE_DEADLINE_MS,
  });
  const creation = creationContext({ suppliers, clock: systemClock, settings });
  const accounts = accountLineKind({ database, suppliers, documents, creation, clock: systemClock, log });
  return {
    database,
    suppliers,
    documents,
    creation,
    lineKinds: {
      accounts,
      ...routedLineKinds({ suppliers, documents, clock: systemClock, log }),
      'payment-instructions': paymentLineKind({ settings, database, suppliers, vendors, runs, log }),
    },
    activity,
    counted: metrics.linesDone,
    clock: systemClock,
    log,
  };
}

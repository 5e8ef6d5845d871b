import * as accountCounts from '../account-import/count/account-count.entity.ts';
import * as importProcesses from '../account-import/import-process.entity.ts';
import * as creationSlots from '../account-import/limit/creation-slot.entity.ts';
import * as importJobs from '../import-jobs/import-job.entity.ts';
import * as manifests from '../import-jobs/manifest/manifest.entity.ts';
import * as paymentInstructions from '../payment-instructions/payment-instruction.entity.ts';
import * as supplyPoints from '../supply-points/supply-point.entity.ts';
import { FieldHashLayout } from '../reconciliation/compare/field-hash-layout.entity.ts';
import * as reconciliations from '../reconciliation/reconciliation.entity.ts';
import * as switches from '../switching/switch.entity.ts';
import * as accounts from '../accounts/account.entity.ts';
import * as businesses from '../businesses/business.entity.ts';
import * as events from '../events/event.entity.ts';
import * as waves from '../waves/wave.entity.ts';
import * as notes from '../notes/note.entity.ts';
import * as transactions from '../transactions/transaction.entity.ts';
import { AuditEntry } from '../access/audit/audit-entry.entity.ts';
import { ApiKeyImportSupplier, ApiKey } from '../access/keys/api-key.entity.ts';
import { OperationsTeam, Organisation } from '../access/organisations/organisation.entity.ts';
import { PersonSession } from '../access/people/person-session.entity.ts';
import { AccessToken, CountedAttempt } from '../access/tokens/access-token.entity.ts';
import { Retention } from '../personal-data/expire/retention.entity.ts';
import { IdempotencyKey, IdempotencyUse } from '../platform/idempotency/idempotency-key.entity.ts';
import { NumberMark } from '../platform/numbers/number-mark.entity.ts';
import { OperatorSetting } from '../platform/operator-settings/operator-setting.entity.ts';
import { PartyHealth, PartyMinute } from '../platform/vendor-http/party-health.entity.ts';
import { DispatcherLease } from '../platform/work-items/dispatcher-lease.entity.ts';
import { WorkItem } from '../platform/work-items/work-item.entity.ts';
import { Statement } from '../statements/statement.entity.ts';
import * as auditChain from '../audit-chain/audit-chain.entity.ts';
import * as bulkActions from '../bulk-actions/bulk-action.entity.ts';
import * as withdrawals from '../withdrawal/withdrawal.entity.ts';
import { ImportSupplier } from '../suppliers/import-supplier.entity.ts';

/** The entities of all tables, used by the ORM and by the test that compares entities with the migrated database. */
export const entities = [
  ...Object.values(accountCounts),
  ...Object.values(importProcesses),
  ...Object.values(creationSlots),
  ...Object.values(importJobs),
  ...Object.values(manifests),
  ...Object.values(paymentInstructions),
  ...Object.values(supplyPoints),
  ...Object.values(reconciliations),
  ...Object.values(switches),
  ...Object.values(accounts),
  ...Object.values(businesses),
  ...Object.values(events),
  ...Object.values(notes),
  ...Object.values(waves),
  ...Object.values(transactions),
  ...Object.values(withdrawals),
  ...Object.values(bulkActions),
  ...Object.values(auditChain),
  ImportSupplier,
  OperationsTeam,
  Organisation,
  ApiKey,
  ApiKeyImportSupplier,
  AccessToken,
  CountedAttempt,
  AuditEntry,
  PersonSession,
  IdempotencyKey,
  IdempotencyUse,
  WorkItem,
  DispatcherLease,
  NumberMark,
  OperatorSetting,
  PartyHealth,
  PartyMinute,
  Retention,
  Statement,
  FieldHashLayout,
];

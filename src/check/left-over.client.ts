import { findLostSlots, findQuarantined, freeOldSlots, lostSlotAgeSeconds } from '../account-import/index.ts';
import { findTablesWithoutMonth, makeMonthPartitions } from '../platform/database/month-partitions.ts';
import { listUnmatchedMessages } from '../switching/index.ts';
import { keyedPage, type CheckStep, type CheckDeps } from './check-step.rules.ts';

/** Slots of the concurrency limit whose creation is over. There is only one page, because the limit bounds the number of slots. */
export function slotsStep(deps: CheckDeps): CheckStep {
  const { database, settings } = deps;
  const minimumAgeSeconds = lostSlotAgeSeconds(settings);
  return {
    name: 'slots',
    comparePage: async () => {
      const slots = await findLostSlots({ ...deps, minimumAgeSeconds });
      return {
        compared: slots.length,
        next: undefined,
        mismatches: slots.map(({ creationId: id, workflowId }) => ({
          kind: 'slot_without_holder',
          subject: id,
          accounts: [],
          since: null,
          detail: workflowId ? `The run ${workflowId} has ended or is unknown.` : 'Its run was never started.',
          repair: { act: () => freeOldSlots(database, [id], minimumAgeSeconds) },
        })),
      };
    },
  };
}

/** Quarantined accounts: their data has to be corrected. */
export function quarantinedStep({ database }: CheckDeps): CheckStep {
  return {
    name: 'quarantined',
    comparePage: async (after, limit) => {
      const accounts = await findQuarantined(database, after, limit);
      const mismatches = accounts.map(({ importSupplier, externalAccountNumber, workflowId, since, hasWork }) => ({
        kind: 'account_quarantined' as const,
        subject: workflowId,
        accounts: [{ import_supplier: importSupplier, external_account_number: externalAccountNumber }],
        since,
        detail: hasWork
          ? 'It is retried alone until its data is corrected.'
          : 'It is not retried automatically. Request its creation again.',
      }));
      return keyedPage(
        accounts,
        limit,
        (account) => `${account.importSupplier}/${account.externalAccountNumber}`,
        mismatches,
      );
    },
  };
}

/** Market messages without an account. */
export function messagesStep({ database }: CheckDeps): CheckStep {
  return {
    name: 'messages',
    comparePage: async (after, limit) => {
      const messages = await listUnmatchedMessages(
        database,
        { kind: 'unknown-account' },
        limit,
        after === '' ? undefined : after,
      );
      const mismatches = messages.map((message) => ({
        kind: 'message_without_account' as const,
        subject: message.message_id,
        accounts: [
          { import_supplier: message.import_supplier, external_account_number: message.external_account_number },
        ],
        since: new Date(message.received_at),
        detail: message.effect_detail ?? '',
      }));
      return keyedPage(messages, limit, (message) => message.message_id, mismatches);
    },
  };
}

/** Tables with rows whose month has no partition. There is only one page. */
export function partitionsStep({ database }: CheckDeps): CheckStep {
  return {
    name: 'partitions',
    comparePage: async () => {
      const tables = await findTablesWithoutMonth(database);
      return {
        compared: tables.length,
        next: undefined,
        mismatches: tables.map((table) => ({
          kind: 'rows_without_partition' as const,
          subject: table,
          accounts: [],
          since: null,
          detail: 'Its default partition has rows.',
          repair: { act: () => makeMonthPartitions(database) },
        })),
      };
    },
  };
}

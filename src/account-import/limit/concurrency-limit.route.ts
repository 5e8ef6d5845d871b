import { recordAudit } from '../../access/index.ts';
import { defineResource } from '../../platform/http/resource-routes.ts';
import {
  changeConcurrencyLimit,
  concurrencyLimitView,
  findConcurrencyLimit,
  type PutConcurrencyLimit,
  putConcurrencyLimitSchema,
} from './concurrency-limit.store.ts';

/** `settings/create-account-concurrency-limit/`: maximum number of concurrent creations. Other processes apply a change within a second. */
export const concurrencyLimit = defineResource<typeof concurrencyLimitView, PutConcurrencyLimit>({
  path: 'settings/create-account-concurrency-limit',
  view: concurrencyLimitView,
  example: { limit: 50, in_use: 12, reason: 'Night load of the platform', updated_at: '2026-11-20T17:00:00.000Z' },
  put: {
    operationId: 'putCreateAccountConcurrencyLimit',
    summary: 'Limit the number of accounts that are created concurrently',
    description:
      '`null` turns the limit off. Requests beyond it are answered 429. Import jobs are not bound by it: slow them down with their option `max_per_second`. It holds over all processes, within a second. Import suppliers share it: while one is expected back after a 429, the next free slot is kept for it.',
    action: 'concurrency-limit.set',
    body: putConcurrencyLimitSchema,
    examples: { on: { limit: 50, reason: 'Night load of the platform' }, off: { limit: null } },
    changed: 'The limit.',
  },
  find: {
    operationId: 'findCreateAccountConcurrencyLimit',
    summary: 'Read the limit of concurrent creations',
    reply: 'The limit.',
  },
  auditNoun: 'concurrency_limit',
  recordAudit,
  one: findConcurrencyLimit,
  change: (em, _key, sent) => changeConcurrencyLimit(em, sent),
});

import { recordAudit } from '../../access/index.ts';
import { defineResource } from '../../platform/http/resource-routes.ts';
import {
  changeConcurrencyLimit,
  concurrencyLimitView,
  findConcurrencyLimit,
  type PutConcurrencyLimit,
  putConcurrencyLimitSchema,
} from './creation-slot.store.ts';

/** `settings/create-account-concurrency-limit/`: maximum number of concurrent creations. Other processes apply a change within a second. */
export const concurrencyLimit = defineResource<typeof concurrencyLimitView, PutConcurrencyLimit>({
  name: 'CreateAccountConcurrencyLimit',
  path: 'settings/create-account-concurrency-limit',
  view: concurrencyLimitView,
  put: {
    summary: 'Limit the number of accounts that are created concurrently',
    description:
      '`null` disables the limit. Requests above it get 429. It does not apply to import jobs; use their option `max_per_second`. A change applies to all processes within a second. Import suppliers share the limit: the next free slot is reserved for a supplier that got 429 and is expected to retry.',
    action: 'concurrency-limit.set',
    body: putConcurrencyLimitSchema,
    examples: { on: { limit: 50, reason: 'Night load of the platform' }, off: { limit: null } },
    changed: 'The limit.',
  },
  find: { summary: 'Read the limit of concurrent creations', reply: 'The limit.' },
  auditNoun: 'concurrency_limit',
  recordAudit,
  one: findConcurrencyLimit,
  change: (em, _key, sent) => changeConcurrencyLimit(em, sent),
});

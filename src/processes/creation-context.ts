import type { CreationContext } from '../account-import/create/create-account.store.ts';
import { revalidateStaged, rulesVersion } from '../account-import/validate/account-payload.validation.ts';
import type { Clock } from '../platform/clock.ts';
import type { Settings } from '../platform/settings.ts';
import type { SupplierDirectory } from '../suppliers/index.ts';

/** Dependencies of creation besides the database, equal in the API (dry run) and the worker. */
export function creationContext(deps: {
  suppliers: SupplierDirectory;
  clock: Clock;
  settings: Pick<Settings, 'SWITCH_LEAD_TIME_DAYS'>;
}): CreationContext {
  return {
    currentRules: rulesVersion,
    revalidate: revalidateStaged(deps),
    switchLeadDays: deps.settings.SWITCH_LEAD_TIME_DAYS,
  };
}

import type { Page, SiteDeps } from '../frame/page.ts';
import { apiKeyPages } from './api-keys.page.ts';
import { concurrencyLimitPages } from './concurrency-limit.page.ts';
import { importSupplierPages } from './import-suppliers.page.ts';
import { organisationPages } from './organisations.page.ts';
import { peoplePages } from './people.page.ts';

/** The pages of settings. */
export function settingsPages(deps: SiteDeps): Page[] {
  return [
    ...importSupplierPages(deps),
    ...organisationPages(deps),
    ...apiKeyPages(deps),
    ...peoplePages(deps),
    ...concurrencyLimitPages(deps),
  ];
}

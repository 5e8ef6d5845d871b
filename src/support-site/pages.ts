import { accountPages } from './account/account.page.ts';
import { accountListPages } from './account-list/accounts.page.ts';
import { auditPages } from './audit/audit.page.ts';
import { businessPages } from './business/business.page.ts';
import { certificatePages } from './certificates/certificates.page.ts';
import { checkPages } from './check/check.page.ts';
import { claimPages } from './claims/claim.page.ts';
import { eventPages } from './events/events.page.ts';
import { findPages } from './find/find.page.ts';
import type { Page, SiteDeps } from './frame/page.ts';
import { jobsPages } from './jobs/jobs.page.ts';
import { messagePages } from './messages/messages.page.ts';
import { overviewPages } from './overview/overview.page.ts';
import { personalDataPages } from './personal-data/personal-data.page.ts';
import { settingsPages } from './settings/settings.page.ts';
import { stuckPages } from './stuck/stuck.page.ts';
import { supplyPointPages } from './supply-points/supply-points.page.ts';

/** Every page of the site in the order of the menu. `/` leads to the first one of the menu. */
export function buildPages(deps: SiteDeps): Page[] {
  return [
    ...overviewPages(deps),
    ...stuckPages(deps),
    ...checkPages(deps),
    ...claimPages(deps),
    ...findPages(deps),
    ...accountListPages(deps),
    ...accountPages(deps),
    ...businessPages(deps),
    ...jobsPages(deps),
    ...certificatePages(deps),
    ...supplyPointPages(deps),
    ...messagePages(deps),
    ...eventPages(deps),
    ...personalDataPages(deps),
    ...settingsPages(deps),
    ...auditPages(deps),
  ];
}

import { accountPages } from './account/account.page.ts';
import { accountListPages } from './account-list/accounts.page.ts';
import { auditPages } from './audit/audit.page.ts';
import { bulkActionPages } from './bulk-actions/bulk-actions.page.ts';
import { businessPages, businessListPages } from './business/business.page.ts';
import { causePages } from './causes/causes.page.ts';
import { certificatePages } from './certificates/certificates.page.ts';
import { checkPages } from './check/check.page.ts';
import { claimPages } from './claims/claim.page.ts';
import { eventPages } from './events/events.page.ts';
import { findPages } from './find/find.page.ts';
import type { Page } from './frame/page.ts';
import { jobPages } from './jobs/jobs.page.ts';
import { jobRecordPages } from './jobs/job-records.page.ts';
import { messagePages } from './messages/messages.page.ts';
import { overviewPages } from './overview/overview.page.ts';
import { partyPages } from './parties/party.page.ts';
import { personalDataPages } from './personal-data/personal-data.page.ts';
import { apiKeyPages } from './settings/api-keys.page.ts';
import { settingsPages } from './settings/settings.page.ts';
import { importSupplierPages } from './settings/import-suppliers.page.ts';
import { stuckPages, stuckItemPages } from './stuck/stuck.page.ts';
import { supplierPages } from './suppliers/supplier.page.ts';
import { batchPages, throttlePages } from './supply-points/batches.page.ts';
import { lookupPages } from './supply-points/lookups.page.ts';
import { withdrawalPages } from './withdrawal/withdrawal.page.ts';
import { wavePages } from './waves/wave.page.ts';
import { waveAccountPages } from './waves/wave-lists.page.ts';
import { waveListPages } from './waves/waves.page.ts';
import { listViewPages } from './frame/list.ts';

/** Pages with texts in English only. */
const englishPages: readonly Page[] = [
  ...overviewPages,
  ...stuckPages,
  ...stuckItemPages,
  ...bulkActionPages,
  ...checkPages,
  ...claimPages,
  ...batchPages,
  ...throttlePages,
  ...lookupPages,
  ...messagePages,
  ...partyPages,
  ...personalDataPages,
  ...importSupplierPages,
  ...settingsPages,
  ...auditPages,
];

/** Pages with texts in French too. */
const translatedPages: readonly Page[] = [
  ...waveListPages,
  ...wavePages,
  ...waveAccountPages,
  ...jobPages,
  ...jobRecordPages,
  ...causePages,
  ...withdrawalPages,
  ...accountListPages,
  ...accountPages,
  ...businessListPages,
  ...businessPages,
  ...listViewPages,
  ...supplierPages,
  ...findPages,
  ...certificatePages,
  ...eventPages,
  ...apiKeyPages,
];

/** Every page of the site. Those of the menu are in `frame/menu.ts`. */
export const sitePages: readonly Page[] = [
  ...englishPages,
  ...translatedPages.map((page) => ({ ...page, isTranslated: true })),
];

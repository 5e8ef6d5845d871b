import type { FrenchSentence, ValuesOf } from './sentence-forms.ts';
import { frenchSiteAccountPage, frenchSiteAccounts } from './french-site-account-page.ts';
import { frenchSiteCertificates } from './french-site-certificates.ts';
import { frenchSiteEvents } from './french-site-events.ts';
import { frenchSiteFrame, frenchSiteLabels, frenchSiteTerms } from './french-site-terms.ts';
import { frenchSiteJobs } from './french-site-jobs.ts';
import { frenchSiteSuppliers } from './french-site-suppliers.ts';
import { frenchSiteWaves } from './french-site-waves.ts';

/** French by the English sentence, as in gettext. A sentence without French does not compile where it is used. */
export const frenchSite = {
  ...frenchSiteAccountPage,
  ...frenchSiteAccounts,
  ...frenchSiteCertificates,
  ...frenchSiteEvents,
  ...frenchSiteFrame,
  ...frenchSiteJobs,
  ...frenchSiteLabels,
  ...frenchSiteSuppliers,
  ...frenchSiteTerms,
  ...frenchSiteWaves,
} as const satisfies Readonly<Record<string, FrenchSentence>>;

/** A sentence that has a translation. */
export type Sentence = keyof typeof frenchSite;

/** A sentence without values. */
export type Words = { [Text in Sentence]: ValuesOf<Text> extends never ? Text : never }[Sentence];

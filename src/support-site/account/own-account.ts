import { findAccountWarnings, readAccount } from '../../account-view/index.ts';
import { findRejections } from '../../import-jobs/index.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { badge, code, link, linkAway, moment } from '../frame/cells.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { accepted, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { pairs, table } from '../frame/parts.ts';
import { accountPath, wavePath } from '../frame/paths.ts';
import { rejectionsPart } from '../jobs/job-records.page.ts';
import { stateBadges, stepsPart } from './account-head.ts';
import { faultsOfData } from './account-summary.ts';
import { below, listPlaceOf, readStored, rowsOf, textOf, type ShownAccount, type Stored } from './stored.ts';

/** An account for people of its import supplier: numbers, states, faults and warnings, as the supplier API returns them, without personal data. */
export async function showOwnAccount(request: PageRequest): Promise<PageAnswer> {
  const { database, actor, query } = request;
  const { supplier = '', external = '' } = request.params;
  const rejections = rejectionsPart(await findRejections(database, external, supplier, request.viewer), request);
  const masked = { isOpen: false, isRevealed: false };
  const json = await readAccount(request, actor, { supplier, external }, masked);
  const isUnknown = isRefused(json) && json.code === 'not_found';
  if (isUnknown && rejections !== '') return { title: external, body: html`${rejections}` };
  const key = { import_supplier: supplier, external_account_number: external };
  const warnings = JSON.parse(JSON.stringify(await findAccountWarnings(database, key, 'supplier'))) as Stored[];
  const view: Stored = { ...readStored(accepted(json)), warnings };
  const account = below(view, 'account');
  const at = accountPath(supplier, external);
  const place = listPlaceOf(query, at);
  const body = html`<p class="row">${stateBadges(view, account)}</p>
    ${stepsPart(view, account)} ${faultsTable({ view, account, data: {}, at, place, request, isOnTwoAccounts: false })}
    ${rejections} ${factsPart(view, account)}`;
  return { title: external, body };
}

function faultsTable(shown: ShownAccount): Html {
  return table(
    t('Faults and warnings'),
    faultsOfData(shown),
    [
      [t('Code'), (fault) => linkAway(fault.page, badge(fault.code, fault.tone))],
      [t('Field'), ({ place }) => place !== undefined && code(place), 'place'],
      [t('Detail'), ({ detail }) => detail, 'advice'],
    ],
    t('There are no faults or warnings.'),
  );
}

function factsPart(view: Stored, account: Stored | undefined): Html {
  const process = below(view, 'import_process');
  const wave = below(process, 'wave');
  const withdrawn = rowsOf(process, 'withdrawn_accounts').map(
    (one): Part => html`${code(textOf(one, 'service_account_number'))} ${moment(textOf(one, 'withdrawn_at'))}<br />`,
  );
  return html`<section class="card">
    ${pairs([
      [t('Import supplier'), textOf(view, 'import_supplier')],
      [t('External account number'), code(textOf(view, 'external_account_number'))],
      [t('Service account number'), account && code(textOf(account, 'service_account_number'))],
      [t('Staged'), moment(textOf(process, 'staged_at'))],
      [t('Created'), account && moment(textOf(account, 'created_at'))],
      [t('Wave'), wave && link(wavePath(textOf(wave, 'wave_id') ?? ''), textOf(wave, 'name'))],
      [t('Withdrawn'), withdrawn.length > 0 && withdrawn],
    ])}
  </section>`;
}

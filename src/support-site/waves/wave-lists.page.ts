import { findWithdrawalsOfWave } from '../../withdrawal/index.ts';
import {
  findEarlyStarts,
  findWaveOfRequest,
  readChangedMembers,
  type EarlyStart,
  type WaveForPerson,
} from '../../waves/index.ts';
import { badge, code, count, fromNow, link } from '../frame/cells.ts';
import { html, type Part } from '../frame/html.ts';
import { listPages, pageOf, type List } from '../frame/list.ts';
import { t, translated } from '../frame/language.ts';
import { accepted, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { table } from '../frame/parts.ts';
import { accountPath, wavePath, withdrawalPath, WAVES } from '../frame/paths.ts';
import { accountsText } from './wave-parts.ts';

/** Lists of accounts to which the page of a wave leads. They read all members of the wave, so the page itself does not show them. */
export const waveAccountPages = [
  page(`${WAVES}/:wave/changed`, showChanged),
  ...listPages({
    path: `${WAVES}/:wave/early-starts`,
    title: () => t('Early supply starts'),
    list: earlyStartsOf,
    body: ({ params }, list) =>
      html`<p>${link(`${wavePath(params['wave'] ?? '')}#gates`, t('Gates'))}</p>
        <p>
          ${t('The switches of these accounts cannot be requested in time: their supply starts before the creation and the hold of switches have ended, or too soon after it for the lead time of the industry. Change the plan, correct the dates, or leave the accounts out.')}
        </p>
        ${list}`,
  }),
];

async function showChanged(request: PageRequest): Promise<PageAnswer> {
  const { wave, count: changed, accounts } = accepted(await readChangedMembers(request.lists, request));
  const body = html`<p>${link(`${wavePath(wave.id)}#approval`, wave.name)}</p>
    <p>
      ${t('{accounts} of the wave changed since approval was requested or given. Rehearse the wave and ask again.', { accounts: accountsText(changed) })}
    </p>
    ${table(
      t('Changed accounts'),
      accounts,
      [[t('Account'), (external) => link(accountPath(wave.importSupplier, external), code(external)), 'row']],
      t('No account changed.'),
    )}
    ${changed > accounts.length && html`<p class="fine">${t('The first {count}, by number.', { count: accounts.length })}</p>`}`;
  return { title: t('Changed accounts of {wave}', { wave: wave.name }), body };
}

/** Sorted by external number. */
async function earlyStartsOf(request: PageRequest): Promise<List<EarlyStart>> {
  const { params, lists } = request;
  const wave = accepted(await findWaveOfRequest(lists, request, undefined));
  return {
    name: 'early-starts',
    path: `${wavePath(params['wave'] ?? '')}/early-starts`,
    label: t('Accounts whose supply starts too early'),
    sorts: ['external_account_number'],
    columns: {
      external_account_number: [
        t('Account'),
        ({ external }) => link(accountPath(wave.importSupplier, external), code(external)),
        'row',
        ({ external }) => external,
      ],
      supply_start: [t('Supply from'), ({ supplyStart }) => supplyStart, undefined, ({ supplyStart }) => supplyStart],
      request_on: [t('Switch to be requested on'), (one) => one.requestOn, undefined, (one) => one.requestOn],
    },
    read: async ({ cursor: after = '', limit }) => {
      return pageOf(
        await findEarlyStarts(lists, wave.id, { after, limit: limit + 1 }),
        limit,
        ({ external }) => external,
      );
    },
    empty: t('All supply starts can be kept.'),
  };
}

const WITHDRAWALS_SHOWN = 20;

/** The withdrawals of the wave, newest first, with links to their progress and receipts. Nothing without one. */
export async function withdrawalsPart({ view }: WaveForPerson, { database, now, may }: PageRequest): Promise<Part> {
  const withdrawals = await findWithdrawalsOfWave(database, view.wave_id, WITHDRAWALS_SHOWN);
  if (withdrawals.length === 0) return undefined;
  return html`<section>
    <h2 id="withdrawals">${t('Withdrawals')}</h2>
    ${table(t('Withdrawals of the wave, newest first'), withdrawals, [
      [
        t('Withdrawal'),
        ({ id, status }) => link(withdrawalPath(id), status === 'RUNNING' ? t('Progress') : t('Receipt')),
        'row',
      ],
      [t('Status'), ({ status }) => badge(translated(status), status === 'COMPLETED' ? 'good' : 'warn')],
      [t('Withdrawn'), ({ withdrawn }) => count(withdrawn), 'number'],
      [t('Kept'), ({ kept }) => count(kept), 'number'],
      may('look') && [t('Requested by'), ({ requestedBy }) => requestedBy],
      [t('Reason'), ({ reason }) => reason, 'advice'],
      [t('Started'), ({ createdAt }) => fromNow(createdAt, now)],
      [t('Ended'), ({ endedAt }) => fromNow(endedAt, now)],
    ])}
  </section>`;
}

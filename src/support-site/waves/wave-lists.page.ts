import { readChangedMembers, readEarlyMembers } from '../../waves/index.ts';
import { code, link } from '../frame/cells.ts';
import { html } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { accepted, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { nextPage, table } from '../frame/parts.ts';
import { accountPath, addressOf, wavePath, WAVES } from '../frame/paths.ts';
import { accountsText } from './wave-parts.ts';

/** Lists of accounts to which the page of a wave leads. They read all members of the wave, so the page itself does not show them. */
export const waveAccountPages = [
  page(`${WAVES}/:wave/changed`, showChanged),
  page(`${WAVES}/:wave/early-starts`, showEarlyStarts),
];

const EARLY_SHOWN = 200;

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

async function showEarlyStarts(request: PageRequest): Promise<PageAnswer> {
  const after = request.query.get('after') ?? '';
  const { wave, early } = accepted(await readEarlyMembers(request.lists, request, { after, limit: EARLY_SHOWN }));
  const at = `${wavePath(wave.id)}/early-starts`;
  const body = html`<p>${link(`${wavePath(wave.id)}#gates`, wave.name)}</p>
    <p>
      ${t('The switches of these accounts cannot be requested in time: their supply starts before the creation and the hold of switches have ended, or too soon after it for the lead time of the industry. Change the plan, correct the dates, or leave the accounts out.')}
    </p>
    ${table(
      t('Accounts whose supply starts too early'),
      early,
      [
        [t('Account'), ({ external }) => link(accountPath(wave.importSupplier, external), code(external)), 'row'],
        [t('Supply from'), ({ supplyStart }) => supplyStart],
        [t('Switch to be requested on'), ({ requestOn }) => requestOn],
      ],
      t('All supply starts can be kept.'),
    )}
    ${nextPage(early.length === EARLY_SHOWN && addressOf(at, { after: early.at(-1)!.external }))}`;
  return { title: t('Early supply starts of {wave}', { wave: wave.name }), body };
}

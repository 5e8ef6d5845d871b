import { readChangedMembers } from '../../waves/index.ts';
import { code, count, link } from '../frame/cells.ts';
import { html } from '../frame/html.ts';
import { accepted, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { table } from '../frame/parts.ts';
import { accountPath, wavePath, WAVES } from '../frame/paths.ts';
import { accountsText } from './wave-parts.ts';

/** Lists of accounts to which the page of a wave leads. They read all members of the wave, so the page itself does not show them. */
export const waveAccountPages = [page(`${WAVES}/:wave/changed`, showChanged)];

async function showChanged(request: PageRequest): Promise<PageAnswer> {
  const { wave, count: changed, accounts } = accepted(await readChangedMembers(request.lists, request));
  const body = html`<p>${link(`${wavePath(wave.id)}#approval`, wave.name)}</p>
    <p>
      ${accountsText(changed)} of the wave changed since approval was requested or given. Rehearse the wave and ask
      again.
    </p>
    ${table(
      'Changed accounts',
      accounts,
      [['Account', (external) => link(accountPath(wave.importSupplier, external), code(external)), 'row']],
      'No account changed.',
    )}
    ${changed > accounts.length && html`<p class="fine">The first ${count(accounts.length)}, by number.</p>`}`;
  return { title: `Changed accounts of ${wave.name}`, body };
}

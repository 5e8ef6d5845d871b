import type { WaveForPerson } from '../../waves/index.ts';
import { findWithdrawalsOfWave } from '../../withdrawal/index.ts';
import { badge, count, fromNow, link } from '../frame/cells.ts';
import { html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { table } from '../frame/parts.ts';
import { withdrawalPath } from '../frame/paths.ts';

const SHOWN = 20;

/** The withdrawals of the wave, newest first, with links to their progress and receipts. Nothing without one. */
export async function withdrawalsPart({ view }: WaveForPerson, { database, now, may }: PageRequest): Promise<Part> {
  const withdrawals = await findWithdrawalsOfWave(database, view.wave_id, SHOWN);
  if (withdrawals.length === 0) return undefined;
  return html`<section>
    <h2 id="withdrawals">${t('Withdrawals')}</h2>
    ${table(t('Withdrawals of the wave, newest first'), withdrawals, [
      [
        t('Withdrawal'),
        ({ id, status }) => link(withdrawalPath(id), status === 'RUNNING' ? t('Progress') : t('Receipt')),
        'row',
      ],
      [t('Status'), ({ status }) => badge(status, status === 'COMPLETED' ? 'good' : 'warn')],
      [t('Withdrawn'), ({ withdrawn }) => count(withdrawn), 'number'],
      [t('Kept'), ({ kept }) => count(kept), 'number'],
      may('look') && [t('Requested by'), ({ requestedBy }) => requestedBy],
      [t('Reason'), ({ reason }) => reason, 'advice'],
      [t('Started'), ({ createdAt }) => fromNow(createdAt, now)],
      [t('Ended'), ({ endedAt }) => fromNow(endedAt, now)],
    ])}
  </section>`;
}

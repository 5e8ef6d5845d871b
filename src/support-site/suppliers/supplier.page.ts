import {
  findAccountCounts,
  findAccountDays,
  type AccountCounts,
  type AccountDayCount,
} from '../../account-import/index.ts';
import { countUploadedAccounts, readJobs, type JobView } from '../../import-jobs/index.ts';
import { parisDay, dayAfter } from '../../platform/clock.ts';
import type { Words } from '../../vocabulary/french-site.ts';
import { findAllImportSuppliers, findSupplierByCode } from '../../suppliers/index.ts';
import type { ImportSupplierView } from '../../suppliers/import-supplier.schema.ts';
import { readWavesByEnd, type WaveView } from '../../waves/index.ts';
import { badge, code, count, link, moment, shareBar, CHART_HEIGHT, chartPath } from '../frame/cells.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { calendarDay, t, translated } from '../frame/language.ts';
import { auditPart, nothing, table } from '../frame/parts.ts';
import { accepted, existing, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import {
  addressOf,
  causesPath,
  jobPath,
  supplierPath,
  SUPPLIERS,
  supplierSettingsPath,
  WAVES,
  wavePath,
} from '../frame/paths.ts';
import { jobBar, jobWords, statusBadge } from '../jobs/job-parts.ts';
import { waveBadge, waveBar } from '../waves/wave-parts.ts';
import { optionInWords, SUPPLIER_TONES } from './option-words.ts';

const LISTED = 5;

/** Import suppliers by their progress, and the page of each. */
export const supplierPages = [page(SUPPLIERS, showList), page(`${SUPPLIERS}/:code`, showSupplier)];

async function showList({ database, viewer }: PageRequest): Promise<PageAnswer> {
  const all = await findAllImportSuppliers(database.em());
  const suppliers = viewer === undefined ? all : all.filter(({ code: key }) => viewer.importSuppliers.has(key));
  const counts = new Map((await findAccountCounts(database)).map((one) => [one.importSupplier, one]));
  const of = (one: ImportSupplierView, read: (counts: AccountCounts) => number) =>
    count(read(counts.get(one.code) ?? NONE));
  const body = table(
    t('Import suppliers'),
    suppliers,
    [
      [
        t('Import supplier'),
        (one) => html`${link(supplierPath(one.code), one.code)} <small>${one.name}</small>`,
        'row',
      ],
      [t('Status'), ({ status }) => badge(translated(status), SUPPLIER_TONES[status])],
      [t('Staged'), (one) => of(one, ({ known }) => known), 'number'],
      [t('Rejected'), (one) => of(one, ({ refused }) => refused), 'number'],
      [t('Created'), (one) => of(one, ({ created }) => created), 'number'],
      [t('Switched'), (one) => of(one, ({ switched }) => switched.COMPLETED), 'number'],
    ],
    t('No import supplier is registered.'),
  );
  return { title: t('Import suppliers'), body };
}

const NONE: AccountCounts = {
  importSupplier: '',
  known: 0,
  staged: 0,
  refused: 0,
  skipped: 0,
  beingCreated: 0,
  created: 0,
  switched: { PENDING: 0, IN_PROGRESS: 0, REJECTED: 0, COMPLETED: 0 },
};

async function showSupplier(request: PageRequest): Promise<PageAnswer> {
  const { database, now, may, viewer } = request;
  const wanted = request.params['code'] ?? '';
  const found = wanted.includes('\0') ? undefined : await findSupplierByCode(database.em(), wanted);
  const supplier = existing(found, 'This import supplier does not exist.');
  const { code: key, name, status } = supplier;
  const from = parisDay(new Date(now.getTime() - (DAYS_SHOWN - 1) * DAY_MS));
  const [counts, uploaded, days, waves, { jobs }] = await Promise.all([
    findAccountCounts(database),
    countUploadedAccounts(database, key),
    findAccountDays(database, key, from),
    readWavesByEnd(database, { hasEnded: false, importSupplier: key, limit: LISTED }, viewer),
    readJobs(database, new URLSearchParams({ import_supplier: key, limit: String(LISTED) }), viewer).then(accepted),
  ]);
  const own = counts.find((one) => one.importSupplier === key) ?? NONE;
  const body = html`<p class="row">
      ${badge(translated(status), SUPPLIER_TONES[status])} ${name !== key && html`<span>${name}</span>`}
      ${may('look') && link(supplierSettingsPath(key), t('Settings'))}
      ${link(addressOf('/accounts', { import_supplier: key }), t('Accounts'))} ${link(causesPath(key), t('Causes'))}
      ${link(addressOf('/events/feed', { import_supplier: key }), t('Events'))}
      ${may('look') && link(addressOf('/messages', { supplier: key }), t('Messages'))}
      ${link(addressOf('/certificates', { import_supplier: key }), t('Certificates'))}
    </p>
    <div class="columns">
      <div>${funnelPart(key, own, uploaded)} ${daysChart(days, from, DAYS_SHOWN)}</div>
      <div>${wavesPart(key, waves)} ${jobsPart(key, jobs)} ${optionsPart(supplier, request)}</div>
    </div>
    ${await auditPart(request, t('Changes of this import supplier'), `import-suppliers/${key}`)}`;
  return { title: t('Import supplier {code}', { code: key }), body };
}

const DAYS_SHOWN = 30;
const DAY_MS = 86_400_000;

/** A step of the funnel, with the accounts that are missing in the next one. */
interface Step {
  name: Words;
  of: number;
  missing?: readonly (readonly [number: number, name: Words, address: string])[];
}

/** From records received to switched accounts. */
function funnelPart(
  key: string,
  { switched, ...counts }: AccountCounts,
  { received, failed }: { received: number; failed: number },
): Html {
  const list = (narrowed: Record<string, string>) => addressOf('/accounts', { import_supplier: key, ...narrowed });
  const steps: Step[] = [
    {
      name: 'Received in files',
      of: received,
      missing: [[failed, 'failed in jobs', addressOf('/jobs', { import_supplier: key })]],
    },
    { name: 'Valid in files', of: received - failed },
    {
      name: 'Staged',
      of: counts.known,
      missing: [
        [counts.staged, 'wait for creation', list({ status: 'STAGED' })],
        [counts.refused, 'rejected', list({ status: 'REFUSED' })],
        [counts.skipped, 'skipped', list({ status: 'SKIPPED' })],
        [counts.beingCreated, 'quarantined', list({ status: 'REFUSED', refusal: 'quarantined' })],
      ],
    },
    {
      name: 'Created',
      of: counts.created,
      missing: [[switched.PENDING, 'switch pending', list({ switch_status: 'PENDING' })]],
    },
    {
      name: 'Switch accepted or decided',
      of: switched.IN_PROGRESS + switched.REJECTED + switched.COMPLETED,
      missing: [
        [switched.IN_PROGRESS, 'in progress', list({ switch_status: 'IN_PROGRESS' })],
        [switched.REJECTED, 'rejected', list({ switch_status: 'REJECTED' })],
      ],
    },
    { name: 'Switched', of: switched.COMPLETED },
  ];
  const most = Math.max(...steps.map(({ of }) => of));
  const missing = ({ missing: all = [] }: Step): Part =>
    all
      .filter(([number]) => number > 0)
      .map(([number, name, address]) => html`<br /><small>${link(address, html`${count(number)} ${t(name)}`)}</small>`);
  return html`<section class="card">
    <h2>${t('From received to switched')}</h2>
    ${table(t('From received to switched'), steps, [
      [t('Step, and what is missing in the next one'), (step) => html`${t(step.name)} ${missing(step)}`, 'row'],
      [t('Accounts'), ({ of }) => count(of), 'number'],
      [t('Share'), ({ of }) => shareBar(of, most, '')],
    ])}
    <p class="fine">
      ${t('Records in files are counted each time they are uploaded; accounts that were staged by single requests are only in the steps from Staged on.')}
    </p>
  </section>`;
}

function wavesPart(key: string, waves: readonly WaveView[]): Html {
  return html`<section class="card">
    <h2>${link(addressOf(WAVES, { import_supplier: key }), t('Waves'))}</h2>
    ${table(
      t('Waves in progress'),
      waves,
      [
        [t('Wave'), (wave) => link(wavePath(wave.wave_id), wave.name), 'row'],
        [t('Status'), waveBadge],
        [t('Progress'), waveBar],
      ],
      t('No wave is in progress.'),
    )}
  </section>`;
}

function jobsPart(key: string, jobs: readonly JobView[]): Html {
  return html`<section class="card">
    <h2>${link(addressOf('/jobs', { import_supplier: key }), t('Jobs'))}</h2>
    ${table(
      t('Newest jobs'),
      jobs,
      [
        [
          t('Job'),
          (job) =>
            html`${link(jobPath(job.job_id), job.name ?? jobWords(job))}<br />
              <small>${moment(job.created_at)}</small>`,
          'row',
        ],
        [t('Status'), statusBadge],
        [t('Progress'), jobBar],
      ],
      t('There are no jobs.'),
    )}
  </section>`;
}

function optionsPart({ options, document_root: root, reason }: ImportSupplierView, { may }: PageRequest): Html {
  const all = Object.entries(options);
  return html`<section class="card">
    <h2>${t('Options')}</h2>
    ${all.length === 0 && nothing(t('No option is set.'))}
    <ul class="lines">
      ${all.map(([option, value]) => html`<li>${optionInWords(option, value)} <small>${code(option)}</small></li>`)}
      ${root !== null && html`<li>${t('Documents are below {path}.', { path: code(root) })}</li>`}
    </ul>
    ${may('look') && reason !== null && html`<p class="fine">${t('Reason of the last change: {reason}', { reason })}</p>`}
  </section>`;
}

/** The smallest bar, in hundredths of the height. */
const LEAST = 2;
const SERIES = [
  ['known', 'Staged'],
  ['created', 'Created'],
  ['COMPLETED', 'Switched'],
  ['refused', 'Rejected'],
] as const;

/** Accounts by day that were staged, created, switched and rejected: a small chart each, with a table for screen readers. */
function daysChart(counts: readonly AccountDayCount[], from: string, length: number): Html {
  const days = [from];
  while (days.length < length) days.push(dayAfter(days.at(-1)!));
  const of = (state: string, day: string) => counts.find((one) => one.state === state && one.day === day)?.count ?? 0;
  const used = SERIES.filter(([state]) => counts.some((one) => one.state === state));
  return html`<section class="card">
    <h2>${t('The last {count} days', { count: length })}</h2>
    ${used.length === 0 && nothing(t('Nothing was counted in these days.'))}
    ${used.map(([state, name]) => {
      const values = days.map((day) => of(state, day));
      const most = Math.max(...values);
      const total = values.reduce((sum, one) => sum + one, 0);
      const busiest = days[values.indexOf(most)]!;
      return html`<figure class="days">
        <figcaption>
          ${t(name)} <strong>${count(total)}</strong>
          <small>${t('most: {most} on {day}', { most, day: calendarDay(busiest) })}</small>
        </figcaption>
        <svg viewBox="0 0 ${length} ${CHART_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
          <path class="chart-grid" d="M0 ${CHART_HEIGHT}H${length}" />
          <path class="${state === 'refused' ? 'bar-bad' : 'chart-bars'}" d="${chartPath(values, LEAST)}" />
        </svg>
      </figure>`;
    })}
    ${
      used.length > 0 &&
      html`<div class="chart-axis" aria-hidden="true"><span>${calendarDay(from)}</span><span>${t('today')}</span></div>
        <details>
          <summary>${t('Numbers by day')}</summary>
          ${table(t('Accounts by day'), days.toReversed(), [
            [t('Day'), (day) => calendarDay(day), 'row'],
            ...used.map(([state, name]) => [t(name), (day: string) => count(of(state, day)), 'number'] as const),
          ])}
        </details>`
    }
  </section>`;
}

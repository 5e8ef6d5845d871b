import type { Words } from '../../vocabulary/french-site.ts';
import { tableOf } from '../../foundation/table.ts';
import type { Certificate, ReconciliationView } from '../../reconciliation/certificate.rules.ts';
import { type ListedDifference, type PathCount, SCANNED_MAX } from '../../reconciliation/index.ts';
import { notQueriedSentences, reasonSentences } from '../../vocabulary/reconciliation.ts';
import { badge, bar, code, count, figure, fromNow, link, linkAway, moment } from '../frame/cells.ts';
import type { List } from '../frame/list.ts';
import { pairs, table } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { language, t, translated } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, certificatePath, FIND, jobPath } from '../frame/paths.ts';

/** The result of a reconciliation. */
export function stateBadge({ status, counts }: ReconciliationView): Html {
  if (status !== 'COMPLETED') return badge(translated(status), status === 'CANCELLED' ? 'warn' : 'plain');
  return counts.different === 0 ? badge(t('equal'), 'good') : badge(t('differs'), 'bad');
}

/** The progress of a reconciliation, with the accounts that differ. */
export function comparedBar({ counts, accounts_in_all: inAll, status }: ReconciliationView): Html {
  const whole = inAll ?? counts.accounts;
  const compared =
    status === 'RUNNING' ? t('{done} of {all}', { done: counts.accounts, all: whole }) : count(counts.accounts);
  const different = Math.min(counts.different, counts.accounts);
  return bar(t('{compared} accounts compared, {different} differ', { compared, different: counts.different }), whole, [
    { value: counts.accounts - different, tone: 'good' },
    { value: different, tone: 'bad' },
  ]);
}

/** The number of differences with a known reason. */
export function explainedIn({ counts }: ReconciliationView): number {
  return Object.values(counts.reasons).reduce((sum, more) => sum + more, 0);
}

/** State, bar and counts. */
export function progressBody(one: ReconciliationView, { runAddress, now }: PageRequest): Html {
  const { counts, status, job_id: job, accounts_in_all: inAll } = one;
  const asked = one.payment_vendors.reduce((sum, vendor) => sum + vendor.asked, 0);
  const withReason = explainedIn(one);
  return html`<p class="row">
      ${stateBadge(one)} <span>${one.import_supplier}</span>
      ${job === null ? html`<span>${t('all created accounts')}</span>` : link(jobPath(job), t('of one import job'))}
      ${status === 'RUNNING' && linkAway(runAddress(one.workflow_id), t(`Run in Temporal's web UI`), '')}
    </p>
    ${comparedBar(one)}
    <div class="cards figures">
      ${figure(inAll === null ? t('accounts') : t('accounts of {all}', { all: inAll }), count(counts.accounts))}
      ${figure(t('businesses'), count(counts.businesses))} ${figure(t('values compared'), count(counts.values))}
      ${figure(t('accounts that differ'), count(counts.different))}
      ${asked > 0 && figure(t('instructions checked at vendors'), count(asked))}
      ${one.estimated_end_at !== null && figure(t('estimated end'), fromNow(one.estimated_end_at, now))}
    </div>
    <h2>${t('Differences by kind')}</h2>
    <div class="cards figures">
      ${figure(t('changed'), count(counts.differences.changed))}
      ${figure(t('missing'), count(counts.differences.missing))} ${figure(t('extra'), count(counts.differences.extra))}
      ${figure(t('with a known reason'), count(withReason))}
    </div>
    ${withReason > 0 && reasonsTable(counts.reasons)}
    ${status === 'RUNNING' && html`<p class="fine">${t('As of {time}.', { time: moment(now) })}</p>`}`;
}

function reasonsTable(reasons: ReconciliationView['counts']['reasons']): Html {
  const counted = tableOf<number>(reasons);
  const found = Object.entries(reasonSentences).filter(([reason]) => counted.get(reason));
  return table(t('Differences that have a known reason'), found, [
    [t('Known reason (no action is needed)'), ([, sentence]) => translated(sentence)],
    [t('Differences'), ([reason]) => count(counted.get(reason) ?? 0), 'number'],
  ]);
}

const PARTIES: Readonly<Record<keyof Required<Certificate['parties']>, Words>> = {
  payment_instructions_in_force: 'Payment instructions in force',
  payment_instructions_unlike_verification: 'Payment instructions that differ from those that the vendor verified',
  supply_points: 'Supply points',
  switches_asked: 'Supply points whose switch was requested',
  switches_asked_too_often: 'Supply points with too many switch requests',
  switches_unanswered: 'Switch requests without a response',
  switches_accepted_too_often: 'Supply points accepted too many times',
  switches_told_without_request: 'Supply points switched without our request',
};

/** The statement of the certificate. */
export function statementPart(certificate: Certificate): Html {
  const reported = tableOf<number>({ ...certificate.parties });
  const parties = Object.entries<Words>(PARTIES).map(([name, words]): [string, Part] => {
    const counted = reported.get(name);
    return [t(words), counted === undefined ? undefined : count(counted)];
  });
  const { job_id: job, payment_vendors: vendors } = certificate;
  return html`<section>
    <h2>${t('What was checked')}</h2>
    ${pairs([
      [t('Import supplier'), certificate.import_supplier],
      [t('Scope'), job === null ? t('all created accounts') : html`${t('import job {job}', { job: code(job) })}`],
      [t('Started'), moment(certificate.checked_from)],
      [t('Ended'), moment(certificate.checked_until)],
      [t('gangway version'), certificate.gangway_version ?? undefined],
      [t('Accounts without a stored copy of the accepted data'), count(certificate.accounts_without_copy)],
      [t('Accounts compared by hashes'), count(certificate.accounts_by_hashes)],
      [t('Accounts of the job that were withdrawn'), count(certificate.accounts_withdrawn)],
      [t('Certificate ID'), code(certificate.reconciliation_id)],
      ...parties,
    ])}
    ${
      vendors.length > 0 &&
      html`<h2>${t('Payment vendors')}</h2>
        ${vendorsTable(vendors)}`
    }
    <h2>${t('Sums of money')}</h2>
    ${comparedTable(t('Sums of money'), sumsOf(certificate))}
    <p class="row">
      <a class="button quiet" href="${certificatePath(certificate.reconciliation_id)}/balances.csv" download>
        ${t('Opening balances (CSV)')}
      </a>
      <span>${t('The present balance of each account, to compare with the ledger of the source.')}</span>
    </p>
    ${manifestsTable(certificate)}
    <details>
      <summary>${t('Hashes of {count} fields', { count: certificate.fields.length })}</summary>
      ${comparedTable(t('Hashes by field'), certificate.fields)}
    </details>
    <details>
      <summary>${t('Values that cannot be compared')}</summary>
      ${table(t('Values that cannot be compared'), notCompared(certificate), [
        [t('Value'), ({ place }) => code(place)],
        [t('Reason'), ({ reason }) => translated(reason)],
      ])}
    </details>
  </section>`;
}

const NOT_ASKED = tableOf<string>(notQueriedSentences);

/** The responses of payment vendors about the instructions in force. */
function vendorsTable(vendors: Certificate['payment_vendors']): Html {
  return table(t('Instructions in force, by vendor'), vendors, [
    [t('Vendor'), ({ vendor }) => vendor, 'row'],
    [t('In force'), (one) => count(one.in_force), 'number'],
    [t('Checked at the vendor'), ({ asked }) => count(asked), 'number'],
    [t('Usable at the vendor'), ({ usable }) => count(usable), 'number'],
    [t('Different'), ({ different }) => count(different), 'number'],
    [
      t('Not checked'),
      (one) =>
        one.not_asked.map(
          ({ reason, instructions }) =>
            html`${count(instructions)}: ${translated(NOT_ASKED.get(reason) ?? reason)}<br />`,
        ),
      'advice',
    ],
  ]);
}

function notCompared(certificate: Certificate): { place: string; reason: string }[] {
  return [
    ...certificate.parties_not_asked.map(({ party, reason }) => ({ place: party, reason })),
    ...certificate.not_compared.flatMap((one) =>
      one.columns.map(({ column, reason }) => ({ place: `${one.table}.${column}`, reason })),
    ),
    ...certificate.kept_without_copy.map(({ kind, reason }) => ({ place: kind, reason })),
  ];
}

/** The sums of money, with the total of the opening balances. */
function sumsOf({ sums, balances: { accepted, stored } }: Certificate): Certificate['sums'] {
  return [...sums, { name: 'opening balances', accepted, stored }];
}

/** The manifests that the certificate cites. */
function manifestsTable({ manifests }: Certificate): Part {
  const outcomeOf = ({ agrees, differences, accepted_reason: why }: Certificate['manifests'][number]) => {
    if (agrees) return t('All totals agree.');
    const open = differences.filter((one) => !one.is_accepted).length;
    const differ = t('{count} totals differ, {open} of them not accepted.', { count: differences.length, open });
    return why === null ? differ : `${differ} ${t('Accepted: {reason}', { reason: why })}`;
  };
  return (
    manifests.length > 0 &&
    table(t('Manifests of the source'), manifests, [
      ['SHA-256', ({ sha256 }) => code(sha256), 'row'],
      [t('Accepted records'), outcomeOf],
    ])
  );
}

/** A sum by its name; a field by its path in the API where its words have no translation. */
function nameOf({ name }: Certificate['sums'][number]): Part {
  const words = name.replaceAll('_', ' ');
  const shown = translated(words);
  return shown === words && language() !== 'en' ? code(name) : shown;
}

function comparedTable(label: string, all: Certificate['sums'], empty?: string): Html {
  return table(
    label,
    all,
    [
      [t('Name'), nameOf, 'row'],
      [t('Accepted'), ({ accepted }) => code(accepted)],
      [t('Stored'), ({ stored }) => code(stored)],
      [
        t('Result'),
        ({ accepted, stored }) => (accepted === stored ? badge(t('equal'), 'good') : badge(t('differs'), 'bad')),
      ],
    ],
    empty,
  );
}

/** The path of a difference; that of a whole account is empty. */
const pathName = (path: string | null): string => path || t('the whole account');

/** The whole account in addresses, where an empty value would be no filter. */
export const WHOLE_ACCOUNT = '.';

const kindBadge = ({ kind, reason }: PathCount | ListedDifference) => badge(t(kind), reason === null ? 'bad' : 'plain');

/** Differences by path, each with a link to its list. */
export function byPathPart(paths: readonly PathCount[], id: string, listed: number): Html {
  const listPath = ({ path, kind, reason }: PathCount) =>
    addressOf(differencesPath(id), { path: path || WHOLE_ACCOUNT, kind, reason: reason && 'known' });
  return html`${table(t('Differences by path'), paths, [
    [t('Path'), (one) => link(listPath(one), code(pathName(one.path))), 'place'],
    [t('Kind'), kindBadge],
    [t('Differences'), (one) => count(one.count), 'number'],
    [t('Known reason'), ({ reason }) => reason !== null && translated(reasonSentences[reason])],
  ])}
  ${
    listed > SCANNED_MAX &&
    html`<p class="fine">
      ${t('Counts include only the first {count} differences with and without a known reason.', { count: SCANNED_MAX })}
    </p>`
  }`;
}

/** Path of the list of differences. */
export const differencesPath = (id: string): string => `${certificatePath(id)}/differences`;

/** The columns of differences, each with a link to its account and, for people who may read them, to its values. */
export function differenceColumns(
  { import_supplier: supplier, reconciliation_id: id }: ReconciliationView,
  { may }: Pick<PageRequest, 'may'>,
): List<ListedDifference>['columns'] {
  const subjectOf = ({ subject, key }: ListedDifference) =>
    html`${link(subject === 'business' ? addressOf(FIND, { q: key }) : accountPath(supplier, key), code(key))}
    ${subject !== 'account' && html`<br /><small>${translated(subject.replace('_', ' '))}</small>`}`;
  const reasonOf = ({ number, subject, reason, vendor_answer: answer }: ListedDifference) =>
    html`${reason !== null && translated(reasonSentences[reason])}
    ${answer !== null && html`${t('The vendor returns {answer}.', { answer: code(answer) })}`}
    ${may('contact-data.see') && subject === 'account' && link(`${differencesPath(id)}/${number}`, t('Values'))}`;
  const columnOf = ({ table: name, column }: ListedDifference) => `${name}${column === null ? '' : `.${column}`}`;
  return {
    key: [t('Account'), subjectOf],
    path: [t('Path'), ({ path }) => code(pathName(path)), 'place'],
    kind: [t('Kind'), kindBadge],
    table: [t('Stored in'), (one) => code(columnOf(one)), undefined, columnOf],
    reason: [t('Known reason'), reasonOf],
  };
}

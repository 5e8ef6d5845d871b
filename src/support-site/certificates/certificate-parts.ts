import { tableOf } from '../../foundation/table.ts';
import type { Certificate, ReconciliationView } from '../../reconciliation/certificate.rules.ts';
import { type ListedDifference, type PathCount, SCANNED_MAX } from '../../reconciliation/index.ts';
import { badge, bar, count, figure, fromNow, linkAway, moment, nothing, pairs, table } from '../frame/elements.ts';
import { type Html, type Part, html } from '../frame/html.ts';
import type { PageRequest, SiteDeps } from '../frame/page.ts';
import { accountPath, certificatePath } from '../frame/paths.ts';
import { notQueriedSentences, reasonSentences } from '../../vocabulary/reconciliation.ts';

/** The result of a reconciliation. */
export function stateBadge({ status, counts }: ReconciliationView): Html {
  if (status !== 'COMPLETED') return badge(status, status === 'CANCELLED' ? 'warn' : 'plain');
  return counts.different === 0 ? badge('equal', 'good') : badge('differs', 'bad');
}

/** The progress of a reconciliation, with the accounts that differ. */
export function comparedBar({ counts, accounts_in_all: inAll, status }: ReconciliationView): Html {
  const whole = inAll ?? counts.accounts;
  const label =
    status === 'RUNNING'
      ? `${count(counts.accounts)} of ${count(whole)} accounts compared, ${count(counts.different)} differ`
      : `${count(counts.accounts)} accounts compared, ${count(counts.different)} differ`;
  const different = Math.min(counts.different, counts.accounts);
  return bar(label, whole, [
    { value: counts.accounts - different, tone: 'good' },
    { value: different, tone: 'bad' },
  ]);
}

/** State, bar and counts. */
export function progressBody(one: ReconciliationView, deps: Pick<SiteDeps, 'runAddress'>, now: Date): Html {
  const { counts, status, job_id: job, accounts_in_all: inAll } = one;
  const asked = one.payment_vendors.reduce((sum, vendor) => sum + vendor.asked, 0);
  const withReason = Object.values(counts.reasons).reduce((sum, more) => sum + more, 0);
  return html`<p class="row">
      ${stateBadge(one)} <span>${one.import_supplier}</span>
      ${job === null ? html`<span>all created accounts</span>` : html`<a href="/jobs/${job}">of one import job</a>`}
      ${status === 'RUNNING' && linkAway(deps.runAddress(one.workflow_id), `Run in Temporal's web UI`, '')}
    </p>
    ${comparedBar(one)}
    <div class="cards figures">
      ${figure(inAll === null ? 'accounts' : `accounts of ${count(inAll)}`, count(counts.accounts))}
      ${figure('businesses', count(counts.businesses))} ${figure('values compared', count(counts.values))}
      ${figure('accounts that differ', count(counts.different))}
      ${asked > 0 && figure('instructions checked at vendors', count(asked))}
      ${one.estimated_end_at !== null && figure('estimated end', fromNow(one.estimated_end_at, now))}
    </div>
    <h2>Differences by kind</h2>
    <div class="cards figures">
      ${figure('changed', count(counts.differences.changed))} ${figure('missing', count(counts.differences.missing))}
      ${figure('extra', count(counts.differences.extra))} ${figure('with a known reason', count(withReason))}
    </div>
    ${withReason > 0 && reasonsPart(counts.reasons)}
    ${status === 'RUNNING' && html`<p class="fine">As of ${moment(now)}.</p>`}`;
}

function reasonsPart(reasons: ReconciliationView['counts']['reasons']): Html {
  const counted = tableOf<number>(reasons);
  const rows = Object.entries(reasonSentences).flatMap(([reason, sentence]) => {
    const found = counted.get(reason) ?? 0;
    return found === 0
      ? []
      : [
          html`<tr>
            <td>${sentence}</td>
            <td class="number">${count(found)}</td>
          </tr>`,
        ];
  });
  return table('Differences that have a known reason', ['Known reason (no action is needed)', 'Differences'], rows);
}

const PARTIES: Readonly<Record<keyof Required<Certificate['parties']>, string>> = {
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
  const parties = Object.entries(PARTIES).map(([name, words]): [string, Part] => {
    const counted = reported.get(name);
    return [words, counted === undefined ? undefined : count(counted)];
  });
  return html`<section>
    <h2>What was checked</h2>
    ${pairs([
      ['Import supplier', certificate.import_supplier],
      [
        'Scope',
        certificate.job_id === null ? 'all created accounts' : html`import job <code>${certificate.job_id}</code>`,
      ],
      ['Started', html`${moment(certificate.checked_from)}`],
      ['Ended', html`${moment(certificate.checked_until)}`],
      ['gangway version', certificate.gangway_version ?? undefined],
      ['Accounts without a stored copy of the accepted data', count(certificate.accounts_without_copy)],
      ['Accounts compared by hashes', count(certificate.accounts_by_hashes)],
      ['Certificate ID', html`<code>${certificate.reconciliation_id}</code>`],
      ...parties,
    ])}
    ${certificate.payment_vendors.length ? vendorsPart(certificate.payment_vendors) : ''}
    <h2>Sums of money</h2>
    ${certificate.sums.length === 0 ? nothing('There are no sums of money.') : pairsTable('Sums of money', certificate.sums)}
    <details>
      <summary>Hashes of ${certificate.fields.length} fields</summary>
      ${pairsTable('Hashes by field', certificate.fields)}
    </details>
    <details>
      <summary>Values that cannot be compared</summary>
      ${table('Values that cannot be compared', ['Value', 'Reason'], notCompared(certificate))}
    </details>
  </section>`;
}

const NOT_ASKED = tableOf<string>(notQueriedSentences);

/** The responses of payment vendors about the instructions in force. */
function vendorsPart(vendors: Certificate['payment_vendors']): Html {
  const rows = vendors.map(
    (one) =>
      html`<tr>
        <th scope="row">${one.vendor}</th>
        <td class="number">${count(one.in_force)}</td>
        <td class="number">${count(one.asked)}</td>
        <td class="number">${count(one.usable)}</td>
        <td class="number">${count(one.different)}</td>
        <td class="advice">
          ${one.not_asked.map(
            ({ reason, instructions }) => html`${count(instructions)}: ${NOT_ASKED.get(reason) ?? reason}<br />`,
          )}
        </td>
      </tr>`,
  );
  return html`<h2>Payment vendors</h2>
    ${table('Instructions in force, by vendor', ['Vendor', 'In force', 'Checked at the vendor', 'Usable at the vendor', 'Different', 'Not checked'], rows)}`;
}

function notCompared({ not_compared: tables, kept_without_copy: kinds, ...more }: Certificate): Html[] {
  const columns = tables.flatMap(({ table: name, columns: all }) =>
    all.map(({ column, reason }) => [`${name}.${column}`, reason] as const),
  );
  const parties = more.parties_not_asked.map(({ party, reason }) => [party, reason] as const);
  return [...parties, ...columns, ...kinds.map(({ kind, reason }) => [kind, reason] as const)].map(
    ([place, reason]) =>
      html`<tr>
        <td><code>${place}</code></td>
        <td>${reason}</td>
      </tr>`,
  );
}

function pairsTable(label: string, all: Certificate['sums']): Html {
  const rows = all.map(
    ({ name, accepted, stored }) =>
      html`<tr>
        <th scope="row">${name.replaceAll('_', ' ')}</th>
        <td><code>${accepted}</code></td>
        <td><code>${stored}</code></td>
        <td>${accepted === stored ? badge('equal', 'good') : badge('differs', 'bad')}</td>
      </tr>`,
  );
  return table(label, ['Name', 'Accepted', 'Stored', 'Result'], rows);
}

/** Differences by path, each with a link to its list. */
export function byPathPart(paths: readonly PathCount[], id: string, listed: number): Html {
  const rows = paths.map(({ path, kind, reason, count: found }) => {
    const to = differencesPath(id, { path, kind, reason: reason === null ? null : 'known' });
    return html`<tr>
      <td class="place">
        <a href="${to}"><code>${path === '' ? 'the whole account' : path}</code></a>
      </td>
      <td>${badge(kind, reason === null ? 'bad' : 'plain')}</td>
      <td class="number">${count(found)}</td>
      <td>${reason !== null && reasonSentences[reason]}</td>
    </tr>`;
  });
  return html`${table('Differences by path', ['Path', 'Kind', 'Differences', 'Known reason'], rows)}
  ${
    listed > SCANNED_MAX &&
    html`<p class="fine">
      Counts include only the first ${count(SCANNED_MAX)} differences with and without a known reason.
    </p>`
  }`;
}

/** The filters of the list of differences; the path of a whole account is empty. */
interface DifferenceFilter {
  path: string | null;
  kind: string | null;
  reason: string | null;
  after?: string;
}

/** Address of the list of differences. */
export function differencesPath(id: string, filter: DifferenceFilter): string {
  const given = Object.entries(filter).filter((one): one is [string, string] => one[1] !== null);
  return `${certificatePath(id)}/differences?${new URLSearchParams(given).toString()}`;
}

/** Differences, each with a link to its account and, for people who may read them, to its values. */
export function differencesTable(
  differences: readonly ListedDifference[],
  { import_supplier: supplier, reconciliation_id: id }: ReconciliationView,
  request?: PageRequest,
): Html {
  const maySee = request?.may('contact-data.see') ?? false;
  const rows = differences.map(
    ({ number, subject, key, path, kind, table: name, column, reason, vendor_answer: answer }) =>
      html`<tr>
        <td>
          <a href="${subject === 'business' ? `/find?q=${encodeURIComponent(key)}` : accountPath(supplier, key)}"
            ><code>${key}</code></a
          >
          ${subject !== 'account' && html`<br /><small>${subject.replace('_', ' ')}</small>`}
        </td>
        <td class="place"><code>${path === '' ? 'the whole account' : path}</code></td>
        <td>${badge(kind, reason === null ? 'bad' : 'plain')}</td>
        <td><code>${name}${column !== null && `.${column}`}</code></td>
        <td>
          ${reason !== null && reasonSentences[reason]}
          ${answer !== null && html`The vendor returns <code>${answer}</code>.`}
          ${maySee && subject === 'account' && html`<a href="${certificatePath(id)}/differences/${number}">Values</a>`}
        </td>
      </tr>`,
  );
  return table('Differences', ['Account', 'Path', 'Kind', 'Stored in', 'Known reason'], rows);
}

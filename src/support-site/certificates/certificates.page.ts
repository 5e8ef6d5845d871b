import { csvHead, csvLine } from '../../foundation/csv.ts';
import {
  countByPath,
  findDifferences,
  readCertificate,
  readDifferenceValues,
  readOpeningBalances,
  readReconciliation,
  readReconciliations,
  startReconciliationAsOperator,
  type AccountBalance,
  type ListedDifference,
  type SignedCertificate,
} from '../../reconciliation/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { buttonLink, code, fromNow, link, linkAway, shortId } from '../frame/cells.ts';
import { listPages, listTable, numbers, type List } from '../frame/list.ts';
import { auditPart, livePart, nothing, pairs } from '../frame/parts.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { form, supplierChoice, supplierFilter } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import {
  accepted,
  done,
  existing,
  handler,
  page,
  polledPart,
  type PageAnswer,
  type PageRequest,
} from '../frame/page.ts';
import { certificatePath, CERTIFICATES, jobPath } from '../frame/paths.ts';
import {
  byPathPart,
  comparedBar,
  differenceColumns,
  differencesPath,
  explainedIn,
  progressBody,
  stateBadge,
  statementPart,
  WHOLE_ACCOUNT,
} from './certificate-parts.ts';
import type { ReconciliationView } from '../../reconciliation/certificate.rules.ts';

const CERTIFICATE = `${CERTIFICATES}/:reconciliation`;
const BALANCES = `${CERTIFICATE}/balances.csv`;

/** Reconciliations: the list, the form that starts one, and single ones with progress, certificate, differences and files. */
export const certificatePages = [
  ...listPages({
    path: CERTIFICATES,
    title: () => t('Certificates'),
    list: reconciliationsOf,
    isLive: true,
    body: async (request, list) =>
      html`<p class="fine">
          ${t('A reconciliation compares every created account with the accepted data, value by value. A completed one has a certificate.')}
        </p>
        ${list} ${request.may('reconciliation.start') && startForm(request, await supplierCodes(request.suppliers))}`,
  }),
  handler(CERTIFICATES, 'reconciliation.start', async (request) => {
    const id = accepted(await startReconciliationAsOperator(request, request.actor, fieldsIn(request.form)));
    return done(certificatePath(id), t('The reconciliation has started. This page shows its progress.'));
  }),
  page(CERTIFICATE, showOne),
  polledPart(`${CERTIFICATE}/progress`, async (request) => {
    const one = await readOne(request);
    const at = certificatePath(one.reconciliation_id);
    return html`${progressPart(one, request)}
    ${one.status === 'COMPLETED' && html`<p class="row">${buttonLink(at, t('Show the certificate'), 'plain')}</p>`}`;
  }),
  ...listPages({
    path: `${CERTIFICATE}/differences`,
    title: () => t('Differences'),
    list: differencesOf,
    body: (request, list) =>
      html`<p>${link(certificatePath(idOf(request)), t('Back to the certificate'))}</p>
        ${list}`,
  }),
  page(`${CERTIFICATE}/differences/:difference`, showValues, { action: 'contact-data.see' }),
  page(`${CERTIFICATE}/file`, sendFile),
  page(BALANCES, sendBalances, { isLong: true }),
];

/** The page of a job links here with its id. */
function startForm(request: PageRequest, codes: readonly string[]): Html {
  const job = request.query.get('job_id');
  const chosen = job === null ? request.query.get('import_supplier') : null;
  const label = t('or only the accounts that an import job created (job ID):');
  return html`<h2>${t('Start a reconciliation')}</h2>
    ${form(request, {
      action: CERTIFICATES,
      id: 'compared',
      fields: [
        { ...supplierChoice(codes, chosen, '–'), label: t('All created accounts of an import supplier:') },
        { label, name: 'job_id', value: job, maxlength: 36 },
      ],
      button: t('Start'),
    })}`;
}

/** Sorted by the time-ordered keys of reconciliations. */
async function reconciliationsOf(request: PageRequest): Promise<List<ReconciliationView>> {
  const { query, now, viewer } = request;
  return {
    name: 'reconciliations',
    path: CERTIFICATES,
    label: t('Reconciliations, newest first'),
    filters: [await supplierFilter(request)],
    sorts: ['-created_at'],
    columns: {
      reconciliation_id: [
        t('Reconciliation'),
        ({ reconciliation_id: id }) => link(certificatePath(id), code(shortId(id))),
        'row',
      ],
      status: [t('Result'), stateBadge],
      import_supplier: [t('Import supplier')],
      job_id: [t('Job'), ({ job_id: job }) => job !== null && link(jobPath(job), code(shortId(job)))],
      counts: [t('Progress'), comparedBar],
      accounts: numbers(t('Accounts'), ({ counts }) => counts.accounts),
      different: numbers(t('Accounts that differ'), ({ counts }) => counts.different),
      ended_at: [t('Actual or estimated end'), (one) => fromNow(one.ended_at ?? one.estimated_end_at, now)],
      created_at: [t('Started'), ({ created_at: at }) => fromNow(at, now)],
    },
    read: async ({ cursor: before, limit }) => {
      const importSupplier = query.get('import_supplier') || undefined;
      const page = accepted(await readReconciliations(request, { importSupplier, before, limit }, viewer));
      return { rows: page.reconciliations, next: page.next };
    },
    empty: t('There are no reconciliations.'),
  };
}

/** Differences on the page of the certificate. */
const FIRST_SHOWN = 20;

const idOf = ({ params }: PageRequest) => params['reconciliation'] ?? '';
const readOne = async (request: PageRequest) => accepted(await readReconciliation(request, idOf(request)));

async function showOne(request: PageRequest): Promise<PageAnswer> {
  const id = idOf(request);
  const one = await readOne(request);
  const signed = one.status === 'COMPLETED' ? accepted(await readCertificate(request, id)) : undefined;
  const body = html`${signed && verdictPart(signed, one)} ${progressPart(one, request)}
  ${one.counts.differences_listed > 0 && (await differencesPart(one, request))}
  ${signed && html`${statementPart(signed.certificate)} ${await signaturePart(signed, id, request)}`}
  ${await auditPart(request, t('Audit of this reconciliation'), `reconciliations/${id}`)}`;
  return { title: signed === undefined ? t('Reconciliation') : t('Certificate of reconciliation'), body };
}

function verdictPart({ certificate }: SignedCertificate, one: ReconciliationView): Html {
  if (certificate.is_equal) {
    return html`<p class="flash flash-done">${t('The stored data equals the accepted data.')}</p>`;
  }
  const { changed, missing, extra } = one.counts.differences;
  const unexplained = changed + missing + extra;
  const explained = explainedIn(one);
  const reason =
    unexplained > 0
      ? t(
          unexplained === 1
            ? '{count} difference has no known reason: check the accounts below and their audit.'
            : '{count} differences have no known reason: check the accounts below and their audit.',
          { count: unexplained },
        )
      : t('Every listed difference has a known reason: check the sums and the counts below.');
  return html`<p class="flash flash-problem">
    ${t('The stored data differs from the accepted data.')} ${reason}
    ${unexplained > 0 && explained > 0 && html`${t('{count} more have a known reason.', { count: explained })}`}
  </p>`;
}

/** Refreshes while the reconciliation runs; the certificate needs a reload of the page. */
function progressPart(one: ReconciliationView, request: PageRequest): Html {
  const from = one.status === 'RUNNING' ? `${certificatePath(one.reconciliation_id)}/progress` : undefined;
  return livePart({ id: 'progress', from, everySeconds: 3 }, progressBody(one, request));
}

async function differencesPart(one: ReconciliationView, request: PageRequest): Promise<Html> {
  const { reconciliation_id: id, counts } = one;
  const first = { hasReason: false, after: 0, limit: FIRST_SHOWN };
  const { differences } = await findDifferences(request.database, id, first);
  return html`<section>
    <h2>${t('Differences by path')}</h2>
    ${byPathPart(await countByPath(request.database, id), id, counts.differences_listed)}
    <h2>${t('Differences without a known reason')}</h2>
    ${listTable(t('Differences'), differences, differenceColumns(one, request), t('Every listed difference has a known reason.'))}
    <p>${link(differencesPath(id), t('All {count} listed differences', { count: counts.differences_listed }))}</p>
  </section>`;
}

async function signaturePart({ jws }: SignedCertificate, id: string, request: PageRequest): Promise<Html> {
  const kid = (await request.certificateKeys())?.publicKeys[0]?.kid;
  const file = `${certificatePath(id)}/file`;
  const keys = request.apiAddress('/v1/data-import/certificate-keys/');
  return html`<section>
    <h2>${t('Signature')}</h2>
    ${
      jws === null
        ? html`<p>
            ${t('Not signed: the support site has no {key}. If the API has one, it signs the same certificate.', { key: code('RECONCILIATION_KEY') })}
          </p>`
        : html`<p>
              ${t('Signed with Ed25519 and the key {kid}. To verify it without this service:', { kid: code(kid) })}
            </p>
            <ol>
              <li>${t('Download the certificate (JSON) below.')}</li>
              <li>
                ${t('Get the public keys from another source: {keys}.', { keys: linkAway(keys, 'keys of the API', '/v1/data-import/certificate-keys/') })}
              </li>
              <li><code>gangway verify-certificate certificate-${id}.json --key keys.json</code></li>
            </ol>
            <details>
              <summary>${t('Signed text')}</summary>
              <pre>${jws}</pre>
            </details>`
    }
    <p class="row">
      <a class="button quiet" href="${file}?form=json" download>${t('Certificate (JSON)')}</a>
      ${jws !== null && html`<a class="button quiet" href="${file}?form=jws" download>${t('Signed text (JWS)')}</a>`}
    </p>
  </section>`;
}

/** Sorted by number, without those that have a known reason unless these are chosen. */
async function differencesOf(request: PageRequest): Promise<List<ListedDifference>> {
  const { query, database } = request;
  const id = idOf(request);
  const one = await readOne(request);
  const [reason, path, kind] = ['reason', 'path', 'kind'].map((name) => query.get(name) || undefined);
  const reasons = [['', t('Without a known reason')] as const, ['known', t('With a known reason')] as const];
  const kinds = (['changed', 'missing', 'extra'] as const).map((name) => [name, t(name)] as const);
  const wanted = { hasReason: reason === 'known', path: path === WHOLE_ACCOUNT ? '' : path, kind };
  return {
    name: 'differences',
    path: differencesPath(id),
    label: t('Differences'),
    filters: [
      { label: t('Known reason'), name: 'reason', value: reason, options: reasons },
      { label: t('Path'), name: 'path', value: path, maxlength: 255 },
      { label: t('Kind'), name: 'kind', value: kind, options: [['', t('all')] as const, ...kinds] },
    ],
    columns: differenceColumns(one, request),
    cursors: /^\d{1,9}$/,
    read: async ({ cursor = '0', limit }) => {
      const found = await findDifferences(database, id, { ...wanted, after: Number(cursor), limit });
      return { rows: found.differences, next: found.next?.toString() };
    },
    empty: t('There are no more differences.'),
  };
}

/** Both values of a difference, as they are now. */
async function showValues(request: PageRequest): Promise<PageAnswer> {
  const { difference: number = '' } = request.params;
  const id = idOf(request);
  const one = await readOne(request);
  const wanted = { id, importSupplier: one.import_supplier, number: Number(number) };
  const found = /^\d{1,9}$/.test(number)
    ? await readDifferenceValues(request.database, request.actor, wanted)
    : undefined;
  const {
    difference,
    accepted: was,
    stored,
    isCopyKept,
  } = existing(found, 'This difference does not exist or is not about an account.');
  const body = html`<p>${link(certificatePath(id), t('Back to the certificate'))}</p>
    ${listTable(t('Differences'), [difference], differenceColumns(one, { may: () => false }))}
    <h2>${t('Current values')}</h2>
    ${
      isCopyKept
        ? pairs([
            [t('Accepted'), code(was ?? t('no value'))],
            [t('Stored'), code(stored ?? t('no value'))],
          ])
        : nothing(t('The accepted data of this account is no longer stored, so its values cannot be shown.'))
    }`;
  return { title: t('Values of a difference'), body };
}

async function sendFile(request: PageRequest): Promise<PageAnswer> {
  const id = idOf(request);
  const signed = accepted(await readCertificate(request, id));
  const name = `certificate-${id}`;
  if (request.query.get('form') !== 'jws') {
    return { download: `${name}.json`, type: 'application/json', content: `${JSON.stringify(signed)}\n` };
  }
  const content = existing(signed.jws ?? undefined, 'The support site has no key to sign the certificate.');
  return { download: `${name}.jws`, type: 'application/jose', content };
}

const BALANCE_COLUMNS = ['external_account_number', 'balance'] as const;

/** The present balances as a ledger, to compare with the one of the source. */
async function sendBalances(request: PageRequest): Promise<PageAnswer> {
  const id = idOf(request);
  const pages = accepted(await readOpeningBalances(request, id, request.viewer));
  return { download: `balances-${id}.csv`, type: 'text/csv', content: balancesCsv(pages) };
}

async function* balancesCsv(pages: AsyncIterable<readonly AccountBalance[]>): AsyncGenerator<string> {
  yield csvHead(BALANCE_COLUMNS);
  for await (const page of pages) {
    yield page.map(({ external_account_number: number, balance }) => csvLine([number, { decimal: balance }])).join('');
  }
}

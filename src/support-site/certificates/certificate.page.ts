import { CERTIFICATES, certificatePath } from '../frame/paths.ts';
import { findAuditOf } from '../../access/index.ts';
import {
  countByPath,
  findDifferences,
  readDifferenceValues,
  readCertificate,
  readReconciliation,
  type SignedCertificate,
} from '../../reconciliation/index.ts';
import type { ReconciliationView } from '../../reconciliation/certificate.rules.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { count, linkAway, nothing, pairs } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { auditTable, nextPage, tabs } from '../frame/list-parts.ts';
import { polledPart, type Page, type PageAnswer, type PageRequest, type SiteDeps } from '../frame/page.ts';
import { byPathPart, differencesPath, differencesTable, progressBody, statementPart } from './certificate-parts.ts';

const PATH = `${CERTIFICATES}/:reconciliation`;
const POLL = 'every 3s';
/** Differences on a page of the list, and on the page of the certificate. */
const PAGE_SIZE = 100;
const FIRST_SHOWN = 20;
const AUDIT_SHOWN = 20;

/** One reconciliation: progress, certificate, differences and files. */
export function certificatePagesOfOne(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showOne(deps, request) },
    polledPart(`${PATH}/progress`, async ({ params }) => {
      const one = await readReconciliation(deps, params['reconciliation'] ?? '');
      return isRefused(one) ? one : html`${progressPart(one, deps)} ${one.status === 'COMPLETED' && loadPart(one)}`;
    }),
    { method: 'GET', path: `${PATH}/differences`, action: 'look', show: (request) => showDifferences(deps, request) },
    {
      method: 'GET',
      path: `${PATH}/differences/:difference`,
      action: 'contact-data.see',
      show: (request) => showValues(deps, request),
    },
    { method: 'GET', path: `${PATH}/file`, action: 'look', show: (request) => sendFile(deps, request) },
  ];
}

async function showOne(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { params } = request;
  const id = params['reconciliation'] ?? '';
  const one = await readReconciliation(deps, id);
  if (isRefused(one)) return one;
  const signed = one.status === 'COMPLETED' ? await readCertificate(deps, id) : undefined;
  if (signed !== undefined && isRefused(signed)) return signed;
  const audit = await findAuditOf(deps.database.em(), [`reconciliations/${id}`], AUDIT_SHOWN);
  const body = html`${signed && verdictPart(signed, one)} ${progressPart(one, deps)}
  ${one.counts.differences_listed > 0 && (await differencesPart(deps, one, request))}
  ${signed && html`${statementPart(signed.certificate)} ${await signaturePart(signed, id, deps)}`}
  ${
    audit.length > 0 &&
    html`<h2>Audit</h2>
      ${auditTable('Audit of this reconciliation', audit)}`
  }`;
  return { title: signed === undefined ? 'Reconciliation' : 'Certificate of reconciliation', body };
}

function verdictPart({ certificate }: SignedCertificate, { counts }: ReconciliationView): Html {
  if (certificate.is_equal) return html`<p class="flash flash-done">The stored data equals the accepted data.</p>`;
  const { changed, missing, extra } = counts.differences;
  const unexplained = changed + missing + extra;
  const explained = Object.values(counts.reasons).reduce((sum, more) => sum + more, 0);
  const reason =
    unexplained > 0
      ? html`${count(unexplained)} ${unexplained === 1 ? 'difference has' : 'differences have'} no known reason: check
        the accounts below and their audit.`
      : 'Every listed difference has a known reason: check the sums and the counts below.';
  return html`<p class="flash flash-problem">
    The stored data differs from the accepted data. ${reason}
    ${unexplained > 0 && explained > 0 && html`${count(explained)} more have a known reason.`}
  </p>`;
}

/** Refreshes while the reconciliation runs; the certificate needs a reload of the page. */
function progressPart(one: ReconciliationView, deps: SiteDeps): Html {
  const at = certificatePath(one.reconciliation_id);
  const isRunning = one.status === 'RUNNING';
  return html`<section
    id="progress"
    hx-get="${at}/progress"
    hx-trigger="${isRunning ? POLL : 'none'}"
    hx-swap="outerHTML"
  >
    ${progressBody(one, deps, deps.clock.now())}
  </section>`;
}

function loadPart({ reconciliation_id: id }: ReconciliationView): Html {
  return html`<p class="row"><a class="button" href="${certificatePath(id)}">Show the certificate</a></p>`;
}

async function differencesPart({ database }: SiteDeps, one: ReconciliationView, request: PageRequest): Promise<Html> {
  const id = one.reconciliation_id;
  const listed = one.counts.differences_listed;
  const { differences: unexplained } = await findDifferences(database, id, {
    hasReason: false,
    after: 0,
    limit: FIRST_SHOWN,
  });
  return html`<section>
    <h2>Differences by path</h2>
    ${byPathPart(await countByPath(database, id), id, listed)}
    <h2>Differences without a known reason</h2>
    ${
      unexplained.length === 0
        ? nothing('Every listed difference has a known reason.')
        : differencesTable(unexplained, one, request)
    }
    <p><a href="${certificatePath(id)}/differences">All ${count(listed)} listed differences</a></p>
  </section>`;
}

async function signaturePart(
  { jws }: SignedCertificate,
  id: string,
  { certificateKeys, apiAddress }: SiteDeps,
): Promise<Html> {
  const kid = (await certificateKeys())?.publicKeys[0]?.kid;
  const file = `${certificatePath(id)}/file`;
  const keys = apiAddress('/v1/data-import/certificate-keys/');
  return html`<section>
    <h2>Signature</h2>
    ${
      jws === null
        ? html`<p>
            Not signed: the support site has no <code>RECONCILIATION_KEY</code>. If the API has one, it signs the same
            certificate.
          </p>`
        : html`<p>Signed with Ed25519 and the key <code>${kid}</code>. To verify it without this service:</p>
            <ol>
              <li>Download the certificate (JSON) below.</li>
              <li>
                Get the public keys from another source:
                ${linkAway(keys, 'keys of the API', '/v1/data-import/certificate-keys/')}.
              </li>
              <li><code>gangway verify-certificate certificate-${id}.json --key keys.json</code></li>
            </ol>
            <details>
              <summary>Signed text</summary>
              <pre>${jws}</pre>
            </details>`
    }
    <p class="row">
      <a class="button quiet" href="${file}?form=json" download>Certificate (JSON)</a>
      ${jws !== null && html`<a class="button quiet" href="${file}?form=jws" download>Signed text (JWS)</a>`}
    </p>
  </section>`;
}

/** Differences of a path and kind, if they are given; those without a known reason come first, on pages of their own. */
async function showDifferences(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { database } = deps;
  const { params, query } = request;
  const id = params['reconciliation'] ?? '';
  const one = await readReconciliation(deps, id);
  if (isRefused(one)) return one;
  const sent = query.get('after') ?? '0';
  const [reason, path, kind] = [query.get('reason'), query.get('path'), query.get('kind')];
  const hasReason = reason === 'known';
  const { differences: shown, next } = await findDifferences(database, id, {
    hasReason,
    path: path ?? undefined,
    kind: kind ?? undefined,
    after: /^\d{1,9}$/.test(sent) ? Number(sent) : 0,
    limit: PAGE_SIZE,
  });
  const at = `${certificatePath(id)}/differences`;
  const filter = { path, kind };
  const body = html`<p><a href="${certificatePath(id)}">Back to the certificate</a></p>
    ${tabs(
      'Differences',
      [
        [differencesPath(id, { ...filter, reason: null }), 'Without a known reason'],
        [differencesPath(id, { ...filter, reason: 'known' }), 'With a known reason'],
      ],
      differencesPath(id, { ...filter, reason }),
    )}
    ${
      (path !== null || kind !== null) &&
      html`<p>Only ${kind} at <code>${path === '' ? 'the whole account' : path}</code>. <a href="${at}">All</a></p>`
    }
    ${shown.length === 0 ? nothing(next === undefined ? 'There are no more differences.' : 'No difference on this page matches.') : differencesTable(shown, one, request)}
    ${next !== undefined && nextPage(differencesPath(id, { ...filter, reason, after: String(next) }))}`;
  return { title: 'Differences', body };
}

/** Both values of a difference, as they are now. */
async function showValues(deps: SiteDeps, { params, actor }: PageRequest): Promise<PageAnswer> {
  const { reconciliation: id = '', difference: number = '' } = params;
  const one = await readReconciliation(deps, id);
  if (isRefused(one)) return one;
  const found = /^\d{1,9}$/.test(number)
    ? await readDifferenceValues(deps.database, actor, {
        id,
        importSupplier: one.import_supplier,
        number: Number(number),
      })
    : undefined;
  if (found === undefined) {
    return refuse('not_found', { detail: 'This difference does not exist or is not about an account.' });
  }
  const { accepted, stored, isCopyKept } = found;
  const body = html`<p><a href="${certificatePath(id)}">Back to the certificate</a></p>
    ${differencesTable([found.difference], one)}
    <h2>Current values</h2>
    ${
      isCopyKept
        ? pairs([
            ['Accepted', html`<code>${accepted ?? 'no value'}</code>`],
            ['Stored', html`<code>${stored ?? 'no value'}</code>`],
          ])
        : nothing('The accepted data of this account is no longer stored, so its values cannot be shown.')
    }`;
  return { title: 'Values of a difference', body };
}

async function sendFile(deps: SiteDeps, { params, query }: PageRequest): Promise<PageAnswer> {
  const id = params['reconciliation'] ?? '';
  const signed = await readCertificate(deps, id);
  if (isRefused(signed)) return signed;
  const name = `certificate-${id}`;
  if (query.get('form') !== 'jws') {
    return { download: `${name}.json`, type: 'application/json', content: `${JSON.stringify(signed)}\n` };
  }
  if (signed.jws === null) {
    return refuse('not_found', { detail: 'The support site has no key to sign the certificate.' });
  }
  return { download: `${name}.jws`, type: 'application/jose', content: signed.jws };
}

import { CERTIFICATES, certificatePath } from '../frame/paths.ts';
import { findAuditOf } from '../../access/index.ts';
import {
  countByPath,
  readDifferencesAfter,
  readCertificate,
  readReconciliation,
  type SignedCertificate,
} from '../../reconciliation/index.ts';
import type { ReconciliationView } from '../../reconciliation/reconciliation-view.rules.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { linkAway, nothing } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { auditTable, nextPage } from '../frame/list-parts.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { byPathPart, differencesTable, standingPart, statementPart } from './certificate-parts.ts';

const PATH = `${CERTIFICATES}/:reconciliation`;
const POLL = 'every 3s';
/** Differences of one page; on the page of the certificate itself the first of them. */
const PAGE_SIZE = 100;
const FIRST_SHOWN = 20;
const AUDIT_SHOWN = 20;

/** One reconciliation: how far it is, its certificate, what differs, and the files. */
export function certificatePagesOfOne(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showOne(deps, request) },
    {
      method: 'GET',
      path: `${PATH}/progress`,
      action: 'look',
      isPolled: true,
      show: async ({ params }) => {
        const one = await readReconciliation(deps, params['reconciliation'] ?? '');
        return isRefused(one)
          ? one
          : { fragment: html`${progressPart(one, deps)} ${one.status === 'COMPLETED' && loadPart(one)}` };
      },
    },
    { method: 'GET', path: `${PATH}/differences`, action: 'look', show: (request) => showDifferences(deps, request) },
    { method: 'GET', path: `${PATH}/file`, action: 'look', show: (request) => sendFile(deps, request) },
  ];
}

async function showOne(deps: SiteDeps, { params }: PageRequest): Promise<PageAnswer> {
  const id = params['reconciliation'] ?? '';
  const one = await readReconciliation(deps, id);
  if (isRefused(one)) return one;
  const signed = one.status === 'COMPLETED' ? await readCertificate(deps, id) : undefined;
  if (signed !== undefined && isRefused(signed)) return signed;
  const audit = await findAuditOf(deps.database.em(), [`reconciliations/${id}`], AUDIT_SHOWN);
  const body = html`${signed && verdictPart(signed)} ${progressPart(one, deps)}
  ${one.counts.differences_listed > 0 && (await differencesPart(deps, one))}
  ${signed && html`${statementPart(signed.certificate)} ${await signaturePart(signed, id, deps)}`}
  ${
    audit.length > 0 &&
    html`<h2>Audit</h2>
      ${auditTable('Audit of this reconciliation', audit)}`
  }`;
  return { title: signed === undefined ? 'Reconciliation' : 'Certificate of reconciliation', body };
}

function verdictPart({ certificate }: SignedCertificate): Html {
  return certificate.is_equal
    ? html`<p class="flash flash-done">What stands is what was accepted.</p>`
    : html`<p class="flash flash-problem">
        What stands differs from what was accepted. What differs has no known reason: look at the accounts below, and at
        who touched them.
      </p>`;
}

/** It asks for itself again while it runs; once it has ended, the page is to be loaded anew for the certificate. */
function progressPart(one: ReconciliationView, deps: SiteDeps): Html {
  const at = certificatePath(one.reconciliation_id);
  const isRunning = one.status === 'RUNNING';
  return html`<section
    id="progress"
    hx-get="${at}/progress"
    hx-trigger="${isRunning ? POLL : 'none'}"
    hx-swap="outerHTML"
  >
    ${standingPart(one, deps, deps.clock.now())}
  </section>`;
}

function loadPart({ reconciliation_id: id }: ReconciliationView): Html {
  return html`<p class="row"><a class="button" href="${certificatePath(id)}">Load the certificate</a></p>`;
}

async function differencesPart({ database }: SiteDeps, one: ReconciliationView): Promise<Html> {
  const id = one.reconciliation_id;
  const listed = one.counts.differences_listed;
  const first = await readDifferencesAfter(database, id, 0, FIRST_SHOWN);
  return html`<section>
    <h2>Differences by path</h2>
    ${byPathPart(await countByPath(database, id), listed)}
    <h2>Where it differs</h2>
    ${differencesTable(first, one.import_supplier)}
    ${listed > first.length && html`<p><a href="${certificatePath(id)}/differences">All that is listed</a></p>`}
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
            Not signed here: the support site has no <code>RECONCILIATION_KEY</code>. Where the API has one, it signs
            the same certificate.
          </p>`
        : html`<p>Signed with Ed25519, by the key <code>${kid}</code>. Anybody can check it without this service:</p>
            <ol>
              <li>Take the certificate: the file below.</li>
              <li>
                Take the public keys by another way:
                ${linkAway(keys, 'keys of the API', '/v1/data-import/certificate-keys/')}.
              </li>
              <li><code>gangway verify-certificate certificate-${id}.json --key keys.json</code></li>
            </ol>
            <details>
              <summary>The signed text</summary>
              <pre>${jws}</pre>
            </details>`
    }
    <p class="row">
      <a class="button quiet" href="${file}?form=json" download>Certificate (JSON)</a>
      ${jws !== null && html`<a class="button quiet" href="${file}?form=jws" download>Signed text (JWS)</a>`}
    </p>
  </section>`;
}

async function showDifferences({ database, clock }: SiteDeps, { params, query }: PageRequest): Promise<PageAnswer> {
  const id = params['reconciliation'] ?? '';
  const one = await readReconciliation({ database, clock }, id);
  if (isRefused(one)) return one;
  const sent = query.get('after') ?? '0';
  const after = /^\d{1,9}$/.test(sent) ? Number(sent) : 0;
  const found = await readDifferencesAfter(database, id, after, PAGE_SIZE + 1);
  const shown = found.slice(0, PAGE_SIZE);
  const at = certificatePath(id);
  const body = html`<p><a href="${at}">To the certificate</a></p>
    ${shown.length === 0 ? nothing('Nothing more differs.') : differencesTable(shown, one.import_supplier)}
    ${found.length > PAGE_SIZE && nextPage(`${at}/differences?after=${shown.at(-1)!.number}`)}`;
  return { title: 'What differs', body };
}

async function sendFile(deps: SiteDeps, { params, query }: PageRequest): Promise<PageAnswer> {
  const id = params['reconciliation'] ?? '';
  const signed = await readCertificate(deps, id);
  if (isRefused(signed)) return signed;
  const name = `certificate-${id}`;
  if (query.get('form') !== 'jws') {
    return { download: `${name}.json`, type: 'application/json', content: `${JSON.stringify(signed)}\n` };
  }
  if (signed.jws === null) return refuse('not_found', { detail: 'The support site has no key to sign it with.' });
  return { download: `${name}.jws`, type: 'application/jose', content: signed.jws };
}

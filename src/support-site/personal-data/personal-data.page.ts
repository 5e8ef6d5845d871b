import { PERSONAL_DATA, receiptPath } from '../frame/paths.ts';
import {
  eraseAudited,
  exportAudited,
  findReceipt,
  findReceipts,
  previewErasure,
  readRetention,
} from '../../personal-data/index.ts';
import { createSupplierDirectory } from '../../suppliers/index.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { personForm, previewBody, receiptBody, receiptsPart } from './person-parts.ts';
import { retentionPart } from './retention-part.ts';

const RECEIPTS_SHOWN = 50;
/** Receipts of one account that are searched for the new one. */
const NEWEST = 5;

/** Personal data: erasure and export of a person, receipts and retention. */
export function personalDataPages(deps: SiteDeps): Page[] {
  return [
    {
      method: 'GET',
      path: PERSONAL_DATA,
      action: 'look',
      menu: 'Personal data',
      show: (request) => showAll(deps, request),
    },
    {
      method: 'POST',
      path: `${PERSONAL_DATA}/erasures/preview`,
      action: 'person.erase',
      isLong: true,
      show: (request) => showPreview(deps, request),
    },
    {
      method: 'POST',
      path: `${PERSONAL_DATA}/erasures`,
      action: 'person.erase',
      isLong: true,
      show: (request) => erase(deps, request),
    },
    {
      method: 'POST',
      path: `${PERSONAL_DATA}/exports`,
      action: 'person.export',
      isLong: true,
      show: (request) => exportPerson(deps, request),
    },
    {
      method: 'GET',
      path: `${PERSONAL_DATA}/receipts/:receipt`,
      action: 'look',
      show: (request) => showReceipt(deps, request),
    },
  ];
}

async function showAll(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const codes = [...(await createSupplierDirectory(deps).all()).keys()].toSorted();
  const receipts = await findReceipts(deps.database, RECEIPTS_SHOWN);
  const retention = await readRetention(deps);
  const body = html`${request.may('person.erase') && personForm(request, codes)} ${receiptsPart(receipts)}
  ${retentionPart(retention, deps)}`;
  return { title: 'Personal data', body };
}

/** Reads the person from the form, so that no URL contains the account number. */
function personIn({ form }: PageRequest) {
  const sent = (name: string) => (form.get(name) ?? '').trim();
  return {
    import_supplier: sent('import_supplier'),
    external_account_number: sent('external_account_number'),
    customer: sent('customer') === '' ? null : sent('customer'),
  };
}

async function showPreview(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const preview = await previewErasure(deps, personIn(request));
  return isRefused(preview) ? preview : { title: 'Erase a person', body: previewBody(preview, request) };
}

async function erase(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { form, actor } = request;
  const { customer, ...account } = personIn(request);
  if ((form.get('typed') ?? '').trim() !== account.external_account_number) {
    const detail =
      'Nothing was erased: the number that you typed is not the number of the account. Go back and type it again.';
    return refuse('validation_failed', { detail });
  }
  const place = customer === null ? {} : { customer: /^\d{1,6}$/.test(customer) ? Number(customer) : customer };
  const receipt = await eraseAudited(deps, actor, { ...account, ...place, reason: form.get('reason') ?? '' });
  if (isRefused(receipt)) return receipt;
  const kept = await findReceipts(
    deps.database,
    NEWEST,
    `${receipt.import_supplier}/${receipt.external_account_number}`,
  );
  const id = kept.find((one) => one.receipt.erasure_id === receipt.erasure_id)?.id;
  const flash = { kind: 'done', text: 'The data was erased. Store this receipt outside the database.' } as const;
  return { redirect: id === undefined ? PERSONAL_DATA : receiptPath(id), flash };
}

async function exportPerson(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const json = await exportAudited(deps, request.actor, personIn(request));
  return typeof json === 'string' ? { download: 'person.json', type: 'application/json', content: json } : json;
}

async function showReceipt({ database }: SiteDeps, { params }: PageRequest): Promise<PageAnswer> {
  const kept = await findReceipt(database, params['receipt'] ?? '');
  if (kept === undefined) return refuse('not_found', { detail: 'This receipt does not exist.' });
  return { title: 'Receipt of an erasure', body: receiptBody(kept) };
}

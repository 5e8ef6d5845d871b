import { findAllImportSuppliers, findSupplierByCode, importSuppliers } from '../../suppliers/index.ts';
import type { ImportSupplierView } from '../../suppliers/import-supplier.schema.ts';
import { supplierOptions } from '../../suppliers/supplier-options.rules.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { supplierStatuses, type SupplierStatus } from '../../vocabulary/supplier-status.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { badge, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageRequest, SiteDeps } from '../frame/page.ts';
import { reasonField } from '../frame/list-parts.ts';
import { backTo, settingsPage } from './settings-frame.ts';
import { changeIn, OPTION, optionText, WAS } from './supplier-form.rules.ts';

const SUPPLIER_PATH = '/settings/suppliers/:code';
const TONES = { Ongoing: 'good', Paused: 'warn', Complete: 'plain' } as const satisfies Record<SupplierStatus, string>;

/** Import suppliers: the list, and the settings of each. */
export function importSupplierPages({ database }: SiteDeps): Page[] {
  return [
    {
      method: 'GET',
      path: '/settings',
      action: 'look',
      menu: 'Settings',
      show: async (request) =>
        settingsPage('/settings', listPart(await findAllImportSuppliers(database.em()), request)),
    },
    {
      method: 'GET',
      path: SUPPLIER_PATH,
      action: 'look',
      show: async (request) => {
        const code = request.params['code'] ?? '';
        const supplier = code.includes('\0') ? undefined : await findSupplierByCode(database.em(), code);
        if (supplier === undefined) {
          return refuse('not_found', { detail: 'This import supplier does not exist.' });
        }
        return settingsPage('/settings', onePart(supplier, request));
      },
    },
    {
      method: 'POST',
      path: '/settings/suppliers',
      action: 'import-supplier.change',
      show: async ({ form, actor }) => {
        const code = form.get('code') ?? '';
        const name = form.get('name') ?? '';
        const done = await importSuppliers.put(database, actor, { key: code, body: name === '' ? {} : { name } });
        const alreadyExisted = `The import supplier already existed${name === '' ? '' : ' and now has this name'}.`;
        const text = !isRefused(done) && done.status === 201 ? 'The import supplier was registered.' : alreadyExisted;
        return backTo(done, supplierPath(code), text);
      },
    },
    {
      method: 'POST',
      path: SUPPLIER_PATH,
      action: 'import-supplier.change',
      show: async ({ params, form, actor }) => {
        const code = params['code'] ?? '';
        const done = await importSuppliers.put(database, actor, { key: code, body: changeIn(form) });
        return backTo(
          done,
          supplierPath(code),
          'The import supplier was saved. The change takes effect within a second.',
        );
      },
    },
  ];
}

function supplierPath(code: string): string {
  return `/settings/suppliers/${encodeURIComponent(code)}`;
}

function listPart(suppliers: readonly ImportSupplierView[], { may, formToken }: PageRequest): Html {
  const rows = suppliers.map(
    ({ code, name, status, document_root: root, options, reason, updated_at: at }) =>
      html`<tr>
        <td><a href="${supplierPath(code)}">${code}</a></td>
        <td>${name}</td>
        <td>${badge(status, TONES[status])}</td>
        <td>${root !== null && html`<code>${root}</code>`}</td>
        <td>
          ${Object.entries(options).map(([option, value]) => html`<code>${option}=${optionText(value)}</code><br />`)}
        </td>
        <td>${reason}</td>
        <td>${moment(at)}</td>
      </tr>`,
  );
  const heads = ['Code', 'Name', 'Status', 'Document root', 'Options', 'Reason', 'Last changed'];
  return html`${rows.length === 0 ? nothing('No import supplier is registered.') : table('Import suppliers', heads, rows)}
  ${
    may('import-supplier.change') &&
    html`<h2>Register an import supplier</h2>
      <form class="narrow" method="post" action="/settings/suppliers">
        ${formToken}<label for="code">Code, as sent in requests</label>
        <input id="code" name="code" maxlength="32" required />
        <label for="name">Name</label>
        <input id="name" name="name" maxlength="255" />
        <button>Register</button>
      </form>`
  }`;
}

function onePart(supplier: ImportSupplierView, request: PageRequest): Html {
  const { code, name, status, created_at: at, options_revision: revision } = supplier;
  const audit = `/audit?subject=${encodeURIComponent(`import-suppliers/${code}`)}`;
  return html`<h2>${code} ${badge(status, TONES[status])}</h2>
    <p class="fine">
      ${name}, registered ${moment(at)}. Revision ${revision} of the options. <a href="${audit}">Audit</a>
    </p>
    ${request.may('import-supplier.change') ? formPart(supplier, request) : readOnlyPart(supplier)}`;
}

function readOnlyPart({ document_root: root, options, reason }: ImportSupplierView): Html {
  const rows: [string, string][] = [
    ['Document root', root ?? '–'],
    ['Reason', reason ?? '–'],
    ...Object.entries(options).map(([option, value]): [string, string] => [option, optionText(value)]),
  ];
  return html`<dl class="pairs">
    ${rows.map(
      ([head, value]) =>
        html`<dt>${head}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

function formPart(supplier: ImportSupplierView, { formToken }: PageRequest): Html {
  return html`<form class="narrow" method="post" action="${supplierPath(supplier.code)}">
    ${formToken} ${formerValue('name', supplier.name)} ${formerValue('status', supplier.status)}
    ${formerValue('document_root', supplier.document_root ?? '')}
    <label for="name">Name</label>
    <input id="name" name="name" value="${supplier.name}" maxlength="255" required />
    <label for="status">Status</label>
    <select id="status" name="status">
      ${membersOf(supplierStatuses).map((one) => choice(one, supplier.status, one))}
    </select>
    <p class="fine">
      While the status is Paused or Complete, staging and creating accounts is rejected. All other requests are
      accepted.
    </p>
    <label for="document_root">Document root</label>
    <input id="document_root" name="document_root" value="${supplier.document_root}" maxlength="1024" />
    ${[...supplierOptions.keys()].map((option) => optionField(option, supplier))} ${reasonField('supplier-reason')}
    <button>Save</button>
  </form>`;
}

function optionField(option: string, { options }: ImportSupplierView): Html {
  const name = `${OPTION}${option}`;
  const value = optionText(options[option]);
  const kind = supplierOptions.get(option);
  const label = html`${formerValue(name, value)}<label for="${name}">${option}</label>`;
  if (kind?.is === 'flag') {
    return html`${label}<select id="${name}" name="${name}">
        ${choice('', value, 'not set')} ${choice('true', value, 'true')} ${choice('false', value, 'false')}
      </select>`;
  }
  return kind?.is === 'number'
    ? html`${label}<input id="${name}" name="${name}" value="${value}" inputmode="numeric" placeholder="no limit" />`
    : html`${label}<textarea
          id="${name}"
          name="${name}"
          rows="3"
          placeholder="${kind?.is === 'names' ? '["term_type"]' : '{"sales_channel": ["DIRECT"]}'}"
        >
${value}</textarea>`;
}

function formerValue(name: string, value: string): Html {
  return html`<input type="hidden" name="${WAS}${name}" value="${value}" />`;
}

function choice(value: string, chosen: string, text: string): Html {
  return value === chosen
    ? html`<option value="${value}" selected>${text}</option>`
    : html`<option value="${value}">${text}</option>`;
}

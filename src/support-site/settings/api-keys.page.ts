import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { pauseJobsOfKey } from '../../import-jobs/index.ts';
import { createAuditedApiKey, findApiKeys, revokeAuditedApiKey } from '../../access/index.ts';
import type { ApiKeyView } from '../../access/keys/api-key.schema.ts';
import { keyRoles, keyScopes } from '../../vocabulary/key-roles.ts';
import { isDay } from '../../vocabulary/wire-forms.ts';
import { parisMidnight } from '../../platform/clock.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { badge, fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { reasonField } from '../frame/list-parts.ts';
import { backTo, settingsPage } from './settings-frame.ts';

const PATH = '/settings/keys';

/** API keys: the list, new keys (shown once) and revocations. */
export function apiKeyPages(deps: SiteDeps): Page[] {
  const { database } = deps;
  return [
    {
      method: 'GET',
      path: PATH,
      action: 'look',
      show: async (request) => settingsPage(PATH, listPart(await findApiKeys(database.em()), request, deps)),
    },
    { method: 'POST', path: PATH, action: 'api-key.change', show: (request) => create(deps, request) },
    {
      method: 'POST',
      path: `${PATH}/:id/revoke`,
      action: 'api-key.change',
      show: async ({ params, actor }) => {
        const done = await revokeAuditedApiKey({ database, onKeyRevoked: pauseJobsOfKey }, actor, params['id'] ?? '');
        return backTo(done, PATH, 'The key was revoked. Its tokens become invalid within a second.');
      },
    },
  ];
}

/** Only the response to this form shows the key, which is not stored. */
async function create({ database }: SiteDeps, { form, actor }: PageRequest): Promise<PageAnswer> {
  const id = form.get('id') ?? '';
  if (!isUuid(id)) {
    return refuse('validation_failed', { detail: 'Reload the API keys page and fill in the form again.' });
  }
  const sent = (name: string) => (form.get(name) ?? '').trim();
  const suppliers = sent('import_suppliers')
    .split(/[\s,]+/)
    .filter((code) => code !== '');
  const wanted = {
    organisation: sent('organisation'),
    name: sent('name'),
    role: sent('role'),
    ...(sent('scope') === '' ? {} : { scope: sent('scope') }),
    ...(sent('expires_at') === '' ? {} : { expires_at: endOf(sent('expires_at')) }),
    ...(suppliers.length === 0 ? {} : { import_suppliers: suppliers }),
    ...(sent('reason') === '' ? {} : { reason: sent('reason') }),
  };
  const made = await createAuditedApiKey({ database }, actor, wanted, id);
  if (isRefused(made)) return made;
  return settingsPage(
    PATH,
    html`<h2>The new key</h2>
      <p>The key is shown only once. Hand it over by a secure channel, then close this page.</p>
      <p class="card"><code>${made.api_key}</code></p>
      <p><a class="button" href="${PATH}">Done</a></p>`,
  );
}

function listPart(keys: readonly ApiKeyView[], request: PageRequest, { clock }: SiteDeps): Html {
  const now = clock.now();
  const isEnded = ({ revoked_at: revoked, expires_at: end }: ApiKeyView) =>
    revoked !== null || (end !== null && new Date(end) <= now);
  const ended = keys.filter(isEnded);
  const inForce = keys.filter((key) => !isEnded(key));
  return html`${inForce.length === 0 ? nothing('There are no valid keys.') : keysTable('Valid keys', inForce, request, now)}
  ${
    ended.length > 0 &&
    html`<details>
      <summary>${ended.length} revoked or expired ${ended.length === 1 ? 'key' : 'keys'}</summary>
      ${keysTable('Revoked or expired keys', ended, request, now)}
    </details>`
  }
  ${request.may('api-key.change') && newKeyForm(request)}`;
}

function keysTable(label: string, keys: readonly ApiKeyView[], { may, formToken }: PageRequest, now: Date): Html {
  const mayRevoke = may('api-key.change');
  const rows = keys.map((key) => {
    const { revoked_at: revoked, import_suppliers: suppliers } = key;
    const audit = `/audit?actor=${encodeURIComponent(`${key.organisation} / ${key.name}`)}`;
    return html`<tr>
      <td>${key.organisation}</td>
      <td>
        ${key.name}<br /><small><code>${key.starts_with}…</code></small>
      </td>
      <td>${badge(key.role)} ${key.role === 'operator' && badge(key.scope, key.scope === 'all' ? 'warn' : 'plain')}</td>
      <td>${suppliers.join(', ')}</td>
      <td>${moment(key.created_at)}</td>
      <td>${key.last_used_at === null ? 'never' : fromNow(key.last_used_at, now)}</td>
      <td>
        ${revoked !== null ? html`revoked ${moment(revoked)}` : key.expires_at === null ? 'never' : moment(key.expires_at)}
      </td>
      <td>
        <a href="${audit}">Audit</a>
        ${
          mayRevoke &&
          revoked === null &&
          html`<form
            method="post"
            action="${PATH}/${key.id}/revoke"
            data-ask="Revoke the key ${key.name} of ${key.organisation}?"
          >
            ${formToken}<button class="danger">Revoke</button>
          </form>`
        }
      </td>
    </tr>`;
  });
  const heads = ['Organization', 'Key', 'Role and scope', 'Import suppliers', 'Created', 'Last used', 'Expires', ''];
  return table(label, heads, rows);
}

function newKeyForm({ formToken }: PageRequest): Html {
  return html`<h2>New key</h2>
    <form class="narrow" method="post" action="${PATH}">
      ${formToken}<input type="hidden" name="id" value="${uuidv7()}" />
      <label for="organisation">Organization</label>
      <input id="organisation" name="organisation" maxlength="255" required />
      <label for="key-name">Name of the program that uses the key</label>
      <input id="key-name" name="name" maxlength="255" required />
      <label for="role">Role</label>
      <select id="role" name="role">
        ${membersOf(keyRoles).map((role) => html`<option>${role}</option>`)}
      </select>
      <label for="scope">Scope</label>
      <select id="scope" name="scope">
        ${membersOf(keyScopes).map((scope) => html`<option>${scope}</option>`)}
      </select>
      <p class="fine">The scope applies only to the role operator.</p>
      <label for="import_suppliers">Codes of its import suppliers (only for the role supplier)</label>
      <input id="import_suppliers" name="import_suppliers" />
      <label for="expires_at">Expires at the start of this day in France (leave empty for never)</label>
      <input id="expires_at" name="expires_at" type="date" />
      ${reasonField('key-reason')}
      <button>Create the key</button>
    </form>`;
}

/** Midnight in France; validation rejects a text that is not a day. */
function endOf(day: string): string {
  return isDay(day) ? parisMidnight(day).toISOString() : day;
}

import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { pauseJobsOfKey } from '../../import-jobs/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { createAuditedApiKey, findApiKeys, findKeysOfViewer, revokeAuditedApiKey } from '../../access/index.ts';
import type { ApiKeyView } from '../../access/keys/api-key.schema.ts';
import type { Words } from '../../vocabulary/french-site.ts';
import { keyRoles, keyScopes, type KeyScope } from '../../vocabulary/key-roles.ts';
import { isDay } from '../../vocabulary/wire-forms.ts';
import { parisMidnight } from '../../platform/clock.ts';
import { membersOf } from '../../vocabulary/value-sets.ts';
import { addressOf, AUDIT } from '../frame/paths.ts';
import { badge, buttonLink, code, fromNow, link, moment } from '../frame/cells.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { copyButton, form, reason } from '../frame/forms.ts';
import { pairs } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { listPages, NUMBERS, pageIn, type List } from '../frame/list.ts';
import { accepted, done, handler, invalid, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { settingsPage } from './settings.page.ts';

const PATH = '/settings/keys';

/** API keys: the list, new keys (shown once) and revocations. */
export const apiKeyPages = [
  ...listPages({
    path: PATH,
    title: () => t('API keys'),
    list: keysOf,
    body: async (request, list) => {
      const body = html`${list} ${request.may('api-key.change') && (await newKeyForm(request))}`;
      return settingsPage(PATH, body, request.viewer === undefined).body;
    },
  }),
  handler(PATH, 'api-key.change', create),
  handler(`${PATH}/:id/revoke`, 'api-key.revoke', async ({ database, params, actor }) => {
    accepted(await revokeAuditedApiKey({ database, onKeyRevoked: pauseJobsOfKey }, actor, params['id'] ?? ''));
    return done(PATH, t('The key was revoked. Its tokens become invalid within a second.'));
  }),
];

/** Only the response to this form shows the key, which is not stored. */
async function create(request: PageRequest): Promise<PageAnswer> {
  const { id = '', expires_at: end, import_suppliers: codes, ...sent } = fieldsIn(request.form);
  if (!isUuid(id)) invalid('Reload the API keys page and fill in the form again.');
  const wanted = {
    organisation: '',
    name: '',
    ...sent,
    // Midnight in France; validation rejects a text that is not a day.
    ...(end === undefined ? {} : { expires_at: isDay(end) ? parisMidnight(end).toISOString() : end }),
    ...(codes === undefined ? {} : { import_suppliers: codes.split(/[\s,]+/).filter((one) => one !== '') }),
  };
  const made = accepted(await createAuditedApiKey(request, request.actor, wanted, id));
  const key = (await findApiKeys(request.database.em(), made.id))[0]!;
  return settingsPage(
    PATH,
    html`<h2>${t('The new key')}</h2>
      <p>${t('The key is shown only once. Hand it over by a secure channel, then close this page.')}</p>
      <p class="card"><code id="new-key">${made.api_key}</code> ${copyButton('new-key')}</p>
      ${pairs([
        [t('Organization'), key.organisation],
        [t('Key'), key.name],
        [t('Role and scope'), roleOf(key)],
        [t('Import suppliers'), key.import_suppliers.join(', ')],
        [t('Expires'), endOf(key)],
      ])}
      <p>${buttonLink(PATH, t('Done'), 'plain')}</p>`,
  );
}

async function keysOf(request: PageRequest): Promise<List<ApiKeyView>> {
  const { database, viewer, now, query } = request;
  const keys = await (viewer === undefined ? findApiKeys(database.em()) : findKeysOfViewer(database.em(), viewer));
  const isEnded = ({ revoked_at: revoked, expires_at: end }: ApiKeyView) =>
    revoked !== null || (end !== null && new Date(end) <= now);
  const state = query.get('state') === 'ended' ? 'ended' : '';
  const options = [['', t('Valid keys')] as const, ['ended', t('Revoked or expired keys')] as const];
  const wanted = keys.filter((key) => isEnded(key) === (state === 'ended'));
  return {
    name: 'keys',
    path: PATH,
    label: t('API keys'),
    filters: [{ label: t('State'), name: 'state', value: state, options }],
    columns: {
      name: [t('Key'), undefined, 'row'],
      organisation: [t('Organization')],
      starts_with: [t('Starts with'), ({ starts_with: start }) => code(start)],
      role: [
        t('Role and scope'),
        roleOf,
        undefined,
        ({ role, scope }) => (role === 'operator' ? `${role} ${scope}` : role),
      ],
      import_suppliers: [t('Import suppliers'), (one) => one.import_suppliers.join(', ')],
      created_at: [t('Created'), ({ created_at: at }) => moment(at)],
      last_used_at: [t('Last used'), ({ last_used_at: at }) => (at === null ? t('never') : fromNow(at, now))],
      expires_at: [t('Expires'), endOf],
      actions: ['', (key) => actionsOf(key, request)],
    },
    cursors: NUMBERS,
    read: async (window) => pageIn(wanted, window),
    empty: t('There are no valid keys.'),
  };
}

function roleOf({ role, scope }: ApiKeyView): Html {
  return html`${badge(translated(role))} ${role === 'operator' && badge(scope, scope === 'all' ? 'warn' : 'plain')}`;
}

function endOf({ revoked_at: revoked, expires_at: end }: ApiKeyView): Part {
  if (revoked !== null) return html`${t('revoked {time}', { time: moment(revoked) })}`;
  return end === null ? t('never') : moment(end);
}

function actionsOf({ id, organisation, name, revoked_at: revoked }: ApiKeyView, request: PageRequest): Html {
  const ask = t('Revoke the key {name} of {organisation}?', { name, organisation });
  const revoke = { action: `${PATH}/${id}/revoke`, ask, button: t('Revoke'), tone: 'danger', look: 'plain' } as const;
  return html`${request.may('look') && link(addressOf(AUDIT, { actor: `${organisation} / ${name}` }), t('Audit'))}
  ${request.may('api-key.revoke') && revoked === null && form(request, revoke)}`;
}

/** What a scope allows, and the role of a person who signs in with the key. */
const SCOPES: Record<KeyScope, Words> = {
  all: 'all: everything; signs in as administrator',
  approve: 'approve: daily work and approval of waves; signs in as operator',
  operate: 'operate: daily work; signs in as operator',
  read: 'read: only reading; signs in as viewer',
  market_messages: 'market_messages: only sending market messages; cannot sign in',
};

async function newKeyForm(request: PageRequest): Promise<Html> {
  const codes = (await supplierCodes(request.suppliers)).join(', ');
  const text = { maxlength: 255, required: true };
  const suppliers = t('Codes of its import suppliers (required for the role supplier)');
  const end = t('Expires at the start of this day in France (leave empty for never)');
  const hint = t('The scope applies only to the role operator.');
  return html`<h2>${t('New key')}</h2>
    ${form(request, {
      action: PATH,
      hidden: { id: uuidv7() },
      fields: [
        { label: t('Organization'), name: 'organisation', ...text },
        { label: t('Name of the program that uses the key'), name: 'name', ...text },
        { label: t('Role'), name: 'role', options: membersOf(keyRoles) },
        {
          label: t('Scope'),
          name: 'scope',
          options: membersOf(keyScopes).map((one) => [one, t(SCOPES[one])] as const),
          hint,
        },
        { label: suppliers, name: 'import_suppliers', hint: t('Registered: {codes}', { codes }) },
        { label: end, name: 'expires_at', type: 'date' },
        reason(),
      ],
      button: t('Create the key'),
    })}`;
}

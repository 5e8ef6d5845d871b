import {
  endAuditedSession,
  endAuditedSessionsOf,
  findAuditEntries,
  findOpenSessions,
  operationsTeams,
  organisations,
} from '../../access/index.ts';
import { badge, code, count, figure, fromNow, link, moment } from '../frame/cells.ts';
import { table, tabs } from '../frame/parts.ts';
import { form, reason, reasonForm } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, done, handler, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import type { OpenSessionView } from '../../access/people/person-session.schema.ts';
import { addressOf, AUDIT } from '../frame/paths.ts';
import { concurrencyLimit, findConcurrencyLimit } from '../../account-import/index.ts';
import { t } from '../frame/language.ts';

const ORGANISATIONS = '/settings/organisations';
const TEAMS = '/settings/teams';
const LIMIT = '/settings/limit';
const SIGNED_IN = 'person.signed_in';
const PEOPLE = '/settings/people';

/** Operations teams, the organizations of API keys, people with their sessions, and the limit of concurrent creations. */
export const settingsPages = [
  page(ORGANISATIONS, async (request) =>
    settingsPage(ORGANISATIONS, html`${await teamsPart(request)} ${await organisationsPart(request)}`),
  ),
  handler(TEAMS, 'operations-team.change', async ({ database, form: sent, actor }) => {
    const team = { key: sent.get('name') ?? '', body: { reason: sent.get('reason') ?? '' } };
    const { status } = accepted(await operationsTeams.put(database, actor, team));
    return done(ORGANISATIONS, status === 201 ? 'The team was added.' : 'A team with this name already exists.');
  }),
  handler(ORGANISATIONS, 'organisation.change', async ({ database, form: sent, actor }) => {
    const isOn = sent.get('customer_authorisation') === 'on';
    const body = { customer_authorisation: isOn, reason: sent.get('reason') ?? '' };
    accepted(await organisations.put(database, actor, { key: sent.get('name') ?? '', body }));
    return done(ORGANISATIONS, 'Saved. The change applies to batches that are accepted from now on.');
  }),
  page(PEOPLE, async (request) =>
    settingsPage(PEOPLE, html`${await sessionsPart(request)} ${await signInsPart(request)}`),
  ),
  handler(`${PEOPLE}/sessions/:id/end`, 'person-session.end', async (request) =>
    ended(accepted(await endAuditedSession(request, request.actor, request.params['id'] ?? ''))),
  ),
  handler(`${PEOPLE}/end`, 'person-session.end', async (request) => {
    const subject = request.form.get('subject') ?? '';
    return ended(accepted(await endAuditedSessionsOf(request, request.actor, { subject })));
  }),
  page(LIMIT, async (request) => settingsPage(LIMIT, await limitPart(request))),
  handler(LIMIT, 'concurrency-limit.set', async ({ database, form: sent, actor }) => {
    const limit = (sent.get('limit') ?? '').trim();
    const body = { limit: limit === '' ? null : wholeNumberIn(limit), reason: sent.get('reason') ?? '' };
    accepted(await concurrencyLimit.put(database, actor, { body }));
    return done(LIMIT, 'The limit was saved. It takes effect within a second.');
  }),
];

async function teamsPart(request: PageRequest): Promise<Html> {
  const teams = await operationsTeams.all(request.database.em());
  const label = 'Name of a new team, as sent in requests';
  return html`<section>
    <h2>Operations teams</h2>
    ${table(
      'Operations teams',
      teams,
      [
        ['Name', ({ name }) => name],
        ['Added', ({ created_at: at }) => moment(at)],
      ],
      'There are no teams.',
    )}
    ${
      request.may('operations-team.change') &&
      form(request, {
        action: TEAMS,
        id: 'team',
        fields: [{ label, name: 'name', maxlength: 255, required: true }, reason()],
        button: 'Add the team',
      })
    }
  </section>`;
}

async function organisationsPart(request: PageRequest): Promise<Html> {
  const all = await organisations.all(request.database.em());
  return html`<section>
    <h2>Organizations</h2>
    <p class="fine">
      An organization is added with its first API key. Customer authorization: whether the lookups of its batches are
      sent as authorized by the customers, unless the batch says otherwise. Enable it only if the organization obtains
      the authorization of every customer.
    </p>
    ${table(
      'Organizations',
      all,
      [
        ['Name', ({ name }) => name],
        [
          'Customer authorization',
          ({ customer_authorisation: isOn }) => (isOn ? badge('enabled', 'good') : badge('disabled')),
        ],
        ['Added', ({ created_at: at }) => moment(at)],
        request.may('organisation.change') && [
          'Change',
          ({ name, customer_authorisation: isOn }) =>
            reasonForm(request, {
              action: ORGANISATIONS,
              hidden: { name, customer_authorisation: isOn ? 'off' : 'on' },
              fields: [{ ...reason(true, `Reason for ${name}`), placeholder: 'Reason' }],
              button: `${isOn ? 'Disable' : 'Enable'} authorization`,
              tone: 'quiet',
            }),
        ],
      ],
      'There are no organizations.',
    )}
  </section>`;
}

const SIGN_INS_SHOWN = 50;

function ended({ ended: sessions }: { ended: number }): PageAnswer {
  return done(PEOPLE, `${count(sessions)} ${sessions === 1 ? 'session' : 'sessions'} ended.`);
}

async function sessionsPart(request: PageRequest): Promise<Html> {
  const sessions = await findOpenSessions(request.database.em());
  // Sessions are sorted by person.
  const isFirst = (index: number) => sessions[index - 1]?.subject !== sessions[index]?.subject;
  const hasMore = (index: number) => isFirst(index) && sessions[index + 1]?.subject === sessions[index]?.subject;
  return html`<h2>Sessions</h2>
    ${table('Valid sessions', sessions, [
      [
        'Person',
        ({ name, subject }, index) =>
          isFirst(index) && html`<strong>${name}</strong><br /><small>${code(subject)}</small>`,
      ],
      ['Role', ({ id, role }) => html`${badge(role)} ${id === request.sessionId && badge('this session', 'good')}`],
      ['Signed in with', (session) => html`${session.signed_in_by}<br /><small>${session.network}</small>`],
      ['Signed in', (session) => moment(session.created_at)],
      ['Last seen', (session) => fromNow(session.last_seen_at, request.now)],
      ['Expires', (session) => fromNow(session.ends_at, request.now)],
      request.may('person-session.end') && ['', (session, index) => endForms(session, request, hasMore(index))],
    ])}
    <p class="fine">
      Roles come from the identity provider or from the key. To lock a person out, first remove the role or revoke the
      key, then end the sessions.
    </p>`;
}

function endForms({ id, subject, name }: OpenSessionView, request: PageRequest, hasMore: boolean): Html {
  const end = { button: 'End', tone: 'danger', look: 'plain' } as const;
  const ask = `End all sessions of ${name}?`;
  return html`${form(request, { ...end, action: `${PEOPLE}/sessions/${id}/end` })}
  ${hasMore && form(request, { ...end, action: `${PEOPLE}/end`, hidden: { subject }, ask, button: 'End all' })}`;
}

async function signInsPart({ database }: PageRequest): Promise<Html> {
  const entries = await findAuditEntries(database.em(), { limit: SIGN_INS_SHOWN, action: SIGNED_IN });
  const signIns = entries.map(({ at, actor, after }) => ({
    ...(after as Record<'role' | 'by' | 'network', string | undefined> | null),
    at,
    actor,
  }));
  return html`<h2>Recent sign-ins</h2>
    ${table(
      'Recent sign-ins',
      signIns,
      [
        ['Time', ({ at }) => moment(at)],
        ['Person', ({ actor: { name } }) => link(addressOf(AUDIT, { actor: name }), name)],
        ['Role', ({ role }) => role],
        ['Signed in with', ({ by }) => by],
        ['Network', ({ network }) => network],
      ],
      'There are no recent sign-ins.',
    )}
    <p>${link(addressOf(AUDIT, { action: SIGNED_IN }), 'All sign-ins')}</p>`;
}

/** A number; validation rejects any other text. */
function wholeNumberIn(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

async function limitPart(request: PageRequest): Promise<Html> {
  const { limit, in_use: used, updated_at: at, ...last } = await findConcurrencyLimit(request.database.em());
  const hint = 'Creations above the limit are rejected with status 429. All import suppliers share the limit.';
  const label = 'Limit (leave empty for none)';
  return html`<h2>Accounts created concurrently</h2>
    <div class="cards">
      ${figure('limit', limit === null ? 'none' : count(limit))} ${figure('being created now', count(used))}
    </div>
    <p class="fine">${at === null ? 'The limit was never set.' : html`Last changed ${moment(at)}. ${last.reason}`}</p>
    ${
      request.may('concurrency-limit.set') &&
      form(request, {
        action: LIMIT,
        fields: [{ label, name: 'limit', value: limit, inputmode: 'numeric', hint }, reason()],
        button: 'Save',
      })
    }`;
}

const TABS = [
  ['/settings', 'Import suppliers'],
  ['/settings/organisations', 'Teams and organizations'],
  ['/settings/keys', 'API keys'],
  ['/settings/people', 'People'],
  ['/settings/limit', 'Concurrency limit'],
] as const;

/** A page of the settings with their tabs. People of import suppliers have no other one. */
export function settingsPage(at: (typeof TABS)[number][0], body: Html, hasTabs = true): { title: string; body: Html } {
  const [, title] = TABS.find(([path]) => path === at)!;
  const names = TABS.map(([path, name]) => [path, t(name)] as const);
  return { title: t(title), body: html`${hasTabs && tabs(t('Settings'), names, at)} ${body}` };
}

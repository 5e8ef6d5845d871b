import { endAuditedSession, endAuditedSessionsOf, findAuditEntries, findOpenSessions } from '../../access/index.ts';
import type { OpenSessionView } from '../../access/people/person-session.schema.ts';
import { addressOf, AUDIT } from '../frame/paths.ts';
import { badge, code, count, fromNow, link, moment, table } from '../frame/elements.ts';
import { form } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, done, handler, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { settingsPage } from './settings-frame.ts';

const PATH = '/settings/people';
const SIGNED_IN = 'person.signed_in';
const SIGN_INS_SHOWN = 50;

/** Sessions, recent sign-ins, and the forms that end sessions. */
export const peoplePages = [
  page(PATH, async (request) => settingsPage(PATH, html`${await sessionsPart(request)} ${await signInsPart(request)}`)),
  handler(`${PATH}/sessions/:id/end`, 'person-session.end', async (request) =>
    ended(accepted(await endAuditedSession(request, request.actor, request.params['id'] ?? ''))),
  ),
  handler(`${PATH}/end`, 'person-session.end', async (request) => {
    const subject = request.form.get('subject') ?? '';
    return ended(accepted(await endAuditedSessionsOf(request, request.actor, { subject })));
  }),
];

function ended({ ended: sessions }: { ended: number }): PageAnswer {
  return done(PATH, `${count(sessions)} ${sessions === 1 ? 'session' : 'sessions'} ended.`);
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
      Roles come from the identity provider or from the operator key. To lock a person out, first remove the role or
      revoke the key, then end the sessions.
    </p>`;
}

function endForms({ id, subject, name }: OpenSessionView, request: PageRequest, hasMore: boolean): Html {
  const end = { button: 'End', tone: 'danger', look: 'plain' } as const;
  const ask = `End all sessions of ${name}?`;
  return html`${form(request, { ...end, action: `${PATH}/sessions/${id}/end` })}
  ${hasMore && form(request, { ...end, action: `${PATH}/end`, hidden: { subject }, ask, button: 'End all' })}`;
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

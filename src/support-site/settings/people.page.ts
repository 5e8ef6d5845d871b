import {
  endAuditedSession,
  endAuditedSessionsOf,
  findAuditEntries,
  findOpenSessions,
  type AuditEntryView,
} from '../../access/index.ts';
import type { OpenSessionView } from '../../access/people/person-session.schema.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { badge, count, fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { backTo, settingsPage } from './settings-frame.ts';

const PATH = '/settings/people';
const SIGNED_IN = 'person.signed_in';
const SIGN_INS_SHOWN = 50;

/** Sessions, recent sign-ins, and the forms that end sessions. */
export function peoplePages(deps: SiteDeps): Page[] {
  const { database } = deps;
  return [
    {
      method: 'GET',
      path: PATH,
      action: 'look',
      show: async (request) => {
        const sessions = await findOpenSessions(database.em());
        const signIns = await findAuditEntries(database.em(), { limit: SIGN_INS_SHOWN, action: SIGNED_IN });
        return settingsPage(PATH, html`${sessionsPart(sessions, request, deps)} ${signInsPart(signIns)}`);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/sessions/:id/end`,
      action: 'person-session.end',
      show: async ({ params, actor }) => ended(await endAuditedSession({ database }, actor, params['id'] ?? '')),
    },
    {
      method: 'POST',
      path: `${PATH}/end`,
      action: 'person-session.end',
      show: async ({ form, actor }) =>
        ended(await endAuditedSessionsOf({ database }, actor, { subject: form.get('subject') ?? '' })),
    },
  ];
}

function ended(done: { ended: number } | Refused): PageAnswer {
  const text = isRefused(done) ? '' : `${count(done.ended)} ${done.ended === 1 ? 'session' : 'sessions'} ended.`;
  return backTo(done, PATH, text);
}

function sessionsPart(sessions: readonly OpenSessionView[], request: PageRequest, { clock }: SiteDeps): Html {
  const now = clock.now();
  const rows = sessions.map((session, index) => {
    const isFirst = sessions[index - 1]?.subject !== session.subject;
    // Sessions are sorted by person.
    const hasMore = isFirst && sessions[index + 1]?.subject === session.subject;
    return html`<tr>
      <td>${isFirst && html`<strong>${session.name}</strong><br /><small><code>${session.subject}</code></small>`}</td>
      <td>${badge(session.role)} ${session.id === request.sessionId && badge('this session', 'good')}</td>
      <td>${session.signed_in_by}<br /><small>${session.network}</small></td>
      <td>${moment(session.created_at)}</td>
      <td>${fromNow(session.last_seen_at, now)}</td>
      <td>${fromNow(session.ends_at, now)}</td>
      ${request.may('person-session.end') && html`<td>${endForms(session, request, hasMore)}</td>`}
    </tr>`;
  });
  const heads = ['Person', 'Role', 'Signed in with', 'Signed in', 'Last seen', 'Expires'];
  const mayEnd = request.may('person-session.end');
  return html`<h2>Sessions</h2>
    ${table('Valid sessions', mayEnd ? [...heads, ''] : heads, rows)}
    <p class="fine">
      Roles come from the identity provider or from the operator key. To lock a person out, first remove the role or
      revoke the key, then end the sessions.
    </p>`;
}

function endForms({ id, subject, name }: OpenSessionView, { formToken }: PageRequest, hasMore: boolean): Html {
  return html`<form method="post" action="${PATH}/sessions/${id}/end">
      ${formToken}<button class="danger">End</button>
    </form>
    ${
      hasMore &&
      html`<form method="post" action="${PATH}/end" data-ask="End all sessions of ${name}?">
        ${formToken}<input type="hidden" name="subject" value="${subject}" /><button class="danger">End all</button>
      </form>`
    }`;
}

function signInsPart(entries: readonly AuditEntryView[]): Html {
  const rows = entries.map(({ at, actor, after }) => {
    const { role, by, network } = (after ?? {}) as Record<string, string | undefined>;
    return html`<tr>
      <td>${moment(at)}</td>
      <td><a href="/audit?actor=${encodeURIComponent(actor.name)}">${actor.name}</a></td>
      <td>${role}</td>
      <td>${by}</td>
      <td>${network}</td>
    </tr>`;
  });
  return html`<h2>Recent sign-ins</h2>
    ${rows.length === 0 ? nothing('There are no recent sign-ins.') : table('Recent sign-ins', ['Time', 'Person', 'Role', 'Signed in with', 'Network'], rows)}
    <p><a href="/audit?action=${SIGNED_IN}">All sign-ins</a></p>`;
}

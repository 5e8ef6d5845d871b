import { operationsTeams, organisations } from '../../access/index.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import type { OperationsTeamView, OrganisationView } from '../../access/organisations/organisation.schema.ts';
import { badge, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageRequest, SiteDeps } from '../frame/page.ts';
import { reasonField } from '../frame/list-parts.ts';
import { backTo, settingsPage } from './settings-frame.ts';

const PATH = '/settings/organisations';

/** Operations teams, and the organizations of API keys. */
export function organisationPages({ database }: SiteDeps): Page[] {
  return [
    {
      method: 'GET',
      path: PATH,
      action: 'look',
      show: async (request) => {
        const teams = teamsPart(await operationsTeams.all(database.em()), request);
        const others = organisationsPart(await organisations.all(database.em()), request);
        return settingsPage(PATH, html`${teams} ${others}`);
      },
    },
    {
      method: 'POST',
      path: '/settings/teams',
      action: 'operations-team.change',
      show: async ({ form, actor }) => {
        const sent = { key: form.get('name') ?? '', body: { reason: form.get('reason') ?? '' } };
        const done = await operationsTeams.put(database, actor, sent);
        const text =
          !isRefused(done) && done.status === 201 ? 'The team was added.' : 'A team with this name already exists.';
        return backTo(done, PATH, text);
      },
    },
    {
      method: 'POST',
      path: PATH,
      action: 'organisation.change',
      show: async ({ form, actor }) => {
        const body = {
          customer_authorisation: form.get('customer_authorisation') === 'on',
          reason: form.get('reason') ?? '',
        };
        const done = await organisations.put(database, actor, { key: form.get('name') ?? '', body });
        return backTo(done, PATH, 'Saved. The change applies to batches that are accepted from now on.');
      },
    },
  ];
}

function teamsPart(teams: readonly OperationsTeamView[], { may, formToken }: PageRequest): Html {
  const rows = teams.map(
    ({ name, created_at: at }) =>
      html`<tr>
        <td>${name}</td>
        <td>${moment(at)}</td>
      </tr>`,
  );
  return html`<section>
    <h2>Operations teams</h2>
    ${rows.length === 0 ? nothing('There are no teams.') : table('Operations teams', ['Name', 'Added'], rows)}
    ${
      may('operations-team.change') &&
      html`<form class="narrow" method="post" action="/settings/teams">
        ${formToken}<label for="team">Name of a new team, as sent in requests</label>
        <input id="team" name="name" maxlength="255" required />
        ${reasonField('team-reason')}
        <button>Add the team</button>
      </form>`
    }
  </section>`;
}

function organisationsPart(organisations: readonly OrganisationView[], { may, formToken }: PageRequest): Html {
  const mayChange = may('organisation.change');
  const rows = organisations.map(
    ({ name, customer_authorisation: isOn, created_at: at }, index) =>
      html`<tr>
        <td>${name}</td>
        <td>${isOn ? badge('enabled', 'good') : badge('disabled')}</td>
        <td>${moment(at)}</td>
        ${
          mayChange &&
          html`<td>
            <form class="row" method="post" action="${PATH}">
              ${formToken}<input type="hidden" name="name" value="${name}" />
              <input type="hidden" name="customer_authorisation" value="${isOn ? 'off' : 'on'}" />
              <input
                name="reason"
                maxlength="1000"
                required
                aria-label="Reason for ${name}"
                placeholder="Reason"
                id="organisation-${index}"
              />
              <button class="quiet">${isOn ? 'Disable' : 'Enable'} authorization</button>
            </form>
          </td>`
        }
      </tr>`,
  );
  const heads = ['Name', 'Customer authorization', 'Added', ...(mayChange ? ['Change'] : [])];
  return html`<section>
    <h2>Organizations</h2>
    <p class="fine">
      An organization is added with its first API key. Customer authorization: whether the lookups of its batches are
      sent as authorized by the customers, unless the batch says otherwise. Enable it only if the organization obtains
      the authorization of every customer.
    </p>
    ${rows.length === 0 ? nothing('There are no organizations.') : table('Organizations', heads, rows)}
  </section>`;
}

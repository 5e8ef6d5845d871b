import { operationsTeams, organisations } from '../../access/index.ts';
import { badge, moment, table } from '../frame/elements.ts';
import { form, reason, reasonForm } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, done, handler, page, type PageRequest } from '../frame/page.ts';
import { settingsPage } from './settings-frame.ts';

const PATH = '/settings/organisations';
const TEAMS = '/settings/teams';

/** Operations teams, and the organizations of API keys. */
export const organisationPages = [
  page(PATH, async (request) =>
    settingsPage(PATH, html`${await teamsPart(request)} ${await organisationsPart(request)}`),
  ),
  handler(TEAMS, 'operations-team.change', async ({ database, form: sent, actor }) => {
    const team = { key: sent.get('name') ?? '', body: { reason: sent.get('reason') ?? '' } };
    const { status } = accepted(await operationsTeams.put(database, actor, team));
    return done(PATH, status === 201 ? 'The team was added.' : 'A team with this name already exists.');
  }),
  handler(PATH, 'organisation.change', async ({ database, form: sent, actor }) => {
    const isOn = sent.get('customer_authorisation') === 'on';
    const body = { customer_authorisation: isOn, reason: sent.get('reason') ?? '' };
    accepted(await organisations.put(database, actor, { key: sent.get('name') ?? '', body }));
    return done(PATH, 'Saved. The change applies to batches that are accepted from now on.');
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
              action: PATH,
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

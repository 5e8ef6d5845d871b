import { concurrencyLimit, findConcurrencyLimit } from '../../account-import/index.ts';
import { count, figure, moment } from '../frame/elements.ts';
import { form, reason } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, done, handler, page, type PageRequest } from '../frame/page.ts';
import { settingsPage } from './settings-frame.ts';

const PATH = '/settings/limit';

/** The limit of accounts that are created concurrently. */
export const concurrencyLimitPages = [
  page(PATH, async (request) => settingsPage(PATH, await limitPart(request))),
  handler(PATH, 'concurrency-limit.set', async ({ database, form: sent, actor }) => {
    const limit = (sent.get('limit') ?? '').trim();
    const body = { limit: limit === '' ? null : wholeNumberIn(limit), reason: sent.get('reason') ?? '' };
    accepted(await concurrencyLimit.put(database, actor, { body }));
    return done(PATH, 'The limit was saved. It takes effect within a second.');
  }),
];

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
        action: PATH,
        fields: [{ label, name: 'limit', value: limit, inputmode: 'numeric', hint }, reason()],
        button: 'Save',
      })
    }`;
}

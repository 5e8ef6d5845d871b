import { concurrencyLimit, findConcurrencyLimit } from '../../account-import/index.ts';
import type { ConcurrencyLimitView } from '../../account-import/index.ts';
import { count, moment } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageRequest, SiteDeps } from '../frame/page.ts';
import { reasonField } from '../frame/list-parts.ts';
import { backTo, settingsPage } from './settings-frame.ts';

const PATH = '/settings/limit';

/** The limit of accounts that are created concurrently. */
export function concurrencyLimitPages({ database }: SiteDeps): Page[] {
  return [
    {
      method: 'GET',
      path: PATH,
      action: 'look',
      show: async (request) => settingsPage(PATH, limitPart(await findConcurrencyLimit(database.em()), request)),
    },
    {
      method: 'POST',
      path: PATH,
      action: 'concurrency-limit.set',
      show: async ({ form, actor }) => {
        const sent = (form.get('limit') ?? '').trim();
        const body = { limit: sent === '' ? null : wholeNumberIn(sent), reason: form.get('reason') ?? '' };
        const done = await concurrencyLimit.put(database, actor, { body });
        return backTo(done, PATH, 'The limit was saved. It takes effect within a second.');
      },
    },
  ];
}

/** A number; validation rejects any other text. */
function wholeNumberIn(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

function limitPart({ limit, in_use: used, reason, updated_at: at }: ConcurrencyLimitView, request: PageRequest): Html {
  return html`<h2>Accounts created concurrently</h2>
    <div class="cards">
      <div class="card"><span class="figure">${limit === null ? 'none' : count(limit)}</span> limit</div>
      <div class="card"><span class="figure">${count(used)}</span> being created now</div>
    </div>
    <p class="fine">${at === null ? 'The limit was never set.' : html`Last changed ${moment(at)}. ${reason}`}</p>
    ${
      request.may('concurrency-limit.set') &&
      html`<form class="narrow" method="post" action="${PATH}">
        ${request.formToken}<label for="limit">Limit (leave empty for none)</label>
        <input id="limit" name="limit" value="${limit}" inputmode="numeric" />
        <p class="fine">
          Creations above the limit are rejected with status 429. All import suppliers share the limit.
        </p>
        ${reasonField('limit-reason')}
        <button>Save</button>
      </form>`
    }`;
}

import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { createAuditedEndpoint, readEndpoints, readNewestEvents } from '../../events/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { code, count, fromNow, link, moment, nothing, table } from '../frame/elements.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { accountField, filterForm, form, reason, supplierChoice } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { nextPage, tabs } from '../frame/list-parts.ts';
import { accepted, handler, invalid, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { endpointPath, EVENTS, FEED } from '../frame/paths.ts';
import { endpointBadge, secretPage } from './endpoint.page.ts';
import { eventsTable } from './event-parts.ts';

const TITLE = 'Events';
const TABS = [
  [EVENTS, 'Endpoints'],
  [FEED, 'Events'],
] as const;

/** Events: the endpoints that receive them, and the newest events of an import supplier or one of its accounts. */
export const eventPages = [
  page(
    EVENTS,
    async (request) => {
      const list = await listPart(request);
      const body = html`${tabs(TITLE, TABS, EVENTS)} ${list}
      ${request.may('event-endpoint.change') && newForm(request, await supplierCodes(request.suppliers))}`;
      return { title: TITLE, body };
    },
    { menu: 'Events' },
  ),
  handler(`${EVENTS}/endpoints`, 'event-endpoint.change', create),
  page(FEED, showFeed),
];

async function listPart(request: PageRequest): Promise<Html> {
  const { query, now } = request;
  const endpoints = await readEndpoints(request);
  const supplier = query.get('import_supplier');
  return table(
    'Endpoints that receive events',
    supplier ? endpoints.filter((one) => one.import_supplier === supplier) : endpoints,
    [
      ['Import supplier', (one) => html`${one.import_supplier}<br /><small>${one.organisation}</small>`],
      ['URL', (one) => link(endpointPath(one.endpoint_id), code(one.url))],
      ['State', endpointBadge],
      ['Last success', ({ delivered_at: at }) => (at === null ? 'never' : fromNow(at, now))],
      ['Failing since', ({ failing_since: since }) => since !== null && fromNow(since, now)],
      ['Last failure', ({ failure }) => failure, 'advice'],
      ['Registered', ({ created_at: at }) => moment(at)],
    ],
    'No endpoint is registered. Suppliers can read their events from the API.',
  );
}

function newForm(request: PageRequest, codes: readonly string[]): Html {
  const organisation = 'Organization whose import jobs and batches are included (leave empty for none)';
  return html`<h2>Register an endpoint</h2>
    ${form(request, {
      action: `${EVENTS}/endpoints`,
      hidden: { id: uuidv7() },
      fields: [
        { ...supplierChoice(codes, null, '–'), required: true },
        { label: 'URL (starts with https://)', name: 'url', maxlength: 2048, inputmode: 'url', required: true },
        { label: organisation, name: 'organisation', maxlength: 255 },
        { ...reason(), hint: 'Events from now on are delivered. The secret that signs them is shown once.' },
      ],
      button: 'Register',
    })}`;
}

/** Only the response to this form shows the secret. */
async function create(request: PageRequest): Promise<PageAnswer> {
  const { id = '', ...body } = fieldsIn(request.form);
  if (!isUuid(id)) invalid('Reload the Events page and fill in the form again.');
  return secretPage(accepted(await createAuditedEndpoint(request, request.actor, body, id)));
}

async function showFeed(request: PageRequest): Promise<PageAnswer> {
  const { query, suppliers } = request;
  const supplier = query.get('import_supplier');
  const fields = [
    { ...supplierChoice(await supplierCodes(suppliers), supplier, 'Import supplier'), required: true },
    accountField(query),
  ];
  const body = html`${tabs(TITLE, TABS, FEED)}
  ${filterForm({ action: FEED, fields, button: 'Show', tone: 'quiet', search: true })}
  ${supplier ? await feedPart(request) : nothing('Choose an import supplier.')}`;
  return { title: TITLE, body };
}

async function feedPart(request: PageRequest): Promise<Html> {
  const { events, next, scannedBackTo } = accepted(await readNewestEvents(request, request.query));
  return html`${eventsTable(events, request.query.get('before') ? 'No events on this page.' : 'No events are stored.')}
    <p class="fine">
      Events are kept for ${count(request.settings.EVENTS_KEPT_DAYS)}
      days.${scannedBackTo !== undefined && html` This page goes back to ${moment(scannedBackTo)}.`}
    </p>
    ${nextPage(next && `${FEED}?${next.toString()}`)}`;
}

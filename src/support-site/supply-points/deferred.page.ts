import { listDeferredLookups, retryLookups } from '../../supply-points/index.ts';
import { unknownNetworkOperator } from '../../supply-points/throttle/throttle.rules.ts';
import { isNetworkOperator, networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import { badge, code, fromNow, link } from '../frame/elements.ts';
import { reason, selectionTable } from '../frame/forms.ts';
import { html } from '../frame/html.ts';
import { nextPage } from '../frame/list-parts.ts';
import { accepted, done, handler, page, problem, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, deferredPath, pointPath, SUPPLY_POINTS } from '../frame/paths.ts';
import { identifiersIn, orderOf, steering } from './steering.ts';

const PATH = `${SUPPLY_POINTS}/deferred/:operator`;

/** Identifiers that a network operator fails on, and the form that requests them again. */
export const deferredPages = [
  page(PATH, showDeferred),
  handler(`${PATH}/retry`, 'population-batch.steer', async (request) => {
    const back = deferredPath(request.params['operator'] ?? '');
    const identifiers = request.form.getAll('identifier');
    if (identifiers.length === 0) return problem(back, 'No identifier was selected.');
    const body = { identifiers, reason: request.form.get('reason') ?? '' };
    const reply = await retryLookups(steering(request), { ...orderOf(request), body });
    return done(back, `${identifiersIn(reply, 'retried')} will be requested again.`);
  }),
];

async function showDeferred(request: PageRequest): Promise<PageAnswer> {
  const { now, query } = request;
  const { operator: name } = request.params;
  if (!isNetworkOperator(name)) return accepted(unknownNetworkOperator());
  const list = accepted(await listDeferredLookups(request.database, name, query.get('cursor')));
  const body = html`<p class="fine">
      The network operator fails on these identifiers while it answers others. They are requested again every hour,
      until their time limit.
    </p>
    ${selectionTable(
      request,
      'Deferred identifiers by next attempt',
      list.look_ups,
      request.may('population-batch.steer') && {
        name: 'identifier',
        of: ({ identifier }) => [identifier, identifier],
        form: {
          action: `${deferredPath(name)}/retry`,
          fields: [{ ...reason(true), placeholder: 'Reason' }],
          button: 'Request the selected identifiers again',
        },
      },
      [
        ['Identifier', ({ identifier }) => link(pointPath(name, identifier), code(identifier))],
        ['Attempts', ({ tries }) => tries, 'number'],
        ['Last failure', (one) => code(one.last_failure)],
        ['Deferred since', (one) => fromNow(one.set_aside_at, now)],
        ['Next attempt', (one) => fromNow(one.next_attempt_at, now)],
        [
          '',
          (one) =>
            html`${one.customer_authorisation && badge('with customer authorization')}
            ${!one.wanted && badge('in no open batch')}`,
        ],
      ],
      'No identifier is deferred.',
    )}
    ${nextPage(list.next_cursor && addressOf(deferredPath(name), { cursor: list.next_cursor }))}`;
  return { title: `Deferred at ${networkOperatorTitles[name]}`, body };
}

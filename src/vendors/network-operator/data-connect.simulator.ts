import type { ServerResponse } from 'node:http';
import { answersToken, end, hasToken, networkOperatorSimulator } from './network-operator-server.simulator.ts';
import { tableOf } from '../../foundation/table.ts';

const JSON_TYPE = 'application/json';
const PAGE = '<html><body>Request rejected</body></html>';

/** Rejections and failures by magic kind: status, code, sentence. */
const ERRORS = tableOf<readonly [status: number, code: string, sentence: string]>({
  '99': [404, 'STM-ERR-0000019', 'unknown usage point'],
  '01': [403, 'ADAM-DC-0008', 'no consent'],
  '02': [403, 'ADAM-DC-0007', 'no longer the holder'],
  '03': [400, 'ADAM-ERR0069', 'wrong direction'],
  '05': [404, 'no_data_found', 'no data'],
  '06': [404, 'STM-ERR-0000014', 'unknown'],
  '07': [404, 'STM-ERR-0000020', 'unknown'],
  '11': [500, 'ADAM-DC-0500', 'try later'],
  '12': [500, 'ADAM-DC-0500', 'try later'],
  '13': [500, 'STM-ERR-0000001', 'internal error'],
});

/** Starts a simulator of Enedis Data Connect. */
export const startDataConnectSimulator = networkOperatorSimulator({
  answersOther: answersToken('/oauth2/v3/token', { refusedWith: 400, expiresIn: 12_600 }),
  identifierIn: (request) => new URL(request.url ?? '/', 'http://x').searchParams.get('usage_point_id') ?? undefined,
  isAllowed: (request, _body, tokens) => hasToken(request, tokens),
  answer: (response, identifier) => end(response, 200, JSON_TYPE, JSON.stringify(pointOf(identifier))),
  answerMagic: (response, _identifier, kind) => {
    const known = ERRORS.get(kind);
    if (known) error(response, ...known);
    else if (kind === '04') {
      end(
        response,
        400,
        JSON_TYPE,
        JSON.stringify({ error: 'ADAM-ERR0001', error_description: 'usage_point_id must be 14 digits' }),
      );
    } else if (kind === '10') busy(response);
    else if (kind === '30' || kind === '31') end(response, 200, JSON_TYPE, '{"customer": {"usage_po');
    else if (kind === '40') end(response, 404, 'text/html', PAGE);
    else return false;
    return true;
  },
  misconfigured: (response) => end(response, 404, 'text/html', PAGE),
  busy,
});

/** In the format of Enedis: the quota, and a time of day in Paris. */
function busy(response: ServerResponse): void {
  const at = new Intl.DateTimeFormat('fr-FR', {
    timeZone: 'Europe/Paris',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(Date.now() + 1_000);
  error(response, 429, 'quota', `Quota Q3 reached, next call allowed on ${at}`);
}

function error(response: ServerResponse, status: number, code: string, sentence: string): void {
  end(response, status, JSON_TYPE, JSON.stringify({ error: code, error_description: sentence }));
}

function pointOf(identifier: string) {
  return {
    customer: {
      customer_id: '1358019319',
      usage_points: [
        {
          usage_point: { usage_point_id: identifier, usage_point_status: 'com', meter_type: 'AMM' },
          contracts: {
            segment: 'C5',
            subscribed_power: '9 kVA',
            last_activation_date: '2013-08-14+01:00',
            distribution_tariff: 'BTINFCUST',
            offpeak_hours: 'HC (23h00-7h30)',
            contract_status: 'SERVC',
            last_distribution_tariff_change_date: '2017-05-25+01:00',
          },
        },
      ],
    },
  };
}

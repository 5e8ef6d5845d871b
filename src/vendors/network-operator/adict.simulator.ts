import type { ServerResponse } from 'node:http';
import { answersToken, end, hasToken, networkOperatorSimulator } from './network-operator-server.simulator.ts';
import { tableOf } from '../../foundation/table.ts';

const NDJSON = 'application/x-ndjson';

/** Rejections and failures by magic kind: status, code and sentence of `statut_restitution`. Most have status 200. */
const RESTITUTIONS = tableOf<readonly [status: number, code: string, sentence: string]>({
  '99': [400, '1000005', 'Le format du PCE est incorrect'],
  '01': [200, '1000008', "Il n'existe pas de droit d'acces sur ce PCE"],
  '02': [200, '1000009', "Le droit d'acces est revoque"],
  '03': [200, '1000010', "Le droit d'acces a expire"],
  '04': [400, '1000001', 'Parametre incorrect'],
  '05': [200, '1000011', 'Donnees contractuelles hors du perimetre du droit'],
  '06': [200, '1000012', 'Le titulaire a demenage'],
  '07': [200, '1000013', 'La preuve du consentement est refusee'],
  '11': [500, '2000000', 'Erreur technique, reessayez plus tard'],
  '12': [500, '2000000001', 'Erreur technique, reessayez plus tard'],
  '40': [200, '1000020', 'Le contrat avec GRDF a expire'],
  '41': [200, '1000021', 'Vos droits sont suspendus pour usage abusif'],
  '50': [200, '1000050', 'Danger grave et imminent sur le point'],
});

/** Starts a simulator of GRDF ADICT. */
export const startAdictSimulator = networkOperatorSimulator({
  answersOther: answersToken('/oauth2/token', { refusedWith: 401, expiresIn: 14_400 }),
  identifierIn: (request) => {
    const [, identifier] = /^\/pce\/([^/]+)\/donnees_contractuelles$/.exec(request.url ?? '') ?? [];
    return identifier === undefined ? undefined : decodeURIComponent(identifier);
  },
  isAllowed: (request, _body, tokens) => hasToken(request, tokens),
  answer: (response, identifier) => end(response, 200, NDJSON, `${JSON.stringify(pointOf(identifier))}\n`),
  answerMagic: (response, identifier, kind) => {
    const known = RESTITUTIONS.get(kind);
    if (known) restitution(response, identifier, ...known);
    else if (kind === '30' || kind === '31') {
      end(response, 200, NDJSON, JSON.stringify(pointOf(identifier)).slice(0, 80));
    } else if (kind === '33') {
      end(
        response,
        200,
        NDJSON,
        `{"code_statut_traitement":"0"}\n${JSON.stringify({ ...pointOf(identifier), statut_restitution: {} })}\n`,
      );
    } else if (kind === '34') {
      end(
        response,
        200,
        NDJSON,
        `${JSON.stringify(pointOf(identifier))}\n${JSON.stringify({ statut_restitution: { code: '2000000', message: 'Erreur technique' } })}\n`,
      );
    } else return false;
    return true;
  },
  misconfigured: (response) => restitution(response, 'x', 200, '1000020', 'Le contrat avec GRDF a expire'),
  busy: (response) => end(response, 429, 'text/plain', 'Too many requests', { 'retry-after': '1' }),
});

function restitution(
  response: ServerResponse,
  identifier: string,
  status: number,
  code: string,
  message: string,
): void {
  end(
    response,
    status,
    NDJSON,
    `${JSON.stringify({ pce: { id_pce: identifier }, donnees_contractuelles: null, statut_restitution: { code, message } })}\n`,
  );
}

function pointOf(identifier: string) {
  return {
    pce: { id_pce: identifier },
    donnees_contractuelles: {
      car: 9_426,
      cja: 0,
      profil: { profil_type_actuel: 'P012' },
      tarif_acheminement: 'T2',
      date_mes: '2020-12-07',
    },
    statut_restitution: null,
  };
}

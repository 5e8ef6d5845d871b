import type { ServerResponse } from 'node:http';
import { end, networkOperatorSimulator } from './network-operator-server.simulator.ts';
import { tableOf } from '../../foundation/table.ts';

const TYPE = 'text/xml; charset=utf-8';
const NAMESPACE = 'http://www.enedis.fr/sge/b2b/services/consulterdonneestechniquescontractuelles/v1.0';
const LOGIN_UNKNOWN = 'nobody@unknown.example';

/** Rejections and failures by magic kind: code and label. */
const FAULTS = tableOf<readonly [code: string, label: string]>({
  '99': ['SGT401', 'Demande non recevable : point inexistant'],
  '01': ['SGT4G3', 'Aucune mesure trouvee'],
  '02': ['SGT4L8', 'Demande non recevable'],
  '03': ['SGT4Q1', 'Type de mesure non autorise'],
  '11': ['SGT500', 'Erreur technique'],
  '12': ['SGT570', 'Erreur technique'],
});

/** Starts a simulator of Enedis SGE that speaks its SOAP. */
export const startSgeSimulator = networkOperatorSimulator({
  answersOther: () => false,
  identifierIn: (_request, body) => /<pointId>([^<]*)<\/pointId>/.exec(body)?.[1],
  isAllowed: () => true,
  answer: (response, identifier, body) => end(response, 200, TYPE, envelope(pointXml(identifier, isAuthorised(body)))),
  answerMagic: (response, identifier, kind, body) => {
    // Enedis's code for this is not public; only its format is.
    if (kind === '05' && !isAuthorised(body)) {
      fault(response, 'SGT4A5', 'Autorisation du client requise');
      return true;
    }
    const known = FAULTS.get(kind);
    if (known) fault(response, ...known);
    else if (kind === '04') {
      end(
        response,
        200,
        TYPE,
        envelope(
          `<r:consulterDonneesTechniquesContractuellesResponse xmlns:r="${NAMESPACE}"><acquittement><resultat code="SGT4K2">Refus</resultat></acquittement></r:consulterDonneesTechniquesContractuellesResponse>`,
        ),
      );
    } else if (kind === '30' || kind === '31') end(response, 200, TYPE, '<soap:Envelope><soap:Body><broken>');
    else if (kind === '32') {
      end(
        response,
        200,
        TYPE,
        `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${envelope(pointXml(identifier, true)).replace('C5', '&b;')}`,
      );
    } else if (kind === '40') fault(response, 'SGT4U1', LOGIN_LABEL);
    else return false;
    return true;
  },
  misconfigured: (response) => fault(response, 'SGT4U1', LOGIN_LABEL),
  busy: (response) => end(response, 429, 'text/plain', 'Too many requests', { 'retry-after': '1' }),
});

const LOGIN_LABEL = `Utilisateur inconnu ${LOGIN_UNKNOWN}`;

function envelope(body: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>${body}</soap:Body></soap:Envelope>`;
}

function fault(response: ServerResponse, code: string, label: string): void {
  end(
    response,
    500,
    TYPE,
    envelope(
      `<soap:Fault><faultcode>soap:Client</faultcode><faultstring>erreur</faultstring><detail><ns3:erreur xmlns:ns3="http://www.enedis.fr/sge/b2b/technique/v1.0"><resultat code="${code}">${label}</resultat></ns3:erreur></detail></soap:Fault>`,
    ),
  );
}

function isAuthorised(body: string): boolean {
  return body.includes('<autorisationClient>true</autorisationClient>');
}

/**
 * Follows the schema of Enedis. Without the customer's authorisation Enedis omits commercially sensitive facts; the simulator omits the
 * whole contract, because the list of these facts is not public.
 */
function pointXml(identifier: string, isCustomerAuthorised: boolean): string {
  return pointAnswer(identifier, isCustomerAuthorised ? contractXml(identifier) : '');
}

function pointAnswer(identifier: string, contract: string): string {
  return (
    `<ns7:consulterDonneesTechniquesContractuellesResponse xmlns:ns7="${NAMESPACE}"><point id="${identifier}"><donneesGenerales><etatContractuel code="SERVC"><libelle>En service</libelle></etatContractuel>` +
    '<adresseInstallation><numeroEtNomVoie>8 QUAI DES BRUMES</numeroEtNomVoie><codePostal>44000</codePostal><commune code="44109"><libelle>NANTES</libelle></commune></adresseInstallation>' +
    '<segment code="C5"><libelle>C5</libelle></segment><niveauOuvertureServices>2</niveauOuvertureServices></donneesGenerales>' +
    '<situationAlimentation><alimentationPrincipale><domaineTension code="BTINF"><libelle>BT inf</libelle></domaineTension></alimentationPrincipale></situationAlimentation>' +
    '<situationComptage><dispositifComptage><typeComptage code="AMM"><libelle>Linky</libelle></typeComptage></dispositifComptage></situationComptage>' +
    `${contract}</point></ns7:consulterDonneesTechniquesContractuellesResponse>`
  );
}

/** The power depends on the identifier, so that tests can distinguish points. */
function contractXml(identifier: string): string {
  const power = 3 * (1 + (Number(identifier.at(-1)) % 4));
  return (
    '<situationContractuelle><structureTarifaire><formuleTarifaireAcheminement code="BTINFCU4"><libelle>CU 4 postes</libelle></formuleTarifaireAcheminement>' +
    `<puissanceSouscriteMax><valeur>${power}</valeur><unite>kVA</unite></puissanceSouscriteMax></structureTarifaire></situationContractuelle>`
  );
}

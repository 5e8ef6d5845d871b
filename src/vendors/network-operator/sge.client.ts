import { X509Certificate } from 'node:crypto';
import { XMLParser } from 'fast-xml-parser';
import {
  createVendorHttp,
  MalformedAnswer,
  type VendorAnswer,
  type VendorLimits,
  type VendorWatch,
} from '../../platform/vendor-http/vendor-http.ts';
import type { TlsFiles } from '../../platform/vendor-http/vendor-agent.ts';
import { VendorMisconfigured, VendorRejected, VendorUnavailable } from '../../vocabulary/vendor-errors.ts';
import {
  factsOf,
  SupplyPointError,
  rejectedWith,
  UNKNOWN_POINT,
  type NetworkOperator,
  type SupplyPointFacts,
} from './network-operator.port.ts';

export interface SgeOptions extends VendorWatch {
  baseUrl: string;
  login: string;
  /** The current client certificate, its key, and their certificate authority. */
  tls?: () => TlsFiles;
  limits: VendorLimits;
}

const VENDOR = 'Enedis SGE';
const NAMESPACE = 'http://www.enedis.fr/sge/b2b/services/consulterdonneestechniquescontractuelles/v1.0';
const PATH = '/ConsultationDonneesTechniquesContractuelles/v1.0';
/** SOAP faults have status 500. */
const STATUSES_WITH_REASON = [500];
const OK = 'SGT200';
const UNKNOWN = 'SGT401';
const CODE = /^SGT[0-9A-Z]{3}$/;

/** No entities, document types or external resources, so that hostile XML is harmless. */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
});

/** Enedis by SGE: SOAP 1.1 `consulterDonneesTechniquesContractuelles` v1.0 with a client certificate. */
export function createSge({ baseUrl, login, tls, limits, ...watch }: SgeOptions): NetworkOperator {
  const http = createVendorHttp({ vendor: VENDOR, baseUrl, limits, ...(tls ? { tls } : {}), ...watch });
  return {
    source: 'enedis-sge',
    lookup: async (identifier, { customerAuthorisation = false, signal, slot } = {}) => {
      try {
        return await http.call(
          {
            method: 'POST',
            path: PATH,
            headers: { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' },
            body: envelope(identifier, login, customerAuthorisation),
            signal,
            slot,
          },
          (answer) => read(answer, identifier),
          STATUSES_WITH_REASON,
        );
      } catch (error) {
        // A server that rejects our certificate often just closes the connection, as if it were down.
        if (error instanceof VendorUnavailable && isExpired(tls?.().cert)) {
          throw new VendorMisconfigured(
            `${VENDOR} cannot be reached, and our client certificate has expired: renew ENEDIS_SGE_CERTIFICATE.`,
          );
        }
        throw error;
      }
    },
    close: () => http.close(),
  };
}

function isExpired(certificate: string | undefined): boolean {
  return certificate !== undefined && new X509Certificate(certificate).validToDate.getTime() < Date.now();
}

function envelope(identifier: string, login: string, customerAuthorisation: boolean): string {
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:v1="${NAMESPACE}"><soapenv:Body>` +
    `<v1:consulterDonneesTechniquesContractuelles><pointId>${escaped(identifier)}</pointId><loginUtilisateur>${escaped(login)}</loginUtilisateur>` +
    `<autorisationClient>${customerAuthorisation}</autorisationClient></v1:consulterDonneesTechniquesContractuelles></soapenv:Body></soapenv:Envelope>`
  );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

type Element = Record<string, unknown>;

function read(answer: VendorAnswer, identifier: string): SupplyPointFacts {
  const body = child(child(answer.status === 500 ? parsedFailure(answer) : parsed(answer), 'Envelope'), 'Body');
  const fault = child(body, 'Fault');
  if (fault === undefined && answer.status === 500) throw new VendorUnavailable(`${VENDOR} fails (500).`);
  if (fault !== undefined) throw errorOf(child(child(fault, 'detail'), 'erreur'));
  const response = child(body, 'consulterDonneesTechniquesContractuellesResponse');
  const result = child(child(response, 'acquittement'), 'resultat');
  if (result !== undefined && result['@code'] !== OK) throw errorOf(child(response, 'acquittement'));
  const point = child(response, 'point');
  if (point === undefined || point['@id'] !== identifier) {
    throw new MalformedAnswer(`not one of our supply points after status ${answer.status}`);
  }
  return factsOfPoint(point);
}

function parsed({ text, status }: VendorAnswer): Element {
  // Rejected before parsing: a document type can define entities that expand without limit.
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new MalformedAnswer('a document type in the answer');
  try {
    return parser.parse(text, true) as Element;
  } catch {
    throw new MalformedAnswer(`no XML after status ${status}`);
  }
}

/** A 500 without SOAP is a failure of the party, not a malformed response. */
function parsedFailure(answer: VendorAnswer): Element {
  try {
    return parsed(answer);
  } catch {
    throw new VendorUnavailable(`${VENDOR} fails (500).`);
  }
}

function factsOfPoint(point: Element): SupplyPointFacts {
  const general = child(point, 'donneesGenerales');
  const supply = child(child(point, 'situationAlimentation'), 'alimentationPrincipale');
  const meter = child(point, 'situationComptage');
  const tariff = child(child(point, 'situationContractuelle'), 'structureTarifaire');
  const power = child(tariff, 'puissanceSouscriteMax');
  return factsOf({
    contract_status: code(general, 'etatContractuel'),
    segment: code(general, 'segment'),
    service_level: general?.['niveauOuvertureServices'],
    voltage: code(supply, 'domaineTension'),
    meter_type: code(child(meter, 'dispositifComptage'), 'typeComptage'),
    reading_mode: code(meter, 'modeReleve'),
    distribution_tariff: code(tariff, 'formuleTarifaireAcheminement'),
    supplier_calendar: code(tariff, 'calendrierFrn'),
    subscribed_power: [power?.['valeur'], power?.['unite']].filter((part) => typeof part === 'string').join(' '),
  });
}

/** Classifies a rejection by its code. The code of an unknown login is not public, so its label is read. */
function errorOf(error: Element | undefined): Error {
  const result = child(error, 'resultat');
  const code = result?.['@code'];
  if (typeof code !== 'string' || !CODE.test(code)) {
    return new SupplyPointError(`${VENDOR} fails without a code that is known.`);
  }
  if (code === UNKNOWN) return new VendorRejected(`${VENDOR} does not know the supply point.`, UNKNOWN_POINT.enedis);
  if (code.startsWith('SGT4')) {
    const label = result?.['#text'];
    const isOurLogin = typeof label === 'string' && /utilisateur|login/i.test(label);
    return isOurLogin
      ? new VendorMisconfigured(`${VENDOR} does not take our login (${code}): check ENEDIS_SGE_LOGIN and the contract.`)
      : rejectedWith(VENDOR, 'EPRM', code);
  }
  return new SupplyPointError(`${VENDOR} fails on the supply point (${code}).`);
}

/** The first child of this name, as an element. */
function child(parent: Element | undefined, name: string): Element | undefined {
  const found = parent?.[name];
  const first: unknown = Array.isArray(found) ? found[0] : found;
  if (typeof first === 'string') return { '#text': first };
  return typeof first === 'object' && first !== null ? (first as Element) : undefined;
}

function code(parent: Element | undefined, name: string): unknown {
  return child(parent, name)?.['@code'];
}

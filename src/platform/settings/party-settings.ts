import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** Outside parties: addresses, credentials and call limits. */
export const partySettings = {
  GOCARDLESS_URL: setting.address(
    'Address of GoCardless; `npm start` simulates it unless set.',
    'https://api.gocardless.com',
  ),
  GOCARDLESS_ACCESS_TOKEN: setting.secret(
    'GOCARDLESS_ACCESS_TOKEN',
    'Access token at GoCardless. During a change two, one per line: the second is used when the first is rejected.',
    'live_...',
  ),
  STRIPE_URL: setting.address('Address of Stripe; `npm start` simulates it unless set.', 'https://api.stripe.com'),
  STRIPE_SECRET_KEY: setting.secret(
    'STRIPE_SECRET_KEY',
    'Secret or restricted key at Stripe; it needs to read payment methods and mandates. During a change two, as for GoCardless.',
    'rk_live_...',
  ),
  SLIMPAY_URL: setting.address('Address of SlimPay; `npm start` simulates it unless set.', 'https://api.slimpay.com'),
  SLIMPAY_CLIENT_ID: setting.text('Client id at SlimPay.', 'gangway01'),
  SLIMPAY_CLIENT_SECRET: setting.secret(
    'SLIMPAY_CLIENT_SECRET',
    'Client secret at SlimPay. During a change two, as for GoCardless.',
    'kept in the secret store',
  ),
  SLIMPAY_CREDITOR_REFERENCE: setting.text('Creditor at SlimPay whose mandates are looked up.', 'supplier-fr'),
  ADYEN_URL: setting.address(
    'Address of the Checkout API of Adyen, without its version; `npm start` simulates it unless set.',
    'https://checkout-test.adyen.com',
  ),
  ADYEN_API_KEY: setting.secret('ADYEN_API_KEY', 'API key at Adyen. During a change two, as for GoCardless.', 'AQE...'),
  ADYEN_MERCHANT_ACCOUNT: setting.text('Merchant account at Adyen.', 'SupplierFR'),
  PAYMENT_VERIFICATIONS_PER_MINUTE: setting.count(
    'New verifications of payment instructions for one API key in a minute, over all processes; more are answered 429.',
    600,
  ),
  RECONCILIATION_VENDOR_CALLS_PER_DAY: setting.count(
    'Calls to one payment vendor in a day by all reconciliations of one import supplier, to check instructions; 0: none.',
    2_000,
    0,
  ),
  INDUSTRY_SWITCH_URL: setting.text(
    'Address of the industry switch; unset, `npm start` simulates it, and a worker requests no switches.',
    'https://switch.example/api',
  ),
  INDUSTRY_SWITCH_CREDENTIAL: setting.secret(
    'INDUSTRY_SWITCH_CREDENTIAL',
    'Credential of the industry switch, sent as a bearer token.',
    'kept in the secret store',
  ),
  SWITCH_LEAD_TIME_DAYS: setting.count(
    'Days before the supply start of a point at which its switch is requested.',
    14,
    0,
  ),
  ENEDIS_SGE_URL: setting.text(
    'Address of Enedis SGE, its SOAP services for suppliers; `npm start` simulates it unless this or ENEDIS_DATA_CONNECT_URL is set.',
    'https://sge-b2b.enedis.fr',
  ),
  ENEDIS_SGE_LOGIN: setting.text('Login of the caller at SGE.', 'sge@supplier.example'),
  ENEDIS_SGE_CERTIFICATE: setting.secret(
    'ENEDIS_SGE_CERTIFICATE',
    'Client certificate for SGE, PEM.',
    '-----BEGIN CERTIFICATE----- ...',
  ),
  ENEDIS_SGE_KEY: setting.secret(
    'ENEDIS_SGE_KEY',
    'Private key of that certificate, PEM.',
    '-----BEGIN PRIVATE KEY----- ...',
  ),
  ENEDIS_SGE_CA: setting.secret(
    'ENEDIS_SGE_CA',
    "Authority that SGE's own certificate is checked by, PEM; the system's unless set.",
    '-----BEGIN CERTIFICATE----- ...',
  ),
  ENEDIS_DATA_CONNECT_URL: setting.text(
    'Address of Enedis Data Connect; if set, supply points are looked up there instead of at SGE.',
    'https://gw.ext.prod.api.enedis.fr',
  ),
  ENEDIS_DATA_CONNECT_CLIENT_ID: setting.text('Client id at Data Connect.', 'f2a8'),
  ENEDIS_DATA_CONNECT_CLIENT_SECRET: setting.secret(
    'ENEDIS_DATA_CONNECT_CLIENT_SECRET',
    'Secret of that client.',
    'kept in the secret store',
  ),
  GRDF_URL: setting.text(
    'Address of GRDF ADICT with its version; simulated by `npm start` unless set.',
    'https://api.grdf.fr/adict/v6',
  ),
  GRDF_TOKEN_URL: setting.text(
    'Where ADICT gives out tokens; /oauth2/token below GRDF_URL unless set.',
    'https://adict-connexion.grdf.fr/oauth2/aus5y2ta2uEHjCWIR417/v1/token',
  ),
  GRDF_CLIENT_ID: setting.text('Client id at ADICT.', '0oa1'),
  GRDF_CLIENT_SECRET: setting.secret('GRDF_CLIENT_SECRET', 'Secret of that client.', 'kept in the secret store'),
  DOCUMENT_STORE_ENDPOINT: setting.text(
    'Address of the S3-compatible store that documents are looked up in; AWS itself unless set.',
    'https://s3.fr-par.scw.cloud',
  ),
  DOCUMENT_STORE_REGION: Type.String({
    description: 'Region of the document store.',
    default: 'eu-west-3',
    examples: ['fr-par'],
    minLength: 1,
  }),
  DOCUMENT_STORE_ACCESS_KEY_ID: setting.secret(
    'DOCUMENT_STORE_ACCESS_KEY_ID',
    "Access key of the document store; the machine's own role unless set.",
    'AKIAEXAMPLE',
  ),
  DOCUMENT_STORE_SECRET_ACCESS_KEY: setting.secret(
    'DOCUMENT_STORE_SECRET_ACCESS_KEY',
    'Secret of that access key.',
    'kept in the secret store',
  ),
};

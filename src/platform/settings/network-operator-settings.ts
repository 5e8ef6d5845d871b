import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** The network operators, and how long their answers are good for. */
export const networkOperatorSettings = {
  ENEDIS_PROTOCOL: Type.Unsafe<'sge' | 'data-connect'>({
    type: 'string',
    enum: ['sge', 'data-connect'],
    description: 'How Enedis is asked for supply points: its SOAP services for suppliers, or Data Connect.',
    default: 'sge',
    examples: ['data-connect'],
  }),
  ENEDIS_SGE_URL: setting.text(
    'Address of Enedis SGE; simulated by `npm start` unless set.',
    'https://sge-b2b.enedis.fr',
  ),
  ENEDIS_SGE_LOGIN: setting.text('Login that SGE knows the caller by.', 'sge@supplier.example'),
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
    'Address of Enedis Data Connect; simulated by `npm start` unless set.',
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
  LOOKUP_KNOWN_DAYS: setting.count('A supply point that was looked up is asked for again only after so many days.', 30),
};

import { Type } from 'typebox';
import { setting } from './setting-kinds.ts';

/** Support site and sign-in. */
export const supportSiteSettings = {
  SUPPORT_SITE_HOST: Type.String({
    description: 'Address that the support site listens on.',
    default: '127.0.0.1',
    examples: ['0.0.0.0'],
  }),
  SUPPORT_SITE_PORT: setting.port(
    'Port of the support site; `npm start` takes a free one when it is in use, 0 always takes a free one.',
    8090,
  ),
  SUPPORT_SITE_URL: setting.address(
    'Public address of the support site. With https:// its cookies are for TLS only; unset, it is that of the header Host.',
    'https://support.gangway.example',
  ),
  SUPPORT_SITE_KEY_SIGN_IN: Type.Boolean({
    description: 'Lets people sign in to the support site with an operator key; `npm start` sets it.',
    default: false,
    examples: ['true'],
  }),
  OIDC_ISSUER: setting.address(
    'OpenID Connect provider for signing in to the support site; its configuration is read below this address.',
    'https://login.example/realms/staff',
  ),
  OIDC_CLIENT_ID: setting.text('Name of the support site at the provider.', 'gangway-support'),
  OIDC_CLIENT_SECRET: setting.secret(
    'OIDC_CLIENT_SECRET',
    'Secret of the support site at the provider.',
    'kept in the secret store',
  ),
  OIDC_SCOPE: Type.String({
    description: 'Scopes requested from the provider.',
    default: 'openid profile email',
    examples: ['openid profile email groups'],
  }),
  OIDC_ROLE_CLAIM: Type.String({
    description: "Claim with the names of a person's roles, in the id token or the user info.",
    default: 'roles',
    examples: ['groups'],
  }),
  OIDC_ROLES: Type.String({
    description: 'Names of the roles in that claim, separated by semicolons. A role that is not listed is not given.',
    default: 'viewer=viewer; operator=operator; administrator=administrator',
    examples: ['viewer=gangway-viewers; operator=gangway-operators'],
    pattern: '^(viewer|operator|administrator)=[^;]+(; *(viewer|operator|administrator)=[^;]+)*$',
  }),
  TEMPORAL_UI_URL: setting.address(
    "Public address of Temporal's web UI; pages link runs there. `npm start` sets it for the embedded server.",
    'https://temporal.example',
  ),
};

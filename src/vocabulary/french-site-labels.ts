import type { FrenchSentence } from './sentence-forms.ts';

/** Names that the site derives from fields, actions and events: `valid_from_date` is `Valid from`. */
export const frenchSiteLabels = {
  // Search.
  business: 'entreprise',
  'import job': 'traitement',
  'market message': 'message',
  'population batch': 'lot',
  'supply point': 'point de livraison',
  'payment instruction': 'instruction de paiement',
  account: 'compte',
  'external number': 'numéro externe',
  'service number': 'numéro attribué',
  number: 'numéro',
  identifier: 'identifiant',
  name: 'nom',
  'job name': 'nom de traitement',
  'opening balances': 'soldes d’ouverture',

  // Why a job is paused.
  canary: 'échantillon de contrôle',
  'too many failures': 'trop d’échecs',
  'outside window': 'hors de la plage horaire',
  'supplier paused': 'fournisseur suspendu',
  'key revoked': 'clé révoquée',
  'manifest mismatch': 'écart avec le manifeste',

  // What happened to a wave.
  opened: 'ouverte',
  rehearsed: 'répétition',
  'approval requested': 'approbation demandée',
  'withdrawal approval requested': 'approbation du retrait demandée',
  'creation requested': 'création demandée',
  'accounts added': 'comptes ajoutés',
  'accounts excluded': 'comptes exclus',
  'accounts moved': 'comptes déplacés',
  'manifest sent': 'manifeste envoyé',
  paused: 'suspendue',
  resumed: 'reprise',
  cancelled: 'annulée',
  'signed off': 'validée',
  preparing: 'en préparation',
  scheduled: 'planifiée',
  creating: 'création en cours',
  withdrawing: 'retrait en cours',
  withdrawn: 'retirée',
  added: 'ajoutés',
  excluded: 'exclus',
  moved: 'déplacés',
  members: 'membres',
} as const satisfies Readonly<Record<string, FrenchSentence>>;

import type { FrenchSentence } from './sentence-forms.ts';

/** The pages of reconciliations and of withdrawals. */
export const frenchSiteCertificates = {
  // List.
  'A reconciliation compares every created account with the accepted data, value by value. A completed one has a certificate.':
    'Un rapprochement compare chaque compte créé avec les données acceptées, valeur par valeur. Une fois terminé, il a un certificat.',
  'The reconciliation has started. This page shows its progress.':
    'Le rapprochement a commencé. Cette page montre son avancement.',
  'Show the certificate': 'Afficher le certificat',
  'or only the accounts that an import job created (job ID):':
    'ou seulement les comptes créés par un traitement d’import (identifiant) :',
  'Start a reconciliation': 'Lancer un rapprochement',
  'All created accounts of an import supplier:': 'Tous les comptes créés d’un fournisseur :',
  Start: 'Lancer',
  'Reconciliations, newest first': 'Rapprochements, les plus récents d’abord',
  'Accounts that differ': 'Comptes différents',
  'There are no reconciliations.': 'Il n’y a aucun rapprochement.',
  '{done} of {all}': '{done} sur {all}',
  '{compared} accounts compared, {different} differ': '{compared} comptes comparés, {different} différents',

  // Result.
  'all created accounts': 'tous les comptes créés',
  'of one import job': 'd’un traitement d’import',
  'accounts of {all}': 'comptes sur {all}',
  businesses: 'entreprises',
  'values compared': 'valeurs comparées',
  'accounts that differ': 'comptes différents',
  'instructions checked at vendors': 'instructions vérifiées auprès des prestataires',
  'Differences by kind': 'Écarts par nature',
  changed: 'modifié',
  missing: 'manquant',
  extra: 'en trop',
  'with a known reason': 'avec un motif connu',
  'Differences that have a known reason': 'Écarts dont le motif est connu',
  'Known reason (no action is needed)': 'Motif connu (aucune action nécessaire)',
  Differences: 'Écarts',
  Reconciliation: 'Rapprochement',
  'Certificate of reconciliation': 'Certificat de rapprochement',
  'Audit of this reconciliation': 'Audit de ce rapprochement',
  'The stored data equals the accepted data.': 'Les données enregistrées sont identiques aux données acceptées.',
  'The stored data differs from the accepted data.': 'Les données enregistrées diffèrent des données acceptées.',
  '{count} difference has no known reason: check the accounts below and their audit.':
    '{count} écart n’a pas de motif connu : vérifiez les comptes ci-dessous et leur audit.',
  '{count} differences have no known reason: check the accounts below and their audit.': [
    '{count} écart n’a pas de motif connu : vérifiez les comptes ci-dessous et leur audit.',
    '{count} écarts n’ont pas de motif connu : vérifiez les comptes ci-dessous et leur audit.',
  ],
  'Every listed difference has a known reason: check the sums and the counts below.':
    'Chaque écart de la liste a un motif connu : vérifiez les sommes et les nombres ci-dessous.',
  '{count} more have a known reason.': ['{count} autre a un motif connu.', '{count} autres ont un motif connu.'],

  // Statement.
  'Payment instructions in force': 'Instructions de paiement en vigueur',
  'Payment instructions that differ from those that the vendor verified':
    'Instructions de paiement qui diffèrent de celles que le prestataire a vérifiées',
  'Supply points whose switch was requested': 'Points de livraison dont le changement de fournisseur a été demandé',
  'Supply points with too many switch requests': 'Points de livraison avec trop de demandes de changement',
  'Switch requests without a response': 'Demandes de changement sans réponse',
  'Supply points accepted too many times': 'Points de livraison acceptés trop de fois',
  'Supply points switched without our request': 'Points de livraison changés sans notre demande',
  'What was checked': 'Ce qui a été vérifié',
  Scope: 'Périmètre',
  'import job {job}': 'traitement d’import {job}',
  'gangway version': 'Version de gangway',
  'Accounts without a stored copy of the accepted data': 'Comptes sans copie conservée des données acceptées',
  'Accounts compared by hashes': 'Comptes comparés par empreintes',
  'Accounts of the job that were withdrawn': 'Comptes du traitement qui ont été retirés',
  'Certificate ID': 'Identifiant du certificat',
  'Payment vendors': 'Prestataires de paiement',
  'Sums of money': 'Sommes d’argent',
  'Opening balances (CSV)': 'Soldes d’ouverture (CSV)',
  'The present balance of each account, to compare with the ledger of the source.':
    'Le solde actuel de chaque compte, à comparer avec la comptabilité d’origine.',
  'Hashes of {count} fields': ['Empreinte de {count} champ', 'Empreintes de {count} champs'],
  'Hashes by field': 'Empreintes par champ',
  'Values that cannot be compared': 'Valeurs qui ne peuvent pas être comparées',
  Value: 'Valeur',
  'Instructions in force, by vendor': 'Instructions en vigueur, par prestataire',
  Vendor: 'Prestataire',
  'In force': 'En vigueur',
  'Checked at the vendor': 'Vérifiées auprès du prestataire',
  'Usable at the vendor': 'Utilisables chez le prestataire',
  Different: 'Différentes',
  'Not checked': 'Non vérifiées',
  'All totals agree.': 'Tous les totaux concordent.',
  '{count} totals differ, {open} of them not accepted.': [
    '{count} total diffère, dont {open} non accepté.',
    '{count} totaux diffèrent, dont {open} non acceptés.',
  ],
  'Accepted: {reason}': 'Accepté : {reason}',
  'Manifests of the source': 'Manifestes de la source',
  'Accepted records': 'Enregistrements acceptés',
  Accepted: 'Accepté',
  Stored: 'Enregistré',

  // Differences.
  'Differences by path': 'Écarts par chemin',
  Path: 'Chemin',
  'Known reason': 'Motif connu',
  'the whole account': 'tout le compte',
  'Counts include only the first {count} differences with and without a known reason.':
    'Seuls les {count} premiers écarts, avec et sans motif connu, sont comptés.',
  'The vendor returns {answer}.': 'Le prestataire répond {answer}.',
  Values: 'Valeurs',
  'Stored in': 'Enregistré dans',
  'Differences without a known reason': 'Écarts sans motif connu',
  'Every listed difference has a known reason.': 'Chaque écart de la liste a un motif connu.',
  'All {count} listed differences': 'Les {count} écarts de la liste',
  'Without a known reason': 'Sans motif connu',
  'With a known reason': 'Avec un motif connu',
  'There are no more differences.': 'Il n’y a pas d’autre écart.',
  'Back to the certificate': 'Retour au certificat',
  All: 'Tous',
  'This difference does not exist or is not about an account.': 'Cet écart n’existe pas ou ne concerne pas un compte.',
  'Current values': 'Valeurs actuelles',
  'no value': 'aucune valeur',
  'The accepted data of this account is no longer stored, so its values cannot be shown.':
    'Les données acceptées de ce compte ne sont plus conservées : ses valeurs ne peuvent pas être affichées.',
  'Values of a difference': 'Valeurs d’un écart',

  // Signature.
  Signature: 'Signature',
  'Certificate (JSON)': 'Certificat (JSON)',
  'Not signed: the support site has no {key}. If the API has one, it signs the same certificate.':
    'Non signé : le site n’a pas de {key}. Si l’API en a une, elle signe le même certificat.',
  'Signed with Ed25519 and the key {kid}. To verify it without this service:':
    'Signé avec Ed25519 et la clé {kid}. Pour le vérifier sans ce service :',
  'Download the certificate (JSON) below.': 'Téléchargez le certificat (JSON) ci-dessous.',
  'Get the public keys from another source: {keys}.': 'Obtenez les clés publiques par une autre voie : {keys}.',
  'keys of the API': 'clés de l’API',
  'Signed text': 'Texte signé',
  'Signed text (JWS)': 'Texte signé (JWS)',
  'The support site has no key to sign the certificate.': 'Le site n’a pas de clé pour signer le certificat.',

  // Values that cannot be compared.
  'It offers no read-only request: a request that is sent again could be a new one. Its stored responses and market messages are compared with our requests.':
    'Il n’offre aucune requête en lecture seule : une requête renvoyée pourrait en être une nouvelle. Ses réponses et messages de marché enregistrés sont comparés avec nos demandes.',
  'Our own key.': 'Notre propre clé.',
  'Taken from a sequence.': 'Tiré d’une séquence.',
  'The request that created the account.': 'La requête qui a créé le compte.',
  'The account is found by it; a different value shows as a missing account.':
    'Il sert à trouver le compte ; une valeur différente apparaît comme un compte manquant.',
  'Sent in the request that created the account, of which no copy is stored.':
    'Envoyé dans la requête qui a créé le compte, dont aucune copie n’est conservée.',
  'Follows from its supply points, which the industry switch changes.':
    'Découle de ses points de livraison, que le changement de fournisseur modifie.',
  'Set by the wave that created the account.': 'Défini par la vague qui a créé le compte.',
  'Changed by the industry switch.': 'Modifié par le changement de fournisseur.',
  'Counts the starts of the industry switch.': 'Compte les demandes de changement de fournisseur.',
  'Set while another account also has the point.': 'Défini tant qu’un autre compte a aussi ce point.',
  'Set by operators.': 'Défini par l’exploitation.',
  'The import job that added it.': 'Le traitement d’import qui l’a ajouté.',
  'Hashes of the accepted data, with which the other columns are compared.':
    'Empreintes des données acceptées, auxquelles les autres colonnes sont comparées.',
  'The accepted data, with which the other columns are compared.':
    'Les données acceptées, auxquelles les autres colonnes sont comparées.',
  'The time of the request, of which no copy is stored.': 'L’heure de la requête, dont aucune copie n’est conservée.',
  'Written by the verification at the payment vendor.': 'Écrit par la vérification auprès du prestataire de paiement.',
  'Written when the industry switch is requested.': 'Écrit à la demande de changement de fournisseur.',
  'Written when the industry switch changes a point.': 'Écrit lorsque le changement de fournisseur modifie un point.',
  'A note added after the creation is recognized by the hash of its body or of its documents. Whether it is pinned, when it was created, and the documents of a note with a body cannot be compared.':
    'Une note ajoutée après la création se reconnaît à l’empreinte de son texte ou de ses documents. Son épinglage, sa date de création et les documents d’une note avec texte ne peuvent pas être comparés.',
  'A historical statement added after the creation is compared with the hashes stored with it; a missing one is not detected. One without hashes cannot be compared.':
    'Un relevé historique ajouté après la création est comparé avec les empreintes enregistrées avec lui ; un relevé manquant n’est pas détecté. Sans empreintes, il ne peut pas être comparé.',
  'Of businesses and contracts only the rows are stored, so only their consistency is checked.':
    'Des entreprises et des contrats, seules les lignes sont conservées : seule leur cohérence est vérifiée.',
  'An instruction added after the creation is compared with its verification.':
    'Une instruction ajoutée après la création est comparée avec sa vérification.',
  'A transaction is compared with the sent data. If the newest one is missing, this is detected only if some of its items remain.':
    'Une opération est comparée avec les données envoyées. Si la plus récente manque, cela n’est détecté que s’il en reste des éléments.',

  // Reasons of differences, and of instructions that were not checked.
  'The note was added after the creation.': 'La note a été ajoutée après la création.',
  'The historical statement was added after the creation.': 'Le relevé historique a été ajouté après la création.',
  'The payment instruction was verified by its vendor after the creation.':
    'L’instruction de paiement a été vérifiée par le prestataire après la création.',
  'A verified instruction of the same type replaced it.': 'Une instruction vérifiée du même type l’a remplacée.',
  'Operators have pinned or unpinned the note.': 'L’exploitation a épinglé ou détaché la note.',
  'The request allowed the date to be moved into the open statement period.':
    'La requête permettait de déplacer la date dans la période de relevé ouverte.',
  'Its vendor is unknown, or does not support instructions of its type.':
    'Le prestataire est inconnu, ou ne prend pas en charge les instructions de ce type.',
  'It was sent with its account and never verified. Only a reconciliation started by operators queries the vendor, because suppliers could otherwise probe references beyond their verification limits.':
    'Elle a été envoyée avec le compte et jamais vérifiée. Seul un rapprochement lancé par l’exploitation interroge le prestataire ; sinon, un fournisseur pourrait tester des références au-delà de ses limites de vérification.',
  'The address of the vendor is not set.': 'L’adresse du prestataire n’est pas configurée.',
  'The vendor did not answer after several attempts, or rejects our credentials.':
    'Le prestataire n’a pas répondu après plusieurs tentatives, ou refuse nos identifiants.',
  'The daily limit of vendor calls for reconciliations of an import supplier was reached.':
    'La limite quotidienne d’appels au prestataire pour les rapprochements d’un fournisseur est atteinte.',
} as const satisfies Readonly<Record<string, FrenchSentence>>;

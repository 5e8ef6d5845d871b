import type { FrenchSentence } from './sentence-forms.ts';

/** The pages of import suppliers, the list of accounts, and withdrawals. */
export const frenchSiteSuppliers = {
  // Import suppliers.
  'No import supplier is registered.': 'Aucun fournisseur n’est enregistré.',
  'Import supplier {code}': 'Fournisseur {code}',
  'Changes of this import supplier': 'Modifications de ce fournisseur',
  'Received in files': 'Reçus dans des fichiers',
  'failed in jobs': 'en échec dans des traitements',
  'Valid in files': 'Valides dans des fichiers',
  'wait for creation': 'en attente de création',
  quarantined: 'en quarantaine',
  'switch pending': 'changement de fournisseur en attente',
  'Switch accepted or decided': 'Changement accepté ou tranché',
  'in progress': 'en cours',
  'From received to switched': 'De la réception au changement de fournisseur',
  'Step, and what is missing in the next one': 'Étape, et ce qui manque à la suivante',
  Share: 'Part',
  'Records in files are counted each time they are uploaded; accounts that were staged by single requests are only in the steps from Staged on.':
    'Les enregistrements des fichiers sont comptés à chaque dépôt ; les comptes préparés par des requêtes individuelles ne figurent qu’à partir de l’étape Préparation.',
  'Waves in progress': 'Vagues en cours',
  'Newest jobs': 'Traitements les plus récents',
  'There are no jobs.': 'Il n’y a aucun traitement.',
  'The last {count} days': ['Le dernier jour ({count})', 'Les {count} derniers jours'],
  'Nothing was counted in these days.': 'Rien n’a été compté pendant ces jours.',
  'most: {most} on {day}': 'maximum : {most}, le {day}',
  today: 'aujourd’hui',
  'Numbers by day': 'Nombres par jour',
  'Accounts by day': 'Comptes par jour',
  Day: 'Jour',

  // Options.
  Options: 'Options',
  'No option is set.': 'Aucune option n’est définie.',
  'Documents are below {path}.': 'Les documents se trouvent sous {path}.',
  'Reason of the last change: {reason}': 'Motif de la dernière modification : {reason}',
  'Each document path is looked up in the object store.':
    'Chaque chemin de document est recherché dans le stockage d’objets.',
  'Document paths are not looked up.': 'Les chemins de documents ne sont pas recherchés.',
  'Only these values are accepted: {values}.': 'Seules ces valeurs sont acceptées : {values}.',
  'Another person must approve a wave before its accounts are created.':
    'Une autre personne doit approuver une vague avant la création de ses comptes.',
  'Waves are created without approval.': 'Les vagues sont créées sans approbation.',
  'Switches are requested after creation.': 'Les changements de fournisseur sont demandés après la création.',
  'No switch is requested: accounts stay PENDING until a market message arrives.':
    'Aucun changement de fournisseur n’est demandé : les comptes restent PENDING jusqu’à l’arrivée d’un message de marché.',
  'Null counts as an absent field.': 'Null équivaut à un champ absent.',
  'Null does not count as an absent field.': 'Null n’équivaut pas à un champ absent.',
  'At most {most} batches of supply points are in progress.':
    'Au plus {most} lots de points de livraison sont en cours.',
  'Unknown values are kept, with a warning, in: {values}.':
    'Les valeurs inconnues sont conservées, avec un avertissement, dans : {values}.',
  'At most {most} requests per second.': 'Au plus {most} requêtes par seconde.',
  'At most {most} accounts are staged and not created.': 'Au plus {most} comptes sont préparés et non créés.',

  // List of accounts.
  'Dates are days in France. A page scans at most {scanned} accounts, so it can be short when few of them match. The file has at most {most} accounts.':
    'Les dates sont des jours en France. Une page parcourt au plus {scanned} comptes : elle peut donc être courte si peu d’entre eux correspondent. Le fichier contient au plus {most} comptes.',
  'Import jobs with this code': 'Traitements d’import avec ce code',
  'Switch status': 'Statut du changement',
  'Rejection code': 'Code de refus',
  'Rejection codes': 'Codes de refus',
  Tariff: 'Tarif',
  'Staged from': 'Préparé à partir du',
  'Staged to': 'Préparé jusqu’au',
  'Created from': 'Créé à partir du',
  'Created to': 'Créé jusqu’au',
  'No account matches these filters.': 'Aucun compte ne correspond à ces filtres.',

  // Withdrawals.
  'the account {number}': 'le compte {number}',
  'the accounts of {name}': 'les comptes de {name}',
  'Approval is requested.': 'L’approbation est demandée.',
  'Businesses that no other account uses': 'Entreprises qu’aucun autre compte n’utilise',
  'Keep the businesses': 'Conserver les entreprises',
  'Withdraw unused businesses': 'Retirer les entreprises inutilisées',
  'Withdrawn accounts are deleted with everything that was created with them, and are staged again with the same data. Their numbers are never given again.':
    'Les comptes retirés sont supprimés avec tout ce qui a été créé avec eux, et préparés de nouveau avec les mêmes données. Leurs numéros ne sont jamais réattribués.',
  Back: 'Retour',
  'Checking the accounts.': 'Vérification des comptes en cours.',
  'Open the preview on a separate page': 'Ouvrir l’aperçu sur une page séparée',
  'Withdraw {name}': 'Retirer {name}',
  'Withdraw {name}? Accounts with an obstacle are kept.':
    'Retirer {name} ? Les comptes pour lesquels il y a un obstacle sont conservés.',
  'Preview: withdraw {name}': 'Aperçu : retirer {name}',
  'The accounts cannot be withdrawn.': 'Les comptes ne peuvent pas être retirés.',
  'Accounts that can be withdrawn': 'Comptes qui peuvent être retirés',
  'Accounts that are kept': 'Comptes conservés',
  Obstacles: 'Obstacles',
  'The withdrawal is running.': 'Le retrait est en cours.',
  'Open the run': 'Ouvrir l’exécution',
  'Businesses of the withdrawn accounts': 'Entreprises des comptes retirés',
  Meaning: 'Signification',
  'All businesses as NDJSON': 'Toutes les entreprises en NDJSON',
  'All kept accounts as NDJSON': 'Tous les comptes conservés en NDJSON',
  'Deleted rows': 'Lignes supprimées',
  Table: 'Table',
  Rows: 'Lignes',
  'The business was deleted with its contracts. Create it again before its accounts; it gets another id.':
    'L’entreprise a été supprimée avec ses contrats. Recréez-la avant ses comptes ; elle reçoit un autre identifiant.',
  'No account uses the business any more. It was kept, because `withdraw_businesses` was not set.':
    'Plus aucun compte n’utilise l’entreprise. Elle a été conservée, car `withdraw_businesses` n’était pas demandé.',
  'Other accounts, created or staged, use the business, so it was kept.':
    'D’autres comptes, créés ou préparés, utilisent l’entreprise : elle a été conservée.',
  'The switch of a supply point was requested from the industry switch and is not rejected.':
    'Le changement de fournisseur d’un point de livraison a été demandé et n’est pas refusé.',
  'Wait until the industry switch rejects it, or cancel it there and set the switch status to REJECTED. A completed switch cannot be withdrawn.':
    'Attendez qu’il soit refusé, ou annulez-le auprès du gestionnaire de réseau et passez son statut à REJECTED. Un changement effectué ne peut pas être retiré.',
  'Operation 7 verified a payment instruction of the account at its vendor.':
    'L’opération 7 a vérifié une instruction de paiement du compte auprès du prestataire.',
  'The customer pays by this mandate or card, so keep the account.':
    'Le client paie avec ce mandat de prélèvement ou cette carte : conservez le compte.',
  'A payment instruction of the account is being verified at its vendor.':
    'Une instruction de paiement du compte est en cours de vérification auprès du prestataire.',
  'Wait for the result of the verification, at most a day, then withdraw the account again.':
    'Attendez le résultat de la vérification, un jour au plus, puis retirez de nouveau le compte.',
  'Notes were added after the creation.': 'Des notes ont été ajoutées après la création.',
  'Keep the account, or ask the operators whether the notes may be lost.':
    'Conservez le compte, ou demandez à l’exploitation si les notes peuvent être perdues.',
  'Transactions were added after the creation.': 'Des opérations ont été ajoutées après la création.',
  'Keep the account: its balance is in use.': 'Conservez le compte : son solde est utilisé.',
  'Historical statements were added after the creation.': 'Des relevés historiques ont été ajoutés après la création.',
  'Keep the account, or ask the operators whether the statements may be lost.':
    'Conservez le compte, ou demandez à l’exploitation si les relevés peuvent être perdus.',
  'The staged data was deleted by retention or by an erasure, so the account could not be staged again.':
    'Les données préparées ont été supprimées par la durée de conservation ou par un effacement : le compte ne pourrait pas être préparé de nouveau.',
  'Keep the account.': 'Conservez le compte.',
} as const satisfies Readonly<Record<string, FrenchSentence>>;

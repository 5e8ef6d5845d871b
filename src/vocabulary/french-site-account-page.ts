import type { FrenchSentence } from './sentence-forms.ts';

/** The page of an account for staff, its revisions, and businesses. */
export const frenchSiteAccountPage = {
  // Head and actions.
  and: 'et',
  'Parts of the account': 'Parties du compte',
  'Supply and switch': 'Fourniture et changement',
  Money: 'Paiements et solde',
  'Documents and notes': 'Documents et notes',
  History: 'Historique',
  'on two accounts': 'sur deux comptes',
  '(credit of the customer)': '(crédit du client)',
  '(owed by the customer)': '(dû par le client)',
  'balance {balance}': 'solde {balance}',
  pinned: 'épinglée',
  'pinned until {time}': 'épinglée jusqu’au {time}',
  'Withdraw this account': 'Retirer ce compte',
  'Erase or export personal data': 'Effacer ou exporter les données personnelles',
  'Stop skipping this account': 'Ne plus ignorer ce compte',
  'Skip this account': 'Ignorer ce compte',
  'It can be staged and created again.': 'Il peut de nouveau être préparé et créé.',
  'A skipped account cannot be staged or created.': 'Un compte ignoré ne peut être ni préparé ni créé.',
  'Stop skipping': 'Ne plus ignorer',
  Skip: 'Ignorer',
  'Sends a new switch request to the industry switch.': 'Envoie une nouvelle demande de changement de fournisseur.',
  'Request the switch again': 'Redemander le changement',
  'Sets the status here only; the industry switch is not notified.':
    'Modifie le statut ici seulement ; le gestionnaire de réseau n’en est pas informé.',
  'Set the status': 'Modifier le statut',
  'Set the switch status': 'Modifier le statut du changement',
  'Supply point (leave empty for all {count})': 'Point de livraison (vide : les {count})',
  'Supply point': 'Point de livraison',
  'all supply points': 'tous les points de livraison',
  'This account was never staged: its records failed in import jobs.':
    'Ce compte n’a jamais été préparé : ses enregistrements ont échoué dans des traitements d’import.',
  'Show contact data': 'Afficher les coordonnées',

  // Summary.
  'Account type': 'Type de compte',
  Business: 'Entreprise',
  'contract {identifier}': 'contrat {identifier}',
  SIRET: 'SIRET',
  'Business type': 'Type d’entreprise',
  'Billing address': 'Adresse de facturation',
  'Sales channel': 'Canal de vente',
  'Last billed to': 'Facturé jusqu’au',
  'Unknown occupier': 'Occupant inconnu',
  'Switches held until': 'Changements différés jusqu’au',
  'Stuck work is not known at the moment: Temporal is unavailable.':
    'Les blocages ne sont pas connus pour le moment : Temporal est indisponible.',
  'Nothing is wrong with this account.': 'Ce compte ne présente aucun problème.',
  'What is wrong, and what to do': 'Problèmes, et que faire',
  '{point} is no longer on the other account; its switch is on hold here.':
    '{point} ne figure plus sur l’autre compte ; son changement est suspendu ici.',
  '{point} is no longer on the other account, where its switch is on hold.':
    '{point} ne figure plus sur l’autre compte, où son changement est suspendu.',
  '{point} is also on {account}; its switch is on hold here.':
    '{point} figure aussi sur {account} ; son changement est suspendu ici.',
  '{point} is also on {account}, where its switch is on hold.':
    '{point} figure aussi sur {account}, où son changement est suspendu.',
  'Compare and decide': 'Comparer et décider',
  'stuck since {time}, next attempt {next}': 'bloqué depuis {time}, prochaine tentative {next}',
  Runs: 'Exécutions',
  Customers: 'Clients',
  'The account has no customers.': 'Le compte n’a aucun client.',
  'deceased: {day}': 'décédé : {day}',
  Mobile: 'Mobile',
  Landline: 'Téléphone fixe',
  Email: 'Adresse électronique',
  'Date of birth': 'Date de naissance',
  'Agreed to': 'Consentements',
  'Empty address': 'Adresse vide',
  'and {count} more': ['et {count} autre', 'et {count} autres'],

  // Supply.
  'Addresses and supply points': 'Adresses et points de livraison',
  'The account has no addresses.': 'Le compte n’a aucune adresse.',
  'Customer here since {day}': 'Client à cette adresse depuis le {day}',
  Instruction: 'Instruction',
  unknown: 'inconnue',
  'Billed every': 'Facturation : chaque',
  month: 'mois',
  '{number} months': '{number} mois',
  Consents: 'Consentements',
  'Switch on hold since': 'Changement suspendu depuis le',
  'From the network operator': 'Du gestionnaire de réseau',
  'Agreements of {point}': 'Offres de {point}',
  'Payment schedules of {point}': 'Échéanciers de {point}',
  'Payment preferences of {point}': 'Modes de paiement de {point}',
  'Add-ons': 'Options',
  'not requested': 'non demandé',
  ', with customer authorization': ', avec l’accord du client',

  // Money.
  Payment: 'Paiement',
  'The account has no payment instructions.': 'Le compte n’a aucune instruction de paiement.',
  Instructions: 'Instructions',
  Verifications: 'Vérifications',
  'Energy cheques': 'Chèques énergie',
  'Amount as sent': 'Montant tel que reçu',
  'Balance and transactions': 'Solde et opérations',
  'The balance is {balance}.': 'Le solde est de {balance}.',
  'The account has no transactions.': 'Le compte n’a aucune opération.',
  Transactions: 'Opérations',
  Items: 'Détail',
  '{lines} lines, {taxes} taxes': '{lines} lignes, {taxes} taxes',
  '{from} to {to}: {units} at {price} = {amount}': '{from} au {to} : {units} à {price} = {amount}',

  // Documents.
  'Statements of the account': 'Relevés du compte',
  Document: 'Document',
  'Details of the business': 'Informations sur l’entreprise',
  Campaigns: 'Campagnes',
  Metadata: 'Métadonnées',
  'There are no notes.': 'Il n’y a aucune note.',
  'until (local time in France; leave empty for no end)': 'jusqu’au (heure de France ; vide : sans fin)',
  Pin: 'Épingler',
  Unpin: 'Détacher',
  Contracts: 'Contrats',
  'Contract {identifier}': 'Contrat {identifier}',
  'Valid from': 'Valable à partir du',
  Signed: 'Signé le',
  '{identifier} from {day}': '{identifier} à partir du {day}',

  // History.
  Newest: 'Derniers événements',
  'All history': 'Tout l’historique',
  'Everything that happened': 'Tout ce qui s’est passé',
  'Staged as {revision}': 'Préparé : {revision}',
  'Staged as {revision}, unchanged': 'Préparé : {revision}, sans modification',
  'revision {number}': 'révision {number}',
  '{person} withdrew {number}: {reason}': '{person} a retiré {number} : {reason}',
  'Requested the switch of {point} from the industry switch, round {round}':
    'Changement de {point} demandé, tour {round}',
  'The industry switch answered for {point}: {answer}': 'Réponse à la demande pour {point} : {answer}',
  '(document)': '(document)',
  'Note: {text}': 'Note : {text}',
  'Created as {number}': 'Créé sous le numéro {number}',
  Message: 'Message',
  '{message} from {source}: {outcome} for {point}': '{message} de {source} : {outcome} pour {point}',
  'Payment instruction {instruction} was sent': 'Instruction de paiement {instruction} envoyée',
  'Payment instruction {instruction}: {outcome} {reason}': 'Instruction de paiement {instruction} : {outcome} {reason}',
  'the account': 'le compte',
  '{times} times since {time}': '{times} fois depuis le {time}',
  Entry: 'Entrée',
  'Events since {time}.': 'Événements depuis le {time}.',
  'Show earlier events': 'Afficher les événements antérieurs',
  'Of each kind the newest audit entries are shown:': 'Pour chaque nature, les entrées d’audit les plus récentes :',
  'all audit entries of this account': 'toutes les entrées d’audit de ce compte',
  'all events sent to the supplier': 'tous les événements envoyés au fournisseur',

  // Revisions and lists.
  'Back to the account': 'Retour au compte',
  'Previous revision': 'Révision précédente',
  'staged {time}': 'préparé le {time}',
  'Only the first changes are shown.': 'Seules les premières modifications sont affichées.',
  Content: 'Contenu',
  'Retention deleted the content on {time}.': 'Le contenu a été supprimé le {time}, au terme de sa conservation.',
  'The content is no longer stored, because there are too many later revisions.':
    'Le contenu n’est plus conservé, car il y a trop de révisions ultérieures.',
  'This is the first revision.': 'C’est la première révision.',
  'The content is the same as that of the previous revision.':
    'Le contenu est le même que celui de la révision précédente.',
  'The content of the previous revision is no longer stored.':
    'Le contenu de la révision précédente n’est plus conservé.',
  '{account}, revision {number}': '{account}, révision {number}',
  '{from} to {to} of {all}': '{from} à {to} sur {all}',
  Previous: 'Précédents',
  Next: 'Suivants',

  // Businesses.
  'Show contacts and details': 'Afficher les contacts et informations',
  'Audit of this business': 'Audit de cette entreprise',
  'Service business ID': 'Identifiant attribué',
  'External business identifier': 'Identifiant externe de l’entreprise',
  'Contacts and details': 'Contacts et informations',
  'The business has no contracts.': 'L’entreprise n’a aucun contrat.',
  'More contracts': 'Contrats suivants',
  ', signed {day}': ', signé le {day}',
  'Version of {day}': 'Version du {day}',
  Contract: 'Contrat',
  'The business has no accounts.': 'L’entreprise n’a aucun compte.',
  'More accounts': 'Comptes suivants',
  all: 'tous',
  Identifier: 'Identifiant',
  Type: 'Type',
  'No business matches these filters.': 'Aucune entreprise ne correspond à ces filtres.',
} as const satisfies Readonly<Record<string, FrenchSentence>>;

/** Search, and the page of an account for people of its import supplier. */
export const frenchSiteAccounts = {
  // Search.
  'This link belongs to another session. Links never contain names or addresses, so type the text again.':
    'Ce lien appartient à une autre session. Les liens ne contiennent ni noms ni adresses : saisissez de nouveau le texte.',
  'Search text': 'Texte recherché',
  'Finds numbers of accounts, and numbers and names of jobs and waves.':
    'Trouve les numéros de comptes, et les numéros et noms de traitements et de vagues.',
  'Finds people by name with town, street or postcode in any order; companies by name; numbers of accounts, businesses, supply points, batches, jobs, waves, messages and mandates; names of jobs and waves; email addresses and telephone numbers.':
    'Trouve les personnes par leur nom avec ville, rue ou code postal, dans n’importe quel ordre ; les entreprises par leur nom ; les numéros de comptes, d’entreprises, de points de livraison, de lots, de traitements, de vagues, de messages et de mandats de prélèvement ; les noms de traitements et de vagues ; les adresses électroniques et les numéros de téléphone.',
  'Names, towns, email addresses and telephone numbers find created accounts only; account numbers also find staged and withdrawn ones.':
    'Les noms, villes, adresses électroniques et numéros de téléphone ne trouvent que les comptes créés ; les numéros de compte trouvent aussi les comptes préparés ou retirés.',
  'Type the whole family name with a first name or a town, or the number of the account.':
    'Saisissez le nom de famille entier avec un prénom ou une ville, ou le numéro du compte.',
  'Too many people have this family name, so not all were compared. Add the first name.':
    'Trop de personnes portent ce nom de famille : toutes n’ont pas été comparées. Ajoutez le prénom.',
  'Search results': 'Résultats de la recherche',
  'Found by': 'Trouvé par',
  'Nothing was found.': 'Aucun résultat.',
  'Names and towns are masked for viewers.': 'Les noms et les villes sont masqués pour le rôle viewer.',
  'withdrawn on {time}, by {person}: {reason}': 'retiré le {time}, par {person} : {reason}',
  'Check consistency': 'Vérifier la cohérence',
  'Change the speed of Enedis': 'Modifier le débit vers Enedis',
  'Change the speed of GRDF': 'Modifier le débit vers GRDF',
  'Erase or export a person': 'Effacer ou exporter les données d’une personne',
  'Issue an API key': 'Délivrer une clé d’API',
  'Change the concurrency limit': 'Modifier la limite de créations simultanées',
  Action: 'Action',
  'No page and no number matches. Search with Enter.':
    'Aucune page et aucun numéro ne correspond. Lancez la recherche avec Entrée.',

  // Account.
  'switch {status}': 'changement de fournisseur {status}',
  'Faults and warnings': 'Erreurs et avertissements',
  'There are no faults or warnings.': 'Il n’y a ni erreur ni avertissement.',
  Requested: 'Demandé',
  'not yet': 'pas encore',
} as const satisfies Readonly<Record<string, FrenchSentence>>;

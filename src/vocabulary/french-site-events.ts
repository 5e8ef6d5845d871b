import type { FrenchSentence } from './sentence-forms.ts';

/** The pages of events, of their endpoints, and of API keys. */
export const frenchSiteEvents = {
  // Endpoints.
  Endpoints: 'Adresses de réception',
  'The endpoint was removed.': 'L’adresse de réception est supprimée.',
  'The delivery is retried now.': 'L’envoi est relancé.',
  'No event is waiting for delivery.': 'Aucun événement n’est en attente d’envoi.',
  'Endpoints that receive events': 'Adresses qui reçoivent des événements',
  'Last success': 'Dernier succès',
  'Failing since': 'En échec depuis',
  'Last failure': 'Dernier échec',
  'No endpoint is registered. Suppliers can read their events from the API.':
    'Aucune adresse n’est enregistrée. Les fournisseurs peuvent lire leurs événements par l’API.',
  'Organization whose import jobs and batches are included (leave empty for none)':
    'Organisation dont les traitements et les lots sont inclus (vide : aucune)',
  'Register an endpoint': 'Enregistrer une adresse de réception',
  'URL (starts with https://)': 'URL (commence par https://)',
  'Events from now on are delivered. The secret that signs them is shown once.':
    'Les événements sont envoyés dès maintenant. Le secret qui les signe n’est affiché qu’une fois.',
  Register: 'Enregistrer',
  'Reload the Events page and fill in the form again.':
    'Rechargez la page Événements et remplissez de nouveau le formulaire.',
  'All endpoints': 'Toutes les adresses',
  'Events of {supplier}': 'Événements de {supplier}',
  'Audit of this endpoint': 'Audit de cette adresse',
  'ended: responded with 410': 'terminée : réponse 410',
  removed: 'supprimée',
  failing: 'en échec',
  'nothing delivered yet': 'aucun envoi',
  delivering: 'envois en cours',
  '{count}, the oldest {time}': '{count}, le plus ancien {time}',
  'at least {count}, the oldest {time}': 'au moins {count}, le plus ancien {time}',
  'Jobs and batches of organization': 'Traitements et lots de l’organisation',
  'none: only events of accounts': 'aucune : seulement les événements des comptes',
  'Next attempt': 'Prochaine tentative',
  'Events to deliver': 'Événements à envoyer',
  'Signing secrets': 'Secrets de signature',
  '2: the new one and, until {time}, the previous one': '2 : le nouveau et, jusqu’au {time}, le précédent',
  'not known: Temporal is unavailable, or the run is about to start':
    'inconnue : Temporal est indisponible, ou l’exécution va commencer',
  "in progress, or paused in Temporal's web UI": 'en cours, ou suspendue dans Temporal',
  'Deliveries are also retried automatically, for as long as the events are kept.':
    'Les envois sont aussi relancés automatiquement, tant que les événements sont conservés.',
  'Retry now': 'Réessayer maintenant',
  'The new secret is shown once. The current one also signs for another 24 hours.':
    'Le nouveau secret n’est affiché qu’une fois. L’actuel signe encore pendant 24 heures.',
  'Two secrets sign until {time}. Another change ends the older one immediately.':
    'Deux secrets signent jusqu’au {time}. Un nouveau changement met fin au plus ancien immédiatement.',
  'Deliveries to this endpoint end permanently. The supplier can still read its events.':
    'Les envois à cette adresse cessent définitivement. Le fournisseur peut encore lire ses événements.',
  'Change the secret': 'Changer le secret',
  'Create a new secret': 'Créer un nouveau secret',
  'The previous secret ends immediately. Continue?': 'Le secret précédent prend fin immédiatement. Continuer ?',
  'Remove the endpoint': 'Supprimer l’adresse',
  Remove: 'Supprimer',
  'End all deliveries to this endpoint?': 'Mettre fin à tous les envois à cette adresse ?',
  'Someone else has changed the secret since this page was loaded. Reload the page to see until when the previous secret signs.':
    'Une autre personne a changé le secret depuis le chargement de cette page. Rechargez-la pour voir jusqu’à quand le secret précédent signe.',
  'The secret': 'Le secret',
  'The secret is shown only once. Hand it over by a secure channel, then close this page.':
    'Le secret n’est affiché qu’une fois. Transmettez-le par un canal sûr, puis fermez cette page.',
  'It signs all deliveries from now on.': 'Il signe tous les envois à partir de maintenant.',
  'Until {time}, deliveries also carry a signature with the previous secret.':
    'Jusqu’au {time}, les envois portent aussi une signature avec le secret précédent.',

  // Events.
  'Events, newest first': 'Événements, les plus récents d’abord',
  'Events are kept for {count} days.': 'Les événements sont conservés {count} jours.',
  'This page goes back to {time}.': 'Cette page remonte jusqu’au {time}.',
  'No events are stored.': 'Aucun événement n’est enregistré.',

  // Keys.
  'The key was revoked. Its tokens become invalid within a second.':
    'La clé est révoquée. Ses jetons deviennent invalides en une seconde.',
  'Reload the API keys page and fill in the form again.':
    'Rechargez la page Clés d’API et remplissez de nouveau le formulaire.',
  'The new key': 'La nouvelle clé',
  'The key is shown only once. Hand it over by a secure channel, then close this page.':
    'La clé n’est affichée qu’une fois. Transmettez-la par un canal sûr, puis fermez cette page.',
  'Valid keys': 'Clés valides',
  'Revoked or expired keys': 'Clés révoquées ou expirées',
  Key: 'Clé',
  'Role and scope': 'Rôle et portée',
  'Starts with': 'Commence par',
  'Import suppliers': 'Fournisseurs',
  'Last used': 'Dernière utilisation',
  Expires: 'Expiration',
  'There are no valid keys.': 'Il n’y a aucune clé valide.',
  'revoked {time}': 'révoquée le {time}',
  'Revoke the key {name} of {organisation}?': 'Révoquer la clé {name} de {organisation} ?',
  Revoke: 'Révoquer',
  'Codes of its import suppliers (required for the role supplier)':
    'Codes de ses fournisseurs (obligatoires pour le rôle supplier)',
  'Registered: {codes}': 'Enregistrés : {codes}',
  'all: everything; signs in as administrator': 'all : tout ; connexion comme administrateur',
  'approve: daily work and approval of waves; signs in as operator':
    'approve : travail quotidien et approbation des vagues ; connexion comme opérateur',
  'operate: daily work; signs in as operator': 'operate : travail quotidien ; connexion comme opérateur',
  'read: only reading; signs in as viewer': 'read : lecture seule ; connexion comme lecteur',
  'market_messages: only sending market messages; cannot sign in':
    'market_messages : seulement l’envoi de messages de marché ; sans connexion',
  'Expires at the start of this day in France (leave empty for never)':
    'Expire au début de ce jour en France (vide : jamais)',
  'The scope applies only to the role operator.': 'La portée ne concerne que le rôle operator.',
  'New key': 'Nouvelle clé',
  'Name of the program that uses the key': 'Nom du programme qui utilise la clé',
  Role: 'Rôle',
  'Create the key': 'Créer la clé',
  'Teams and organizations': 'Équipes et organisations',
  'Concurrency limit': 'Limite de créations simultanées',

  // What events report.
  'The account was created.': 'Le compte a été créé.',
  'The staged data was rejected at creation. The account is created after it is staged again.':
    'Les données préparées ont été refusées à la création. Le compte est créé après une nouvelle préparation.',
  'The database rejected the account, so it is quarantined until operators correct the cause.':
    'La base de données a refusé le compte : il est en quarantaine jusqu’à ce que l’exploitation corrige la cause.',
  'The account was withdrawn and is staged again. It can be created again and then gets another number.':
    'Le compte a été retiré et est de nouveau préparé. Il peut être recréé et reçoit alors un autre numéro.',
  'The business was created, with its contracts.': 'L’entreprise a été créée, avec ses contrats.',
  'Contracts were added to an existing business.': 'Des contrats ont été ajoutés à une entreprise existante.',
  'The business was deleted with the accounts of a withdrawal. It can be created again and then gets another id.':
    'L’entreprise a été supprimée avec les comptes d’un retrait. Elle peut être recréée et reçoit alors un autre identifiant.',
  'The industry switch of the account has not started, or starts again.':
    'Le changement de fournisseur du compte n’a pas commencé, ou recommence.',
  'The industry switch of the account is in progress.': 'Le changement de fournisseur du compte est en cours.',
  'The industry switch of the account was rejected.': 'Le changement de fournisseur du compte a été refusé.',
  'The industry switch of the account is complete.': 'Le changement de fournisseur du compte est effectué.',
  'The payment vendor confirmed the instruction; it is in force.':
    'Le prestataire de paiement a confirmé l’instruction ; elle est en vigueur.',
  'The instruction was rejected permanently.': 'L’instruction a été refusée définitivement.',
  'The payment vendor did not answer within a day; send the instruction again.':
    'Le prestataire de paiement n’a pas répondu en une journée ; renvoyez l’instruction.',
  'The lines of the import job are being validated.': 'Les lignes du traitement d’import sont en cours de validation.',
  'The lines of the import job are being processed.': 'Les lignes du traitement d’import sont en cours de traitement.',
  'The import job was paused. `paused_because` is the reason.':
    'Le traitement d’import a été suspendu. `paused_because` en donne la raison.',
  'All lines of the import job have a result.': 'Toutes les lignes du traitement d’import ont un résultat.',
  'The import job was canceled.': 'Le traitement d’import a été annulé.',
  'The import job was not started within 7 days, or was paused for too long.':
    'Le traitement d’import n’a pas été lancé dans les 7 jours, ou a été suspendu trop longtemps.',
  'The wave was opened, or its withdrawn accounts can be created again.':
    'La vague a été ouverte, ou ses comptes retirés peuvent être recréés.',
  'The creation of the wave was requested and waits for the beginning of its plan.':
    'La création de la vague est demandée et attend le début de son plan.',
  'The accounts of the wave are being created.': 'Les comptes de la vague sont en cours de création.',
  'The wave was paused. `paused_because` is the reason.':
    'La vague a été suspendue. `paused_because` en donne la raison.',
  'The creation of the wave has ended.': 'La création de la vague est terminée.',
  'The accounts of the wave are being withdrawn.': 'Les comptes de la vague sont en cours de retrait.',
  'The accounts of the wave are withdrawn.': 'Les comptes de la vague sont retirés.',
  'A person signed the wave off.': 'Une personne a validé la vague.',
  'The wave was canceled; its accounts belong to no wave.':
    'La vague a été annulée ; ses comptes n’appartiennent à aucune vague.',
  'All supply points of the batch have a result.': 'Tous les points de livraison du lot ont un résultat.',
  'The batch was canceled.': 'Le lot a été annulé.',
} as const satisfies Readonly<Record<string, FrenchSentence>>;

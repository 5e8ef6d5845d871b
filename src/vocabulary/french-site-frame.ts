import type { FrenchSentence } from './sentence-forms.ts';

/** The frame of the support site, sign-in, errors, and the parts that all pages share. */
export const frenchSiteFrame = {
  // Menu.
  Today: 'Aujourd’hui',
  Overview: 'Vue d’ensemble',
  Migration: 'Migration',
  Waves: 'Vagues',
  Suppliers: 'Fournisseurs',
  Jobs: 'Traitements',
  Causes: 'Causes',
  Certificates: 'Certificats',
  Accounts: 'Comptes',
  Find: 'Rechercher',
  Businesses: 'Entreprises',
  'Supply points': 'Points de livraison',
  Messages: 'Messages',
  System: 'Système',
  Stuck: 'Blocages',
  Parties: 'Tiers',
  Events: 'Événements',
  Administration: 'Administration',
  'API keys': 'Clés d’API',
  Settings: 'Paramètres',
  People: 'Utilisateurs',
  'Personal data': 'Données personnelles',
  Audit: 'Audit',

  // Frame.
  'Skip to content': 'Aller au contenu',
  Menu: 'Menu',
  Pages: 'Pages',
  Language: 'Langue',
  Breadcrumbs: 'Fil d’Ariane',
  'Sign out': 'Se déconnecter',
  'Pause updates': 'Suspendre l’actualisation',
  'Resume updates': 'Reprendre l’actualisation',
  'Waiting for a decision': 'En attente d’une décision',
  'Find anything': 'Recherche générale',
  'Find an account, a person, a job ...': 'Compte, personne, traitement...',
  'Find an account or a job': 'Compte ou traitement',
  'Command palette': 'Palette de commandes',
  'Go to a page, an account, a job or an action': 'Aller à une page, un compte, un traitement ou une action',
  'Dates and times are local time in France (Europe/Paris, CET or CEST). Hover over a time to see it in UTC.':
    'Les dates et les heures sont celles de la France (Europe/Paris). Survolez une heure pour la voir en UTC.',

  // Keys.
  Keys: 'Raccourcis clavier',
  'command palette': 'palette de commandes',
  search: 'rechercher',
  'next, previous row': 'ligne suivante, précédente',
  'open the row': 'ouvrir la ligne',
  'select the row': 'sélectionner la ligne',
  'retry the selection, or refresh': 'réessayer la sélection, ou actualiser',
  'these keys': 'ces raccourcis',
  'Single keys are on': 'Raccourcis à une touche activés',
  Close: 'Fermer',

  // Sign-in.
  'Sign in': 'Connexion',
  'Sign in with {provider}': 'Se connecter avec {provider}',
  'Key of an operator or a supplier': 'Clé d’exploitation ou de fournisseur',
  'You are signed out.': 'Vous êtes déconnecté.',
  'Sign-in is disabled: neither OpenID Connect nor sign-in with a key is configured in the settings of the support site.':
    'La connexion est désactivée : ni OpenID Connect ni la connexion avec une clé ne sont configurés dans les paramètres du site.',
  'Too many failed attempts with this key or from this address. Retry after a minute.':
    'Trop d’échecs avec cette clé ou depuis cette adresse. Réessayez dans une minute.',
  'This is not a valid key of an operator or a supplier.':
    'Cette clé n’est pas une clé valide d’exploitation ou de fournisseur.',
  'The identity provider assigned you import suppliers that are not registered. Ask an operator.':
    'Le fournisseur d’identité vous attribue des fournisseurs qui ne sont pas enregistrés. Adressez-vous à l’exploitation.',
  'The sign-in was not started in this browser, or it expired. Start again.':
    'La connexion n’a pas été commencée dans ce navigateur, ou elle a expiré. Recommencez.',
  'The identity provider rejected the sign-in.': 'Le fournisseur d’identité a refusé la connexion.',
  'The identity provider is unavailable. Retry after 5 seconds.':
    'Le fournisseur d’identité est indisponible. Réessayez dans 5 secondes.',
  'The response of the identity provider does not match this sign-in. Start again.':
    'La réponse du fournisseur d’identité ne correspond pas à cette connexion. Recommencez.',

  // Errors.
  'Not allowed': 'Accès refusé',
  'Not found': 'Page introuvable',
  'Too many attempts': 'Trop de tentatives',
  'Temporarily unavailable': 'Temporairement indisponible',
  'Internal error': 'Erreur interne',
  'The request was rejected': 'La requête est refusée',
  'This page does not exist.': 'Cette page n’existe pas.',
  'The form is too large.': 'Le formulaire est trop volumineux.',
  'The form is malformed.': 'Le formulaire est mal formé.',
  'This form was not sent by a page of this site.': 'Ce formulaire n’a pas été envoyé par une page de ce site.',
  'The form was loaded before you signed in. Go back, reload the page and send it again.':
    'Le formulaire a été chargé avant votre connexion. Revenez en arrière, rechargez la page et renvoyez-le.',
  'Your key has the scope {scope}, which does not allow this. Sign in with a key that has the scope approve or all.':
    'Votre clé a la portée {scope}, qui ne le permet pas. Connectez-vous avec une clé de portée approve ou all.',
  'You need the role {needed} for this; your role is {role}. Ask an administrator.':
    'Cette action demande le rôle {needed} ; le vôtre est {role}. Adressez-vous à un administrateur.',
  'Request ID: {id}. The log of the support site has an entry with this ID.':
    'Identifiant de la requête : {id}. Le journal du site contient une entrée avec cet identifiant.',
  'Trace ID: {id}.': 'Identifiant de la trace : {id}.',
  'Back to the start page': 'Retour à la page d’accueil',

  // Times and lists.
  now: 'maintenant',
  'in {time}': 'dans {time}',
  '{time} ago': 'il y a {time}',
  '{days} d': '{days} j',
} as const satisfies Readonly<Record<string, FrenchSentence>>;

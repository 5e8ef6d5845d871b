import type { FrenchSentence } from './sentence-forms.ts';

/** Search, and the page of an account for people of its import supplier. */
export const frenchSiteAccounts = {
  // Search.
  'This link belongs to another session. Links never contain names or addresses, so type the text again.':
    'Ce lien appartient à une autre session. Les liens ne contiennent ni noms ni adresses : saisissez de nouveau le texte.',
  'Search text': 'Texte recherché',
  'Finds numbers of accounts, and numbers and names of jobs.':
    'Trouve les numéros de comptes, et les numéros et noms de traitements.',
  'Finds people by name with town, street or postcode in any order; companies by name; numbers of accounts, businesses, supply points, batches, jobs, messages and mandates; names of jobs; email addresses and telephone numbers.':
    'Trouve les personnes par leur nom avec ville, rue ou code postal, dans n’importe quel ordre ; les entreprises par leur nom ; les numéros de comptes, d’entreprises, de points de livraison, de lots, de traitements, de messages et de mandats de prélèvement ; les noms de traitements ; les adresses électroniques et les numéros de téléphone.',
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

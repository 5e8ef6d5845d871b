/** Words of the pages of codes in French. */
export const frenchPageWords = {
  retry: {
    never: 'Ne renvoyez pas la requête.',
    'after-correction': 'Corrigez la requête, puis renvoyez-la.',
    'same-request': 'Renvoyez la même requête. Rien n’est jamais enregistré deux fois.',
    later: 'Renvoyez la même requête plus tard.',
  },
  rejection: 'Refus',
  fault: 'Erreur d’un champ &middot; dans',
  warning: 'Avertissement &middot; dans',
  lineFault: 'Erreur d’une ligne d’un traitement d’import',
  whatToDo: 'Que faire',
  retryTitle: 'Nouvel essai :',
  example: 'Exemple',
  where: 'Où',
  everywhere: 'Toutes les opérations.',
  more: 'En savoir plus (en anglais) :',
  moreFields: (count: number) => `et ${count} autres champs.`,
  inWarnings: 'Dans <code>warnings[]</code> :',
};

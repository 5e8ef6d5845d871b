import type { FrenchSentence } from './sentence-forms.ts';

/** The pages of waves. */
export const frenchSiteWaves = {
  // Lists.
  'Waves of {supplier}': 'Vagues de {supplier}',
  'All waves': 'Toutes les vagues',
  'Only {count} waves are shown: those at work, then the newest.':
    'Seules {count} vagues sont affichées : celles en cours, puis les plus récentes.',
  'Ended waves': 'Vagues terminées',
  'Ended waves, newest first': 'Vagues terminées, les plus récentes d’abord',
  'As of {time}. Counts may be a minute old.': 'État au {time}. Les chiffres peuvent dater d’une minute.',
  'No wave is in progress.': 'Aucune vague n’est en cours.',
  'No wave has ended.': 'Aucune vague n’est terminée.',
  '{count} more': ['{count} autre', '{count} autres'],
  Planned: 'Prévu',
  Preparing: 'En préparation',
  Valid: 'Valide',
  Rehearsed: 'Répétée',
  Approved: 'Approuvée',
  'Attached, reconciled': 'Complétée, rapprochée',
  Switched: 'Changements effectués',

  // Calendar.
  'Planned nights': 'Nuits prévues',
  'No creation is planned in these six weeks.': 'Aucune création n’est prévue dans ces six semaines.',
  '{count} of these {nights} nights have planned creations.': [
    'Une création est prévue pour {count} de ces {nights} nuits.',
    'Des créations sont prévues pour {count} de ces {nights} nuits.',
  ],
  Mon: 'lun.',
  Tue: 'mar.',
  Wed: 'mer.',
  Thu: 'jeu.',
  Fri: 'ven.',
  Sat: 'sam.',
  Sun: 'dim.',
  'from {time}': 'dès {time}',
  'until {time}': 'jusqu’à {time}',
  continues: 'suite',

  // Counts and plan.
  '{count} account': '{count} compte',
  '{count} accounts': ['{count} compte', '{count} comptes'],
  '{count} of {all} created': ['{count} créé sur {all}', '{count} créés sur {all}'],
  '{created} created, {pending} pending, {faulty} rejected, skipped or quarantined of {all}':
    '{created} créés, {pending} en attente, {faulty} refusés, ignorés ou en quarantaine, sur {all}',
  'accounts per second': 'comptes par seconde',
  'Planned creation: {plan}': 'Création prévue : {plan}',
  'Plan and actual': 'Prévu et réalisé',
  'The creation has no planned time and has not started.': 'La création n’a pas d’horaire prévu et n’a pas commencé.',
  'Planned and actual time of the creation': 'Horaire prévu et horaire réel de la création',
  'upper: plan; lower: creation': 'en haut : plan ; en bas : création',
  'upper: plan; lower: creation; line: now': 'en haut : plan ; en bas : création ; trait : maintenant',
  'lower: creation': 'en bas : création',
  'lower: creation; line: now': 'en bas : création ; trait : maintenant',
  'Plan: {plan}.': 'Plan : {plan}.',
  'The creation has not started.': 'La création n’a pas commencé.',
  'Started {time}; {created} of {all} created.': 'Début : {time} ; {created} créés sur {all}.',
  'Started {time}; {created} of {all} created by {end}.': 'Début : {time} ; {created} créés sur {all} ; fin : {end}.',
  'Estimated end: {time}.': 'Fin estimée : {time}.',
  'Later than planned.': 'Plus tard que prévu.',
  'Plan and options': 'Plan et options',
  'Creation from': 'Création à partir de',
  'Creation until': 'Création jusqu’à',
  'at once': 'immédiatement',
  'Supply starts': 'Début de fourniture',
  '{from} to {to}': 'du {from} au {to}',
  'Expected accounts': 'Comptes attendus',
  'Accounts per second, at most': 'Comptes par seconde, au plus',
  'Switches wait': 'Attente des changements',
  '{count} hours': ['{count} heure', '{count} heures'],
  'creation {plan}': 'création {plan}',
  'supply starts {days}': 'début de fourniture {days}',
  '{count} accounts expected': ['{count} compte attendu', '{count} comptes attendus'],
  'canary of {count}': 'échantillon de {count}',
  'pauses after {limit} failures': 'suspension après {limit} échecs',
  'at most {count} accounts per second': ['au plus {count} compte par seconde', 'au plus {count} comptes par seconde'],
  'switches wait {count} hours': [
    'changements de fournisseur différés de {count} heure',
    'changements de fournisseur différés de {count} heures',
  ],

  // States.
  manually: 'manuellement',
  'the plan has ended': 'le plan est échu',
  Complete: 'Complète',
  Attached: 'Complétée',
  Reconciled: 'Rapprochée',
  'Signed off': 'Validée',

  // Gates.
  Gates: 'Étapes de contrôle',
  'Gates of the wave': 'Étapes de contrôle de la vague',
  Gate: 'Étape',
  Evidence: 'Constat',
  Counts: 'Chiffres',
  Timeline: 'Chronologie',
  'Early supply starts': 'Débuts de fourniture trop proches',

  // Accounts by state.
  Members: 'Membres',
  Excluded: 'Exclus',
  'Invalid lines of uploads': 'Lignes non valides des dépôts',
  Skipped: 'Ignorés',
  Quarantined: 'En quarantaine',
  'Failed lines of attachments': 'Lignes en échec des données complémentaires',
  'Pending, not rehearsed': 'En attente, sans répétition',
  'Pending, not approved': 'En attente, sans approbation',
  'Switch pending': 'Changement de fournisseur en attente',
  'Switch in progress': 'Changement de fournisseur en cours',
  'Switch rejected': 'Changement de fournisseur refusé',
  'Switch completed': 'Changement de fournisseur effectué',
  'Counted {time}. The links lead to all accounts of {supplier} with this state.':
    'Compté le {time}. Les liens mènent à tous les comptes de {supplier} dans cet état.',

  // Causes, jobs, exclusions.
  'Correct it, and send the record again.': 'Corrigez cette donnée, puis renvoyez l’enregistrement.',
  'The certificate is kept by the operators.': 'Le certificat est conservé par l’exploitation.',
  'New wave': 'Nouvelle vague',
  'A wave is rehearsed, approved, created and signed off as a whole. The plan can be changed later.':
    'Une vague est répétée, approuvée, créée et validée d’un seul tenant. Le plan peut être modifié plus tard.',
  'The wave is open. Upload its accounts.': 'La vague est ouverte. Déposez ses comptes.',
  'Upload to this wave': 'Déposer dans cette vague',
  'creation ended': 'création terminée',
  'The supplier must correct it.': 'Le fournisseur doit corriger cette donnée.',
  'No record of the uploads, the last rehearsal or the creation failed.':
    'Aucun enregistrement des dépôts, de la dernière répétition ou de la création n’est en échec.',
  'The most frequent causes, with records that were corrected or excluded since. The pages of the jobs have all of them.':
    'Les causes les plus fréquentes, y compris pour les enregistrements corrigés ou exclus depuis. Les pages des traitements les contiennent toutes.',
  '{count} excluded': ['{count} exclu', '{count} exclus'],
  'Excluded records, newest first': 'Enregistrements exclus, les plus récents d’abord',
  By: 'Par',
  At: 'Le',
  'The newest {count}.': 'Les {count} plus récents.',
  'Jobs of the wave, newest first': 'Traitements de la vague, les plus récents d’abord',
  '{succeeded} succeeded, {failed} failed of {all}': '{succeeded} réussites, {failed} échecs, sur {all}',
  '{succeeded} succeeded, {failed} failed': '{succeeded} réussites, {failed} échecs',
  'The wave has no jobs.': 'La vague n’a aucun traitement.',
  'Withdrawals of the wave, newest first': 'Retraits de la vague, les plus récents d’abord',

  // Approval.
  'Approval is required, and was not requested.': 'Une approbation est requise, et n’a pas été demandée.',
  'No approval is required.': 'Aucune approbation n’est requise.',
  'Asked by': 'Demandée par',
  'Asked at': 'Demandée le',
  Plan: 'Plan',
  Decision: 'Décision',
  'Decided by': 'Décidée par',
  'Decided at': 'Décidée le',
  approved: 'approuvée',
  declined: 'refusée',
  'The plan changed since, so that the request cannot be approved. Ask again.':
    'Le plan a changé depuis : la demande ne peut plus être approuvée. Refaites-la.',
  'The plan changed since, so that the approval has expired. Ask again.':
    'Le plan a changé depuis : l’approbation est caduque. Demandez-la de nouveau.',
  '{accounts} changed since, so that the request cannot be approved. Rehearse the wave and ask again.':
    '{accounts} modifiés depuis : la demande ne peut plus être approuvée. Refaites une répétition et demandez de nouveau l’approbation.',
  '{accounts} changed since, so that the approval has expired. Rehearse the wave and ask again.':
    '{accounts} modifiés depuis : l’approbation est caduque. Refaites une répétition et demandez-la de nouveau.',
  'You asked for this approval, so another person has to decide.':
    'Vous avez demandé cette approbation : une autre personne doit décider.',
  'You can decide: {actions}.': 'Vous pouvez décider : {actions}.',
  actions: 'actions',
  'An operator who signed in at the provider, or with a key of the scope approve or all, has to decide.':
    'La décision revient à un membre de l’exploitation connecté par le fournisseur d’identité, ou avec une clé de portée approve ou all.',
  'Changed accounts of {wave}': 'Comptes modifiés de {wave}',
  'Changed accounts': 'Comptes modifiés',
  '{accounts} of the wave changed since approval was requested or given. Rehearse the wave and ask again.':
    '{accounts} de la vague ont changé depuis la demande ou l’approbation. Refaites une répétition et demandez de nouveau l’approbation.',
  'No account changed.': 'Aucun compte n’a changé.',
  'The first {count}, by number.': 'Les {count} premiers, par numéro.',
  'The switches of these accounts cannot be requested in time: their supply starts before the creation and the hold of switches have ended, or too soon after it for the lead time of the industry. Change the plan, correct the dates, or leave the accounts out.':
    'Les changements de fournisseur de ces comptes ne peuvent pas être demandés à temps : leur fourniture débute avant la fin de la création et du différé des demandes, ou trop tôt après pour le délai des gestionnaires de réseau. Modifiez le plan, corrigez les dates, ou excluez ces comptes.',
  'Accounts whose supply starts too early': 'Comptes dont la fourniture débute trop tôt',
  'Supply from': 'Fourniture à partir du',
  'Switch to be requested on': 'Changement à demander le',
  'All supply starts can be kept.': 'Tous les débuts de fourniture peuvent être respectés.',

  // Timeline.
  'plan changed': 'plan modifié',
  'Job started: {job}': 'Début du traitement : {job}',
  'Job ended: {job}': 'Fin du traitement : {job}',

  // Manifest.
  Manifest: 'Manifeste',
  counting: 'comptage en cours',
  agrees: 'conforme',
  'differences accepted': 'écarts acceptés',
  'Differences were accepted {time}: {reason}': 'Écarts acceptés le {time} : {reason}',
  'Totals that differ': 'Totaux qui diffèrent',

  // Actions.
  'You asked for approval, so another person has to decide. {request}':
    'Vous avez demandé l’approbation : une autre personne doit décider. {request}',
  'The request': 'La demande',
  'There is nothing to do for you now.': 'Vous n’avez rien à faire pour le moment.',
  'Withdraw the accounts of this wave': 'Retirer les comptes de cette vague',
  'External account numbers, one per line': 'Numéros de compte externes, un par ligne',
  'Approve the request': 'Approuver la demande',
  'Allows the creation of exactly {accounts} in the present revision.':
    'Autorise la création de ces {accounts} exactement, dans leur version actuelle.',
  'Allows the withdrawal of exactly {accounts} in the present revision.':
    'Autorise le retrait de ces {accounts} exactement, dans leur version actuelle.',
  'Decline the request': 'Refuser la demande',
  'Ends the request. Approval can be asked for again.':
    'Met fin à la demande. L’approbation peut être demandée de nouveau.',
  'Accept the differences from the manifest': 'Accepter les écarts avec le manifeste',
  'Exactly the totals that differ now no longer block a gate. The certificate names them with the reason.':
    'Les totaux qui diffèrent en ce moment, et eux seuls, ne bloquent plus d’étape de contrôle. Le certificat les mentionne avec le motif.',
  Rehearse: 'Répéter',
  'Creates {accounts} and rolls back. Nothing is stored but the result.':
    'Crée {accounts} puis annule tout. Seul le résultat est enregistré.',
  'Ask for approval': 'Demander l’approbation',
  'Another person decides. The approval expires if an account changes.':
    'Une autre personne décide. L’approbation devient caduque si un compte change.',
  'Create the accounts': 'Créer les comptes',
  'Creates {accounts} when the plan begins.': 'Crée {accounts} lorsque le plan commence.',
  'Creates {accounts} now.': 'Crée {accounts} maintenant.',
  'Create the accounts of this wave?': 'Créer les comptes de cette vague ?',
  'Resume the creation': 'Reprendre la création',
  'Accepts the result of the canary and creates the other accounts. Check the creation job first.':
    'Accepte le résultat de l’échantillon de contrôle et crée les autres comptes. Vérifiez d’abord le traitement de création.',
  'Accepts the results so far and continues.': 'Accepte les résultats obtenus et continue.',
  'Pause the creation': 'Suspendre la création',
  'Accounts in progress are completed within seconds.': 'Les comptes en cours sont terminés en quelques secondes.',
  'Exclude the faulty records': 'Exclure les enregistrements en erreur',
  'Leaves out all records that block a gate now: invalid, rejected, skipped or quarantined, failed in the last rehearsal, or failed lines of attachments.':
    'Exclut tous les enregistrements qui bloquent une étape en ce moment : non valides, refusés, ignorés ou en quarantaine, en échec à la dernière répétition, ou lignes en échec des données complémentaires.',
  'Move accounts to this wave': 'Déplacer des comptes vers cette vague',
  'From waves that are still prepared. Moved accounts lose their rehearsal and approval.':
    'Depuis des vagues encore en préparation. Les comptes déplacés perdent leur répétition et leur approbation.',
  'Change the plan': 'Modifier le plan',
  'Changes dates, expected number, pace, canary and stop rules of the creation.':
    'Modifie les dates, le nombre attendu, le rythme, l’échantillon de contrôle et les règles d’arrêt de la création.',
  'The approval names the plan, so that another approval is needed after the change.':
    'L’approbation porte sur le plan : une nouvelle approbation sera nécessaire.',
  'The approval names the plan, so that another approval is needed after the change. The requested creation is withdrawn.':
    'L’approbation porte sur le plan : une nouvelle approbation sera nécessaire. La création demandée est annulée.',
  'Sign the wave off': 'Valider la vague',
  'Confirms that the migration of these accounts is complete. The wave can no longer be changed.':
    'Confirme que la migration de ces comptes est terminée. La vague ne peut plus être modifiée.',
  'Sign this wave off? It can no longer be changed.': 'Valider cette vague ? Elle ne pourra plus être modifiée.',
  'Ask for approval of a withdrawal': 'Demander l’approbation d’un retrait',
  'The creation was approved, so another person has to approve that its accounts are withdrawn.':
    'La création a été approuvée : une autre personne doit approuver le retrait de ses comptes.',
  'Cancel the wave': 'Annuler la vague',
  'Created accounts stay; the others no longer belong to a wave.':
    'Les comptes créés sont conservés ; les autres n’appartiennent plus à aucune vague.',
  'Cancel this wave? Created accounts stay.': 'Annuler cette vague ? Les comptes créés sont conservés.',

  // Results of actions.
  'The rehearsal was started.': 'La répétition a commencé.',
  'Approval was requested. Another person has to decide.':
    'L’approbation est demandée. Une autre personne doit décider.',
  'The request is approved.': 'La demande est approuvée.',
  'The request was declined.': 'La demande est refusée.',
  'The creation was requested.': 'La création est demandée.',
  'The wave is paused. Accounts in progress are completed within seconds.':
    'La vague est suspendue. Les comptes en cours sont terminés en quelques secondes.',
  'The wave was resumed.': 'La vague a repris.',
  'The wave was canceled. Created accounts are kept.': 'La vague est annulée. Les comptes créés sont conservés.',
  'The wave is signed off.': 'La vague est validée.',
  'Nothing was changed: approval was requested again meanwhile. Check the new request.':
    'Rien n’a été modifié : l’approbation a été redemandée entre-temps. Vérifiez la nouvelle demande.',
  '{count} excluded.': ['{count} exclu.', '{count} exclus.'],
  '{count} of {all} moved.': ['{count} déplacé sur {all}.', '{count} déplacés sur {all}.'],
  'Nothing was changed: the plan has these values.': 'Rien n’a été modifié : le plan a déjà ces valeurs.',
  'The plan was changed. It has to be approved again.': 'Le plan est modifié. Il doit être approuvé de nouveau.',
  'The plan was changed.': 'Le plan est modifié.',

  // Plan.
  'Creation from (local time in France; empty: at once)':
    'Création à partir de (heure de France ; vide : immédiatement)',
  'Creation until (local time in France)': 'Création jusqu’à (heure de France)',
  'First day of supply': 'Premier jour de fourniture',
  'Last day of supply': 'Dernier jour de fourniture',
  'Canary: accounts after which the creation waits':
    'Échantillon de contrôle : comptes après lesquels la création attend',
  'Pause after this number of failures': 'Suspendre après ce nombre d’échecs',
  'Pause after this percentage of failures': 'Suspendre après ce pourcentage d’échecs',
  'Hours that switches wait after the creation (empty: 24)':
    'Différé des changements de fournisseur après la création, en heures (vide : 24)',
} as const satisfies Readonly<Record<string, FrenchSentence>>;

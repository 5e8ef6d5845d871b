import type { FrenchSentence } from './sentence-forms.ts';

/** The pages of import jobs, of their records and causes, and the upload of files. */
export const frenchSiteJobs = {
  // List.
  'Import jobs, newest first': 'Traitements d’import, les plus récents d’abord',
  'Kind and goal': 'Nature et objectif',
  Rate: 'Débit',
  'No import job matches these filters.': 'Aucun traitement ne correspond à ces filtres.',
  'New job': 'Nouveau traitement',
  'Causes of all staged accounts of {supplier}': 'Causes de tous les comptes préparés de {supplier}',
  'Jobs of {supplier}': 'Traitements de {supplier}',

  // State.
  'Import job of {supplier}': 'Traitement d’import de {supplier}',
  'the import job': 'ce traitement',
  '{kind}, goal {goal}': '{kind}, objectif {goal}',
  '{name}: {value}': '{name} : {value}',
  'limit of staged accounts': 'limite de comptes préparés',
  'The job is outside its time window. It resumes automatically.':
    'Le traitement est hors de sa plage horaire. Il reprend automatiquement.',
  'The status of the import supplier is not Ongoing. The job resumes automatically when it is.':
    'Le statut du fournisseur n’est pas Ongoing. Le traitement reprend automatiquement dès qu’il le redevient.',
  'The import supplier reached its limit of staged accounts. The job resumes automatically when some are created.':
    'Le fournisseur a atteint sa limite de comptes préparés. Le traitement reprend automatiquement dès que certains sont créés.',
  'Since {time}.': 'Depuis le {time}.',
  'Waiting for {party}.': 'En attente de {party}.',
  'Waiting for {party} since {time}.': 'En attente de {party} depuis le {time}.',
  'Waiting to retry records.': 'En attente d’un nouvel essai.',
  'Waiting to retry records since {time}.': 'En attente d’un nouvel essai depuis le {time}.',
  'Next attempt: {time}.': 'Prochaine tentative : {time}.',
  '{succeeded} succeeded, {failed} failed, {unprocessed} unprocessed of {all}':
    '{succeeded} réussites, {failed} échecs, {unprocessed} non traités, sur {all}',
  'The supplier can upload parts until it starts the job.':
    'Le fournisseur peut déposer des fichiers jusqu’au lancement du traitement.',
  'The job expires seven days after it was opened.': 'Le traitement expire sept jours après son ouverture.',
  succeeded: 'réussites',
  unprocessed: 'non traités',
  'in total': 'au total',
  'with warnings': 'avec avertissement',
  'records per second': 'enregistrements par seconde',
  '{count} record': '{count} enregistrement',
  '{count} records': ['{count} enregistrement', '{count} enregistrements'],
  Steps: 'Étapes',
  Step: 'Étape',
  Validated: 'Validation',

  // Options and results.
  'Options and times': 'Options et dates',
  'Open the wave': 'Ouvrir la vague',
  'as uploaded': 'tels que déposés',
  'all staged accounts': 'tous les comptes préparés',
  'the accounts of the wave': 'les comptes de la vague',
  'Time window': 'Plage horaire',
  '{from} to {to} in France': 'de {from} à {to}, heure de France',
  'Maximum records per second': 'Enregistrements par seconde, au plus',
  'Compare the created accounts with the accepted data': 'Comparer les comptes créés avec les données acceptées',
  Results: 'Résultats',
  'Failed, to correct and resend': 'Échecs, à corriger et à renvoyer',
  'Succeeded, with their new numbers': 'Réussites, avec leurs nouveaux numéros',
  Unprocessed: 'Non traités',
  'The files are JSON lines (NDJSON) with personal data. Each download is audited. The files are deleted some days after the job has ended.':
    'Les fichiers contiennent des données personnelles, en lignes JSON (NDJSON). Chaque téléchargement est audité. Les fichiers sont supprimés quelques jours après la fin du traitement.',
  'The results contain personal data. Only operators can download them.':
    'Les résultats contiennent des données personnelles. Seule l’exploitation peut les télécharger.',

  // Actions.
  'Withdraw the accounts of this job': 'Retirer les comptes de ce traitement',
  'Pause the job': 'Suspendre le traitement',
  'Cancel the job': 'Annuler le traitement',
  'Cancel this job? Completed records are kept; the others stay unprocessed.':
    'Annuler ce traitement ? Les enregistrements terminés sont conservés ; les autres restent non traités.',
  'The job is paused. Records in progress are completed within seconds.':
    'Le traitement est suspendu. Les enregistrements en cours sont terminés en quelques secondes.',
  'The job was resumed.': 'Le traitement a repris.',
  'The job was canceled. Completed records are kept.':
    'Le traitement est annulé. Les enregistrements terminés sont conservés.',
  'Nothing was changed: type the number of records that will probably fail or need a decision.':
    'Rien n’a été modifié : saisissez le nombre d’enregistrements qui échoueront probablement ou demanderont une décision.',
  'Nothing was changed: the job is now paused for another reason.':
    'Rien n’a été modifié : le traitement est maintenant suspendu pour un autre motif.',

  // Decision.
  'The canary is complete. May the job continue?':
    'L’échantillon de contrôle est terminé. Le traitement peut-il continuer ?',
  'Approve the canary and continue': 'Approuver l’échantillon de contrôle et continuer',
  'The job reached its limit of failures. May it continue?':
    'Le traitement a atteint sa limite d’échecs. Peut-il continuer ?',
  'Accept the failures and continue': 'Accepter les échecs et continuer',
  'The records differ from the manifest. May the job continue?':
    'Les enregistrements diffèrent du manifeste. Le traitement peut-il continuer ?',
  'Accept the differences and continue': 'Accepter les écarts et continuer',
  'The key that started the job was revoked. May the job continue?':
    'La clé qui a lancé le traitement est révoquée. Le traitement peut-il continuer ?',
  'The job was paused manually. May it continue?': 'Le traitement a été suspendu manuellement. Peut-il continuer ?',
  'Resume the job': 'Reprendre le traitement',
  'It waits since {time}.': 'En attente depuis le {time}.',
  Continue: 'Continuer',
  'Processes the other {count} records.': [
    'Traite {count} enregistrement restant.',
    'Traite les {count} enregistrements restants.',
  ],
  'Keeps what is done. The other {count} records stay unprocessed.': [
    'Conserve ce qui est fait. {count} enregistrement reste non traité.',
    'Conserve ce qui est fait. Les {count} autres enregistrements restent non traités.',
  ],
  Withdraw: 'Retirer',
  'Cancels the job, and leads to the preview of the withdrawal of {count} accounts.': [
    'Annule le traitement et mène à l’aperçu du retrait de {count} compte.',
    'Annule le traitement et mène à l’aperçu du retrait de {count} comptes.',
  ],
  'Cancel and withdraw': 'Annuler et retirer',
  'Cancel this job? Nothing is withdrawn before you confirm it on the next page.':
    'Annuler ce traitement ? Rien n’est retiré avant votre confirmation à la page suivante.',
  'Type {count}, the number of records that will probably fail or need a decision':
    'Saisissez {count}, le nombre d’enregistrements qui échoueront probablement ou demanderont une décision',
  'all {count}': ['{count}', 'les {count}'],
  'First succeeded records': 'Premiers enregistrements réussis',
  Warnings: 'Avertissements',
  '{count} of {all} records failed.': [
    '{count} enregistrement sur {all} est en échec.',
    '{count} enregistrements sur {all} sont en échec.',
  ],
  '{count} of {all} accounts have a supply point that is also on another account, so that an operator must decide on each of their switches.':
    [
      '{count} compte sur {all} a un point de livraison qui figure aussi sur un autre compte : l’exploitation doit décider de chacun de ses changements de fournisseur.',
      '{count} comptes sur {all} ont un point de livraison qui figure aussi sur un autre compte : l’exploitation doit décider de chacun de leurs changements de fournisseur.',
    ],
  'If the job continues, expect about {count} such records.': [
    'Si le traitement continue, attendez-vous à environ {count} enregistrement de ce type.',
    'Si le traitement continue, attendez-vous à environ {count} enregistrements de ce type.',
  ],
  'Ask the supplier first.': 'Consultez d’abord le fournisseur.',
  'With a supply point on another account': 'Avec un point de livraison sur un autre compte',
  'So far': 'Jusqu’ici',
  '{count} of {all} records': ['{count} enregistrement sur {all}', '{count} enregistrements sur {all}'],
  Figures: 'Chiffres',
  Outcome: 'Issue',
  'Estimate for all {count}': 'Estimation pour les {count}',
  'about {count}': 'environ {count}',
  Estimate: 'Estimation',
  Rehearsal: 'Répétition',
  rehearsal: 'répétition',
  'There is no completed rehearsal of the same records to compare with.':
    'Aucune répétition terminée des mêmes enregistrements ne permet de comparer.',
  'Compared with the {rehearsal} of {time}: the same {count} records.': [
    'Comparaison avec la {rehearsal} du {time} : le même enregistrement ({count}).',
    'Comparaison avec la {rehearsal} du {time} : les mêmes {count} enregistrements.',
  ],
  '{count} of them were not rehearsed.': [
    '{count} d’entre eux n’a pas été répété.',
    '{count} d’entre eux n’ont pas été répétés.',
  ],
  'What failed': 'Ce qui a échoué',
  new: 'nouveau',
  '{before}: gone': '{before} : aucun maintenant',
  '{before}: the same': '{before} : autant',
  '{before}: {more} more': '{before} : {more} de plus',
  '{before}: {fewer} fewer': '{before} : {fewer} de moins',

  // Causes.
  'All causes': 'Toutes les causes',
  'Causes of {name}': 'Causes de {name}',
  'No record failed or has a warning.': 'Aucun enregistrement n’est en échec ni ne porte d’avertissement.',
  'Records that have no other cause, so that correcting this one is enough':
    'Enregistrements sans autre cause : il suffit de corriger celle-ci',
  'Only cause': 'Seule cause',
  'line {line}': 'ligne {line}',
  'Example: {record}.': 'Exemple : {record}.',
  'Example: {record}, value {value}.': 'Exemple : {record}, valeur {value}.',
  'Correct the rejected data. The page of each code says how.':
    'Corrigez les données refusées. La page de chaque code explique comment.',
  'The supplier must correct rejected data. The page of each code has advice that you can forward.':
    'Le fournisseur doit corriger les données refusées. La page de chaque code contient des conseils à transmettre.',
  'The database rejects the data. Ask the supplier to stage corrected data, or skip the account. Attempts continue automatically.':
    'La base de données refuse les données. Le fournisseur doit préparer des données corrigées, ou le compte doit être ignoré. Les tentatives continuent automatiquement.',
  'Compare the accounts and decide which one keeps the supply point.':
    'Comparez les comptes et décidez lequel garde le point de livraison.',
  'Ask the suppliers which account the instruction belongs to.':
    'Demandez aux fournisseurs à quel compte l’instruction appartient.',
  'Causes by import supplier': 'Causes par fournisseur',
  'No record failed.': 'Aucun enregistrement n’est en échec.',
  'Jobs that have not ended or ended in the last seven days, and those of waves that have not ended: the newest 100, and the 200 causes with most records.':
    'Traitements en cours ou terminés depuis moins de sept jours, et ceux des vagues en cours : les 100 plus récents, et les 200 causes qui touchent le plus d’enregistrements.',
  '{records} in {job}': '{records} dans {job}',
  'and {count} more jobs': ['et {count} autre traitement', 'et {count} autres traitements'],
  '{count} more than in the job before': '{count} de plus que dans le traitement précédent',
  '{count} fewer than in the job before': '{count} de moins que dans le traitement précédent',
  'The known causes that block the creation of staged accounts of {supplier}. To find all causes, run a job with the goal {goal}.':
    'Les causes connues qui bloquent la création des comptes préparés de {supplier}. Pour les trouver toutes, lancez un traitement avec l’objectif {goal}.',
  'Counting; this takes several seconds for a million accounts.':
    'Comptage en cours ; il prend quelques secondes pour un million de comptes.',
  'Open the counts on a separate page': 'Ouvrir le comptage sur une page séparée',
  'No cause is known. Records that failed in import jobs are listed on the pages of the jobs.':
    'Aucune cause n’est connue. Les enregistrements en échec figurent sur les pages des traitements.',
  'Counted {time}.': 'Compté le {time}.',

  // Records.
  'Succeeded records': 'Enregistrements réussis',
  'Failed records': 'Enregistrements en échec',
  'Missing records': 'Enregistrements manquants',
  'All {count} failed records': ['L’enregistrement en échec ({count})', 'Les {count} enregistrements en échec'],
  'First failed records': 'Premiers enregistrements en échec',
  'The records are deleted.': 'Les enregistrements sont supprimés.',
  '{records} of {job}': '{records} de {job}',
  'Only those still missing': 'Seulement ceux qui manquent encore',
  'No record matches.': 'Aucun enregistrement ne correspond.',
  'created since': 'créé depuis',
  'still missing': 'manque encore',
  'stored since': 'enregistré depuis',
  'Count the failed accounts that are still missing': 'Compter les comptes en échec qui manquent encore',
  'Still missing: {missing} of {all} failed accounts.': 'Encore manquants : {missing} sur {all} comptes en échec.',
  'Still missing: {missing} of the first {all} failed accounts.':
    'Encore manquants : {missing} sur les {all} premiers comptes en échec.',
  'The others are created by now.': 'Les autres sont créés depuis.',
  'The others are staged or created by now.': 'Les autres sont préparés ou créés depuis.',
  List: 'Afficher la liste',
  'Missing accounts of {job}': 'Comptes manquants de {job}',
  'Failed in import jobs': 'En échec dans des traitements d’import',
  'Records that failed in import jobs': 'Enregistrements en échec dans des traitements d’import',

  // Text for the supplier.
  'Text for the supplier': 'Texte pour le fournisseur',
  'Without personal data, to copy into an e-mail': 'Sans données personnelles, à copier dans un courriel',
  Copy: 'Copier',
  Copied: 'Copié',
  'without a name': 'sans nom',
  'Import job {job} ({about}), id {id}': 'Traitement d’import {job} ({about}), identifiant {id}',
  'started {time}': 'lancé le {time}',
  '{count} records: {succeeded} succeeded, {failed} failed.': [
    '{count} enregistrement : {succeeded} réussites, {failed} échecs.',
    '{count} enregistrements : {succeeded} réussites, {failed} échecs.',
  ],
  'Records:': 'Enregistrements :',
  '{record}: line {line} of the import job {job} was rejected.':
    '{record} : la ligne {line} du traitement d’import {job} a été refusée.',
  '{code} at {place}': '{code} dans {place}',
  'For example line {line}.': 'Par exemple ligne {line}.',

  // Upload.
  'New import job': 'Nouveau traitement d’import',
  'The records are uploaded on the next page; nothing is processed before the job is started there.':
    'Les enregistrements se déposent à la page suivante ; rien n’est traité avant le lancement du traitement.',
  Goal: 'Objectif',
  'VALIDATE only checks. For accounts, STAGE also stores them, REHEARSE tries their creation and undoes it, and CREATE creates them. For other records, IMPORT stores them.':
    '« valider » vérifie seulement. Pour les comptes, « préparer » les enregistre aussi, « répéter » essaie leur création puis l’annule, et « créer » les crée. Pour les autres enregistrements, « importer » les enregistre.',
  'The file is empty. Choose another one.': 'Le fichier est vide. Choisissez-en un autre.',
  'Optional. People find the job by it.': 'Facultatif. Il permet de retrouver le traitement.',
  None: 'Aucune',
  'Of created accounts; required to rehearse and create.':
    'Celle des comptes créés ; obligatoire pour répéter et créer.',
  'Optional. After so many records the job waits for a decision.':
    'Facultatif. Après ce nombre d’enregistrements, le traitement attend une décision.',
  'Optional. The totals that the supplier expects.': 'Facultatif. Les totaux que le fournisseur attend.',
  'Open the job': 'Ouvrir le traitement',
  'Nothing was stored. Correct the form and send it again.':
    'Rien n’a été enregistré. Corrigez le formulaire et renvoyez-le.',
  'The job is open. Upload its records.': 'Le traitement est ouvert. Déposez ses enregistrements.',
  '{records} uploaded.': 'Dépôt enregistré : {records}.',
  'The job has been started.': 'Le traitement est lancé.',
  'Nothing is uploaded yet.': 'Rien n’est encore déposé.',
  '{records} uploaded ({size} MB).': 'Dépôts : {records} ({size} Mo).',
  File: 'Fichier',
  'Another file, or the same one to continue its upload': 'Un autre fichier, ou le même pour en reprendre le dépôt',
  'NDJSON, one record per line, plain or gzip. Choose a file or drop it here. Without scripts: at most 64 MB, not compressed.':
    'NDJSON, un enregistrement par ligne, brut ou gzip. Choisissez un fichier ou déposez-le ici. Sans scripts : 64 Mo au plus, non compressé.',
  Upload: 'Déposer',
  Uploaded: 'Part déposée',
  'Processes {records} with the goal {goal}. Afterwards nothing can be uploaded.':
    'Traite {records} avec l’objectif {goal}. Ensuite, plus rien ne peut être déposé.',
  'Start the job': 'Lancer le traitement',
  'Reload the page and sign in again.': 'Rechargez la page et reconnectez-vous.',
  'The connection is lost. Choose Upload to continue; nothing is sent twice.':
    'La connexion est interrompue. Choisissez Déposer pour continuer ; rien n’est envoyé deux fois.',
  'The job already has other records after the first part of this file. Use another job.':
    'Le traitement contient déjà d’autres enregistrements après la première partie de ce fichier. Utilisez un autre traitement.',
} as const satisfies Readonly<Record<string, FrenchSentence>>;

import { pair, type SentencePair } from './french-details.ts';

// The evidence of the gates of a wave (src/waves/gate.rules.ts) in French.

/** What blocks the gate `valid`, in the order of its sentence. */
const FAULTS = [
  ['invalid', 'non valides'],
  ['rejected', 'refusés'],
  ['skipped', 'à ignorer'],
  ['quarantined', 'en quarantaine'],
] as const;
const NUMBERS = ['n', 'm', 'k', 'count'] as const;

/** A sentence for each combination of faults. */
function faultSentences(): SentencePair[] {
  return Array.from({ length: 2 ** FAULTS.length - 1 }, (_, index) => {
    const found = FAULTS.filter((_fault, bit) => ((index + 1) >> bit) % 2 === 1);
    const english = found.map(([word], at) => `{${NUMBERS[at]}} ${word}`).join(', ');
    const french = found.map(([, word], at) => `${word} : {${NUMBERS[at]}}`).join(', ');
    return [`${english}.`, `Comptes ${french}.`];
  });
}

export const frenchGates: readonly SentencePair[] = [
  pair('{n} upload has not ended.', '{n} dépôt n’est pas terminé.'),
  pair('{n} uploads have not ended.', '{n} dépôts ne sont pas terminés.'),
  pair('One is paused.', 'L’un d’eux est suspendu.'),
  pair('The wave has no accounts.', 'La vague n’a aucun compte.'),
  pair('{n} {accounts} of {m} expected.', '{n} {accounts} sur {m} attendus.'),
  pair('Stage the others, or change the plan.', 'Préparez les autres, ou modifiez le plan.'),
  pair(
    'Move the others to another wave, or change the plan.',
    'Déplacez les autres vers une autre vague, ou modifiez le plan.',
  ),
  pair('{n} {accounts} from {m} {uploads}.', '{n} {accounts} provenant de {m} {uploads}.'),
  pair('{n} {accounts} from {m} {uploads}, as expected.', '{n} {accounts} provenant de {m} {uploads}, comme attendu.'),
  pair(
    'Send missing or corrected records, or have an operator accept the differences.',
    'Envoyez les enregistrements manquants ou corrigés, ou faites accepter les écarts par l’équipe d’exploitation.',
  ),
  ...faultSentences(),
  pair('Correct them, or exclude them with a reason.', 'Corrigez-les, ou excluez-les en indiquant un motif.'),
  pair('No account is faulty.', 'Aucun compte n’est en défaut.'),
  pair('{n} record is excluded.', '{n} enregistrement est exclu.'),
  pair('{n} records are excluded.', '{n} enregistrements sont exclus.'),
  pair('All accounts are created.', 'Tous les comptes sont créés.'),
  pair('Nothing to try.', 'Il n’y a rien à essayer.'),
  pair(
    'The rehearsal tried all {n} accounts in their present revision.',
    'La répétition a porté sur les {n} comptes dans leur révision actuelle.',
  ),
  pair(
    'The rehearsal tried all {n} pending accounts in their present revision.',
    'La répétition a porté sur les {n} comptes en attente dans leur révision actuelle.',
  ),
  pair('The wave has ended.', 'La vague est terminée.'),
  pair('No rehearsal has been started.', 'Aucune répétition n’a été lancée.'),
  pair('The rehearsal has tried {n} of {m}.', 'La répétition a porté sur {n} comptes sur {m}.'),
  pair('{n} {accounts} failed the rehearsal.', '{n} {accounts} en échec lors de la répétition.'),
  pair(
    '{n} {accounts} failed the rehearsal or changed since.',
    '{n} {accounts} en échec lors de la répétition ou modifiés depuis.',
  ),
  pair('Start another one.', 'Lancez-en une autre.'),
  pair(
    'Warning: Supply of {n} {accounts} starts before {day}, when the first switches can be requested.',
    'Attention : la fourniture de {n} {accounts} commence avant le {day}, date à laquelle les premières bascules peuvent être demandées.',
  ),
  pair(
    'Warning: Supply of {n} {accounts} starts too soon after {day} for the lead time of switches.',
    'Attention : la fourniture de {n} {accounts} commence trop tôt après le {day} pour le délai des bascules.',
  ),
  pair(
    'Supply of {n} {accounts} starts too soon after {day} for the lead time of switches.',
    'La fourniture de {n} {accounts} commence trop tôt après le {day} pour le délai des bascules.',
  ),
  pair('The earliest is {day} ({names}).', 'La plus proche est celle du {day} ({names}).'),
  pair('{by} approved the creation.', '{by} a approuvé la création.'),
  pair('The plan changed since the approval.', 'Le plan a changé depuis l’approbation.'),
  pair('The plan changed since {by} asked for approval.', 'Le plan a changé depuis que {by} a demandé l’approbation.'),
  pair('Ask for another one.', 'Demandez-en une nouvelle.'),
  pair(
    '{by} asked for approval; a second person has to decide.',
    '{by} a demandé l’approbation ; une seconde personne doit décider.',
  ),
  pair('{by} declined the creation.', '{by} a refusé la création.'),
  pair('{n} {accounts} changed since the approval.', '{n} {accounts} modifiés depuis l’approbation.'),
  pair(
    'The members of the wave changed since the approval.',
    'Les membres de la vague ont changé depuis l’approbation.',
  ),
  pair('No approval was requested.', 'Aucune approbation n’a été demandée.'),
  pair('No approval is required.', 'Aucune approbation n’est requise.'),
  pair('{n} of {m} accounts are created.', 'Comptes créés : {n} sur {m}.'),
  pair(
    'The canary has ended: check it, then resume.',
    'Les premiers enregistrements sont traités : vérifiez-les, puis reprenez.',
  ),
  pair('The job is paused.', 'Le traitement est suspendu.'),
  pair('The wave is paused.', 'La vague est suspendue.'),
  pair('{n} job has not ended.', '{n} traitement n’est pas terminé.'),
  pair('{n} jobs have not ended.', '{n} traitements ne sont pas terminés.'),
  pair('{n} line has failed.', '{n} ligne est en échec.'),
  pair('{n} lines have failed.', '{n} lignes sont en échec.'),
  pair('{n} job has ended.', '{n} traitement est terminé.'),
  pair('{n} jobs have ended.', '{n} traitements sont terminés.'),
  pair('Attachments come after the creation.', 'Les données à rattacher viennent après la création.'),
  pair('The wave has no attachments.', 'La vague n’a pas de données à rattacher.'),
  pair('No comparison has been started.', 'Aucun rapprochement n’a été lancé.'),
  pair('The comparison has not ended.', 'Le rapprochement n’est pas terminé.'),
  pair('The certificate shows no differences.', 'Le certificat ne montre aucun écart.'),
  pair('The certificate shows {n} difference.', 'Le certificat montre {n} écart.'),
  pair('The certificate shows {n} differences.', 'Le certificat montre {n} écarts.'),
  pair(
    '{n} of {m} switched, {k} in progress, {count} rejected.',
    'Bascules terminées : {n} sur {m}, en cours : {k}, refusées : {count}.',
  ),
  pair('It is not signed off.', 'Elle n’a pas été validée.'),
  pair('{by} signed the wave off.', '{by} a validé la vague.'),
];

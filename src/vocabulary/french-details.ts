import { tableOf, type Table } from '../foundation/table.ts';
import type { ValuesOf } from './sentence-forms.ts';

// Details of requests in French, for those that replace the sentence of their code. `{name}` is a value; the names `n`, `m` and `k` are whole numbers, and those of
// `frenchWords` are words that are translated. A pair whose values differ does not compile.

/** A sentence in both languages. */
export type SentencePair = readonly [english: string, french: string];

/** A pair whose values are the same in both languages. */
export function pair<const English extends string, const French extends string>(
  english: English,
  french: [ValuesOf<English>, ValuesOf<French>] extends [ValuesOf<French>, ValuesOf<English>] ? French : never,
): SentencePair {
  return [english, french];
}

/** Words inside sentences, by the name of the value. */
export const frenchWords: Table<Table<string>> = tableOf({
  type: tableOf({
    null: 'null',
    'a text': 'un texte',
    'a number': 'un nombre',
    'a boolean': 'un booléen',
    'a list': 'une liste',
    'an object': 'un objet',
    'a number beyond 15 digits or with an exponent': 'un nombre de plus de 15 chiffres ou avec un exposant',
  }),
  due: tableOf({
    'A text': 'Un texte',
    'An integer': 'Un nombre entier',
    'A number': 'Un nombre',
    'A boolean': 'Un booléen',
    'A number or a decimal as text': 'Un nombre, ou un nombre décimal sous forme de texte,',
    'Another type': 'Un autre type',
  }),
  cause: tableOf({
    'this is not a JSON number; JSON has no leading zeros, no plus sign, and digits on both sides of the point':
      'ce n’est pas un nombre JSON ; JSON n’admet ni zéros de début, ni signe plus, et veut des chiffres des deux côtés du point',
    'the text ends too early': 'le texte s’arrête trop tôt',
    'a member name in double quotes is missing here': 'il manque ici un nom de membre entre guillemets doubles',
    'a value is missing here': 'il manque ici une valeur',
    'a colon is missing after a member name': 'il manque un deux-points après un nom de membre',
    'a comma or a closing bracket is missing here': 'il manque ici une virgule ou une parenthèse fermante',
    'a comma or } is missing here': 'il manque ici une virgule ou }',
    'a comma or ] is missing here': 'il manque ici une virgule ou ]',
    'there is more text after the end of the JSON value': 'du texte suit la fin de la valeur JSON',
    'JSON has no comments': 'JSON n’admet pas de commentaires',
    'in this string, \\u is not followed by four hexadecimal digits':
      'dans ce texte, \\u n’est pas suivi de quatre chiffres hexadécimaux',
    'in this string, a backslash is not followed by one of " \\ / b f n r t or by u and four hexadecimal digits':
      'dans ce texte, une barre oblique inverse n’est pas suivie de l’un des caractères " \\ / b f n r t, ni de u et quatre chiffres hexadécimaux',
    'this string contains a control character; escape it, for example as \\t':
      'ce texte contient un caractère de contrôle ; échappez-le, par exemple en \\t',
    'the string that starts here has no closing quote': 'le texte qui commence ici n’a pas de guillemet fermant',
    'a string contains a line break; escape it as \\n': 'un texte contient un saut de ligne ; échappez-le en \\n',
    'there is a comma before }; remove it': 'une virgule précède } ; supprimez-la',
    'there is a comma before ]; remove it': 'une virgule précède ] ; supprimez-la',
    'this is not JSON': 'ce n’est pas du JSON',
    'strings and member names need double quotes, and the only words are true, false and null':
      'les textes et les noms de membres sont entre guillemets doubles, et les seuls mots admis sont true, false et null',
    'the bytes here are not valid UTF-8': 'ces octets ne sont pas un UTF-8 valide',
    'an object has a second member with this name': 'un objet a un second membre de ce nom',
  }),
  format: tableOf({
    'UTF-16 or binary data': 'de l’UTF-16 ou des données binaires',
    'a JSON list': 'une liste JSON',
    'one JSON document on several lines': 'un document JSON sur plusieurs lignes',
    'a JSON list without its brackets': 'une liste JSON sans ses crochets',
    XML: 'du XML',
    CSV: 'du CSV',
    'a format other than NDJSON': 'un autre format que NDJSON',
  }),
  what: tableOf({ body: 'Le corps', line: 'La ligne' }),
  accounts: tableOf({ account: 'compte', accounts: 'comptes' }),
  uploads: tableOf({ upload: 'dépôt', uploads: 'dépôts' }),
});

export const frenchDetails: readonly SentencePair[] = [
  // Types and formats.
  pair('An object is expected, not {type}.', 'Un objet est attendu, et non {type}.'),
  pair('A list of items is expected, not {type}.', 'Une liste d’éléments est attendue, et non {type}.'),
  pair(
    'An object with any members is expected, not {type}.',
    'Un objet aux membres libres est attendu, et non {type}.',
  ),
  pair('{due} is expected, not {type}.', '{due} est attendu, et non {type}.'),
  pair('A number without exponent is expected.', 'Un nombre sans exposant est attendu.'),
  pair('At least {n} characters are needed.', 'Il faut au moins {n} caractères.'),
  pair('At most {n} characters are allowed.', '{n} caractères au plus sont autorisés.'),
  pair('At least {n} items are needed.', 'Il faut au moins {n} éléments.'),
  pair('At most {n} items are allowed.', '{n} éléments au plus sont autorisés.'),
  pair('At most {n} decimal places are allowed.', '{n} décimales au plus sont autorisées.'),
  pair('The number must be at least {number}.', 'Le nombre doit être au moins égal à {number}.'),
  pair(
    "The digests have version {value} of the notation, and this service computes version {number}. Write the manifest with `gangway manifest` of the service's release, or omit `canonicalization` and all `digests`.",
    'Les empreintes suivent la version {value} de la notation, et ce service calcule la version {number}. Écrivez le manifeste avec `gangway manifest` de la version du service, ou omettez `canonicalization` et tous les `digests`.',
  ),
  pair('The number must be at most {number}.', 'Le nombre doit être au plus égal à {number}.'),
  pair(
    'A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31 is expected.',
    'Un jour existant AAAA-MM-JJ, du 1900-01-01 au 2199-12-31, est attendu.',
  ),
  pair(
    'An instant YYYY-MM-DDTHH:MM:SSZ is expected, or one with an offset such as +01:00.',
    'Un horodatage AAAA-MM-JJTHH:MM:SSZ est attendu, ou avec un décalage tel que +01:00.',
  ),
  pair(
    'A decimal as text is expected, such as "0.1234"; no exponent.',
    'Un nombre décimal sous forme de texte est attendu, par exemple "0.1234", sans exposant.',
  ),
  pair(
    'A decimal number without exponent is expected, such as 84.50.',
    'Un nombre décimal sans exposant est attendu, par exemple 84.50.',
  ),
  pair('This is not an e-mail address.', 'Ce n’est pas une adresse électronique.'),
  pair(
    'An hour of the day HH:MM from 00:00 to 23:59 is expected, such as 22:00.',
    'Une heure HH:MM de 00:00 à 23:59 est attendue, par exemple 22:00.',
  ),
  pair(
    'Control characters and invisible characters are not allowed.',
    'Les caractères de contrôle et les caractères invisibles ne sont pas autorisés.',
  ),
  pair('Control characters are not allowed.', 'Les caractères de contrôle ne sont pas autorisés.'),
  pair(
    'It contains the invisible character {character}; remove it.',
    'Il contient le caractère invisible {character} ; supprimez-le.',
  ),
  pair('The value is not one of {values}.', 'La valeur ne fait pas partie de : {values}.'),
  pair('{value} is not one of {values}.', '{value} ne fait pas partie de : {values}.'),
  pair('Written out, the number has more than {n} digits.', 'Écrit en entier, le nombre a plus de {n} chiffres.'),
  pair(
    'This looks like the number that a spreadsheet stores for {day}.',
    'Cela ressemble au nombre qu’un tableur enregistre pour le {day}.',
  ),
  pair(
    'This is scientific notation: a spreadsheet has probably shortened the number. Send all its digits as text.',
    'C’est une notation scientifique : un tableur a probablement abrégé le nombre. Envoyez tous ses chiffres sous forme de texte.',
  ),
  pair(
    'It has {n} digits: a spreadsheet has probably removed the leading zero.',
    'Il a {n} chiffres : un tableur a probablement supprimé le zéro de début.',
  ),
  pair(
    'It is in scientific notation; the original number probably had more digits.',
    'C’est une notation scientifique ; le nombre d’origine avait probablement plus de chiffres.',
  ),
  pair(
    'It is in scientific notation; send all its digits as text.',
    'C’est une notation scientifique ; envoyez tous ses chiffres sous forme de texte.',
  ),
  pair(
    'It is what a spreadsheet shows instead of a missing value.',
    'C’est ce qu’un tableur affiche à la place d’une valeur manquante.',
  ),
  pair(
    'A French postcode has five digits; a leading zero may be missing.',
    'Un code postal français a cinq chiffres ; il manque peut-être un zéro au début.',
  ),
  pair(
    'A French postcode has five digits and no decimal places.',
    'Un code postal français a cinq chiffres et pas de décimales.',
  ),
  pair(
    'The leading zero is missing; the number was read as {number}.',
    'Il manque le zéro au début ; le numéro a été lu {number}.',
  ),

  // Unknown members and parameters.
  pair('There is no such field.', 'Ce champ n’existe pas.'),
  pair('No field is accepted here.', 'Aucun champ n’est accepté ici.'),
  pair('The allowed fields are {names}.', 'Les champs autorisés sont : {names}.'),
  pair(
    'Did you mean this field by {name}, which is not known and was dropped?',
    'Est-ce ce champ que désigne {name}, qui est inconnu et n’a pas été retenu ?',
  ),
  pair('Did you mean {name}?', 'Vouliez-vous dire {name} ?'),
  pair(
    'It occurs {n} times in such places; this is the first one.',
    'Il figure {n} fois à des emplacements semblables ; celui-ci est le premier.',
  ),
  pair(
    'There is no query parameter {name}; this operation accepts none.',
    'Le paramètre de requête {name} n’existe pas ; cette opération n’en accepte aucun.',
  ),
  pair('There is no query parameter {name}.', 'Le paramètre de requête {name} n’existe pas.'),
  pair('This operation accepts {names}.', 'Cette opération accepte {names}.'),
  pair('Send this parameter once.', 'Envoyez ce paramètre une seule fois.'),
  pair('The parameter is empty. Send a value or omit it.', 'Le paramètre est vide. Envoyez une valeur ou omettez-le.'),
  pair('Send true or false, or 1 or 0.', 'Envoyez true ou false, ou bien 1 ou 0.'),
  pair('Send a whole number from {n} to {m}.', 'Envoyez un nombre entier de {n} à {m}.'),
  pair('A whole number from {n} to {m} is expected.', 'Un nombre entier de {n} à {m} est attendu.'),
  pair('Send one of {values}.', 'Envoyez l’une de ces valeurs : {values}.'),
  pair(
    'Use the cursor from the Link header of the previous page.',
    'Utilisez le curseur de l’en-tête Link de la page précédente.',
  ),
  pair(
    'Use the cursor of the Link header of the previous page.',
    'Utilisez le curseur de l’en-tête Link de la page précédente.',
  ),
  pair('Use next_cursor of the previous page.', 'Utilisez le next_cursor de la page précédente.'),
  pair(
    'Use the value from the header Link of the previous page.',
    'Utilisez la valeur de l’en-tête Link de la page précédente.',
  ),
  pair(
    'Send the last reconciliation_id of the previous page.',
    'Envoyez le dernier reconciliation_id de la page précédente.',
  ),

  // Bodies.
  pair('The {what} is empty. Send a JSON object.', '{what} est vide. Envoyez un objet JSON.'),
  pair(
    'The {what} is not valid UTF-8: line {n}, column {m}: {cause}.',
    '{what} n’est pas un UTF-8 valide : ligne {n}, colonne {m} : {cause}.',
  ),
  pair(
    'The {what} is not valid UTF-8: column {m}: {cause}.',
    '{what} n’est pas un UTF-8 valide : colonne {m} : {cause}.',
  ),
  pair(
    'The {what} is not valid UTF-8: it ends within a character.',
    '{what} n’est pas un UTF-8 valide : fin au milieu d’un caractère.',
  ),
  pair(
    'The {what} is not valid JSON: line {n}, column {m}: {cause}.',
    '{what} n’est pas un JSON valide : ligne {n}, colonne {m} : {cause}.',
  ),
  pair(
    'The {what} is not valid JSON: column {m}: {cause}.',
    '{what} n’est pas un JSON valide : colonne {m} : {cause}.',
  ),
  pair('The {what} is not valid JSON.', '{what} n’est pas un JSON valide.'),
  pair(
    'The {what} is not accepted: line {n}, column {m}: {cause}.',
    '{what} n’est pas accepté : ligne {n}, colonne {m} : {cause}.',
  ),
  pair('The {what} is not accepted: column {m}: {cause}.', '{what} n’est pas accepté : colonne {m} : {cause}.'),
  pair(
    'The payload is nested more than {n} levels deep (line {m}, column {k}: here).',
    'Les données sont imbriquées sur plus de {n} niveaux (ici : ligne {m}, colonne {k}).',
  ),
  pair(
    'The body has more than {n} members, members of more than {m} different names, more than {k} members and list items together, or more than {count} numbers with an exponent or of more than 15 characters. Split it.',
    'Le corps a plus de {n} membres, des membres de plus de {m} noms différents, plus de {k} membres et éléments de listes au total, ou plus de {count} nombres avec un exposant ou de plus de 15 caractères. Divisez-le.',
  ),
  pair(
    'The body is larger than {n} bytes, the limit of this operation.',
    'Le corps dépasse {n} octets, la limite de cette opération.',
  ),
  pair(
    'The body is larger than {n} bytes after decompression, the limit of this operation.',
    'Après décompression, le corps dépasse {n} octets, la limite de cette opération.',
  ),
  pair(
    'The body does not match its content encoding, or it is incomplete.',
    'Le corps ne correspond pas à son Content-Encoding, ou il est incomplet.',
  ),
  pair(
    'The content encoding is not supported. Use {encodings}.',
    'Ce Content-Encoding n’est pas pris en charge. Utilisez {encodings}.',
  ),
  pair('Use {encodings}.', 'Utilisez {encodings}.'),
  pair('Send the body as {type_of_body}.', 'Envoyez le corps en {type_of_body}.'),
  pair('The body did not arrive within {n} seconds.', 'Le corps n’est pas arrivé en {n} secondes.'),
  pair(
    'The body arrived at less than {n} bytes per second. Send smaller parts, one at a time.',
    'Le corps est arrivé à moins de {n} octets par seconde. Envoyez des parties plus petites, une à la fois.',
  ),
  pair('The request target has no path.', 'La cible de la requête n’a pas de chemin.'),
  pair('The line is longer than {n} bytes. Split its content.', 'La ligne dépasse {n} octets. Divisez son contenu.'),

  // Limits.
  pair(
    'Too many large bodies are in progress. Send the same request again after the time in Retry-After.',
    'Trop de corps volumineux sont en cours de traitement. Renvoyez la même requête après le délai indiqué dans Retry-After.',
  ),
  pair(
    'You have {n} long responses in progress, which is the limit.',
    'Vous avez {n} longues réponses en cours, ce qui est la limite.',
  ),
  pair('Too many long responses are in progress.', 'Trop de longues réponses sont en cours.'),
  pair(
    'Finish reading one of them, or retry after the time in Retry-After.',
    'Terminez la lecture de l’une d’elles, ou réessayez après le délai indiqué dans Retry-After.',
  ),
  pair(
    'This import supplier may send {n} requests per second. Send the same request again after the time in Retry-After.',
    'Ce fournisseur peut envoyer {n} requêtes par seconde. Renvoyez la même requête après le délai indiqué dans Retry-After.',
  ),
  pair(
    'This import supplier has reached its limit of {n} staged accounts that are not created yet. Create some of them, then send the same request again.',
    'Ce fournisseur a atteint sa limite de {n} comptes préparés qui ne sont pas encore créés. Créez-en, puis renvoyez la même requête.',
  ),
  pair(
    'Import supplier {name} has reached its limit of {n} batches in progress. Send the same request again when one has ended.',
    'Le fournisseur {name} a atteint sa limite de {n} lots en cours. Renvoyez la même requête lorsque l’un d’eux est terminé.',
  ),
  pair(
    'Your organization has too many status requests in progress. Retry after the time in Retry-After.',
    'Votre organisation a trop de consultations de statut en cours. Réessayez après le délai indiqué dans Retry-After.',
  ),
  pair(
    'Too many of your requests for this account are in progress, so this one was not started. Send the same request again after the time in Retry-After, and send fewer requests concurrently, or larger ones.',
    'Trop de vos requêtes pour ce compte sont en cours : celle-ci n’a pas été commencée. Renvoyez la même requête après le délai indiqué dans Retry-After, et envoyez moins de requêtes simultanées, ou de plus grandes.',
  ),
  pair(
    'The organization has reached its limit of stored responses by Idempotency-Key; they are deleted after 30 days. Send the request without the header, or ask the operators.',
    'L’organisation a atteint sa limite de réponses conservées par Idempotency-Key ; elles sont supprimées après 30 jours. Envoyez la requête sans cet en-tête, ou consultez l’équipe d’exploitation.',
  ),
  pair(
    'This API key has reached its limit of verifications. Send the same request again after the time in Retry-After.',
    'Cette clé d’API a atteint sa limite de vérifications. Renvoyez la même requête après le délai indiqué dans Retry-After.',
  ),
  pair(
    'A part of the service did not respond in time, so the outcome of the request is unknown. Send the same request again after the time in Retry-After: stored data is recognized by its numbers, except for transactions with check_previously_added=false and batches of supply points, which are recognized only by an Idempotency-Key.',
    'Une partie du service n’a pas répondu à temps : l’issue de la requête est donc inconnue. Renvoyez la même requête après le délai indiqué dans Retry-After : les données enregistrées sont reconnues à leurs numéros, sauf les opérations avec check_previously_added=false et les lots de points de livraison, qui ne le sont que par une Idempotency-Key.',
  ),

  // Keys and tokens.
  pair(
    'The header Authorization must be exactly "Token <ACCESS_TOKEN>" with a token from obtainToken.',
    'L’en-tête Authorization doit être exactement « Token <ACCESS_TOKEN> », avec un jeton de obtainToken.',
  ),
  pair(
    'Too many unknown tokens were sent from this address. Send the same request again after the time in Retry-After.',
    'Trop de jetons inconnus ont été envoyés depuis cette adresse. Renvoyez la même requête après le délai indiqué dans Retry-After.',
  ),
  pair(
    'Too many failed attempts with this key or from this address, or too many tokens for this key. Send the request again after the time in Retry-After.',
    'Trop de tentatives infructueuses avec cette clé ou depuis cette adresse, ou trop de jetons pour cette clé. Renvoyez la requête après le délai indiqué dans Retry-After.',
  ),
  pair(
    'The scope of this key ({name}) does not allow the operation. Use a key with another scope.',
    'La portée de cette clé ({name}) ne permet pas cette opération. Utilisez une clé d’une autre portée.',
  ),
  pair(
    'Your API key has no import supplier with this code.',
    'Votre clé d’API n’a pas de fournisseur portant ce code.',
  ),
  pair('There is no import supplier with this code.', 'Aucun fournisseur ne porte ce code.'),
  pair(
    'Your API key has no import supplier, to which a batch must belong. Use a key with an import supplier.',
    'Votre clé d’API n’a pas de fournisseur, auquel un lot doit appartenir. Utilisez une clé qui en a un.',
  ),
  pair(
    'Your API key has no import job with this id.',
    'Votre clé d’API n’a pas de traitement d’import portant cet identifiant.',
  ),
  pair(
    "This is an operator's key: suppliers' lists need a supplier's key, or one that has this import supplier in its scope.",
    'C’est une clé d’exploitation : les listes des fournisseurs demandent une clé de fournisseur, ou une clé dont la portée comprend ce fournisseur.',
  ),

  // Accounts and their data.
  pair(
    'The migration of this import supplier is complete. Ask the operators if more data must be imported.',
    'La migration de ce fournisseur est terminée. Consultez l’équipe d’exploitation si d’autres données doivent être importées.',
  ),
  pair(
    'The migration of this import supplier is paused. Send the request again when the operators have resumed it.',
    'La migration de ce fournisseur est suspendue. Renvoyez la requête lorsque l’équipe d’exploitation l’aura reprise.',
  ),
  pair(
    'There is no import process for this import supplier and account number.',
    'Il n’y a pas de processus d’import pour ce fournisseur et ce numéro de compte.',
  ),
  pair(
    'The staged data names a business contract that does not exist. Import its business or correct the name, then create the account again.',
    'Les données préparées désignent un contrat d’entreprise qui n’existe pas. Importez l’entreprise ou corrigez le nom, puis créez de nouveau le compte.',
  ),
  pair(
    'This import supplier has no open wave with this id.',
    'Ce fournisseur n’a pas de vague ouverte portant cet identifiant.',
  ),
  pair(
    'The account has {n} items in all its lists together, {m} of them in {name}; the limit is {k}. Omit data that can be attached after the account is created.',
    'Le compte a {n} éléments, toutes listes confondues, dont {m} dans {name} ; la limite est de {k}. Omettez les données qui peuvent être ajoutées après la création du compte.',
  ),
  pair('It is {name}.', 'Il s’agit de {name}.'),
  pair('It differs in: {names}.', 'Il diffère pour : {names}.'),
  pair('{n} of its documents were not added.', '{n} de ses documents n’ont pas été ajoutés.'),
  pair('The account or the note does not exist.', 'Le compte ou la note n’existe pas.'),
  pair(
    'The amount of a payment schedule must be greater than zero.',
    'Le montant d’un échéancier doit être supérieur à zéro.',
  ),
  pair(
    'A supply point has at most one payment preference.',
    'Un point de livraison a au plus une préférence de paiement.',
  ),
  pair('A PASSIVE preference names no instruction.', 'Une préférence PASSIVE ne désigne aucune instruction.'),
  pair('A point of type {name} has no consent {key}.', 'Un point de type {name} n’a pas de consentement {key}.'),
  pair(
    'The account has no supply point with this identifier.',
    'Le compte n’a pas de point de livraison portant cet identifiant.',
  ),
  pair('Another version applies from the same day.', 'Une autre version s’applique à partir du même jour.'),
  pair(
    'The stored contract with this identifier is different.',
    'Le contrat enregistré sous cet identifiant est différent.',
  ),
  pair(
    'The stored business has no such contract. Add it with business-contracts/create.',
    'L’entreprise enregistrée n’a pas ce contrat. Ajoutez-le avec business-contracts/create.',
  ),
  pair('The stored business also has the contract {name}.', 'L’entreprise enregistrée a aussi le contrat {name}.'),
  pair(
    'The date is more than {n} days after today. The latest accepted date is {day}.',
    'La date est plus de {n} jours après aujourd’hui. La dernière date acceptée est le {day}.',
  ),
  pair('The amount of a payment must be greater than zero.', 'Le montant d’un paiement doit être supérieur à zéro.'),
  pair(
    'The amount is not the sum of the net amounts and the taxes, which is {number}.',
    'Le montant n’est pas la somme des montants hors taxes et des taxes, qui est {number}.',
  ),
  pair('{day} lies in the future.', 'Le {day} est dans le futur.'),
  pair(
    '{day} lies outside the open statement period, which is {to} alone.',
    'Le {day} est hors de la période de relevé ouverte, qui se limite au {to}.',
  ),
  pair(
    '{day} lies outside the open statement period, which ends on {to}.',
    'Le {day} est hors de la période de relevé ouverte, qui se termine le {to}.',
  ),
  pair(
    '{day} lies outside the open statement period, {from} to {to}.',
    'Le {day} est hors de la période de relevé ouverte, du {from} au {to}.',
  ),
  pair(
    'The path names the document root itself; name a document below it.',
    'Le chemin désigne le dossier racine lui-même ; désignez un document de ce dossier.',
  ),
  pair(
    "This is a whole address; send the path below the import supplier's document root only, without scheme and host or bucket.",
    'C’est une adresse complète ; n’envoyez que le chemin sous le dossier racine des documents du fournisseur, sans protocole ni hôte ou compartiment.',
  ),
  pair(
    'The path holds a backslash; parts of a path are separated by /.',
    'Le chemin contient une barre oblique inverse ; les parties d’un chemin sont séparées par /.',
  ),
  pair(
    'The path holds an encoded dot, slash, backslash or U+0000; send the path as it is, not encoded.',
    'Le chemin contient un point, une barre oblique, une barre oblique inverse ou U+0000 sous forme encodée ; envoyez le chemin tel quel, sans encodage.',
  ),
  pair(
    'The path holds a character that is easily taken for a dot or a slash, such as a full-width dot.',
    'Le chemin contient un caractère facile à confondre avec un point ou une barre oblique, par exemple un point pleine chasse.',
  ),
  pair(
    'The path holds a control character, or one that changes the direction of the text.',
    'Le chemin contient un caractère de contrôle, ou un caractère qui change le sens du texte.',
  ),
  pair(
    'A part of the path consists of dots only, such as . or ..; leave it out.',
    'Une partie du chemin n’est faite que de points, comme . ou .. ; supprimez-la.',
  ),
  pair(
    'The term is kept whole, and none of its fields are checked.',
    'La clause est conservée en entier, et aucun de ses champs n’est vérifié.',
  ),
  pair(
    'The schedule is kept; no payment dates are derived from it.',
    'L’échéancier est conservé ; aucune date de paiement n’en est déduite.',
  ),
  pair(
    'The schedule is kept; it selects no payment instruction.',
    'L’échéancier est conservé ; il ne désigne aucune instruction de paiement.',
  ),
  pair('The batch is looked up like any other.', 'Le lot est recherché comme les autres.'),

  // Payment instructions.
  pair(
    '{name} has no instructions of type {key}. Send {values}.',
    '{name} n’a pas d’instructions de type {key}. Envoyez {values}.',
  ),
  pair(
    'The payment vendor does not know this reference.',
    'Le prestataire de paiement ne connaît pas cette référence.',
  ),
  pair(
    'The payment vendor does not recognize this as one of its references.',
    'Le prestataire de paiement ne reconnaît pas là une de ses références.',
  ),
  pair(
    'The payment vendor has an instruction of another type under this reference.',
    'Le prestataire de paiement a une instruction d’un autre type sous cette référence.',
  ),
  pair(
    'The payment vendor accepts this instruction for one payment only.',
    'Le prestataire de paiement n’accepte cette instruction que pour un seul paiement.',
  ),
  pair(
    'The payment vendor reports an unknown status for this instruction, which counts as not usable.',
    'Le prestataire de paiement indique pour cette instruction un statut inconnu, qui la rend inutilisable.',
  ),
  pair(
    'The payment vendor reports that the instruction cannot be used: {name}.',
    'Le prestataire de paiement indique que l’instruction ne peut pas être utilisée : {name}.',
  ),
  pair(
    'The payment vendor gave no usable answer within the time limit. Ask the operators before you send the request again.',
    'Le prestataire de paiement n’a pas donné de réponse exploitable dans le délai. Consultez l’équipe d’exploitation avant de renvoyer la requête.',
  ),
  pair(
    'The payment vendor has not answered yet. The verification continues; send the same request again later to get the result.',
    'Le prestataire de paiement n’a pas encore répondu. La vérification se poursuit ; renvoyez la même requête plus tard pour obtenir le résultat.',
  ),

  // Import jobs.
  pair(
    'The import job has ended: its status is {name}.',
    'Le traitement d’import est terminé : son statut est {name}.',
  ),
  pair(
    'The import job processes staged accounts and accepts no parts.',
    'Le traitement d’import porte sur des comptes préparés et n’accepte pas de parties.',
  ),
  pair(
    'The import job has started and accepts no new or changed parts. Upload the part to another job.',
    'Le traitement d’import a commencé et n’accepte plus de parties nouvelles ou modifiées. Déposez la partie dans un autre traitement.',
  ),
  pair(
    'Your organization has {n} import jobs that have not ended. Cancel jobs that are not needed, or wait until some have ended.',
    'Votre organisation a {n} traitements d’import en cours. Annulez ceux dont vous n’avez pas besoin, ou attendez que certains se terminent.',
  ),
  pair(
    'The records differ from the manifest: {path} is {received} instead of {expected}.',
    'Les enregistrements diffèrent du manifeste : {path} vaut {received} au lieu de {expected}.',
  ),
  pair(
    'The records differ from the manifest: {path} is {received} instead of {expected} ({by}).',
    'Les enregistrements diffèrent du manifeste : {path} vaut {received} au lieu de {expected} ({by}).',
  ),
  pair('1 more total differs.', '1 autre total diffère.'),
  pair('{n} more totals differ.', '{n} autres totaux diffèrent.'),
  pair('For this kind, send one of {values}.', 'Pour cette nature, envoyez l’une de ces valeurs : {values}.'),
  pair(
    'This goal creates accounts, which belong to an operations team. Send its name.',
    'Cet objectif crée des comptes, qui appartiennent à une équipe. Envoyez son nom.',
  ),
  pair(
    'Jobs over the members of a wave are opened with waves/<id>/rehearse/ and waves/<id>/create/.',
    'Les traitements sur les membres d’une vague s’ouvrent avec waves/<id>/rehearse/ et waves/<id>/create/.',
  ),
  pair(
    'The selection staged requires kind accounts and goal REHEARSE or CREATE.',
    'La sélection staged demande la nature accounts et l’objectif REHEARSE ou CREATE.',
  ),
  pair(
    'A job over staged accounts has no upload that a manifest could describe.',
    'Un traitement sur des comptes préparés n’a pas de dépôt qu’un manifeste pourrait décrire.',
  ),
  pair(
    'The manifest describes records of another import supplier than the job.',
    'Le manifeste décrit des enregistrements d’un autre fournisseur que celui du traitement.',
  ),
  pair(
    'The manifest describes records of another import supplier than the wave.',
    'Le manifeste décrit des enregistrements d’un autre fournisseur que celui de la vague.',
  ),
  pair('The manifest has no totals of {name}.', 'Le manifeste n’a pas de totaux pour {name}.'),
  pair('Send count, percent or both.', 'Envoyez count, percent ou les deux.'),
  pair(
    'The window must not end at the time it begins.',
    'La plage horaire ne doit pas se terminer à l’heure où elle commence.',
  ),
  pair(
    'The job is for {name}; omit this member or send that code.',
    'Le traitement concerne {name} ; omettez ce membre ou envoyez ce code.',
  ),
  pair('Send resend, or omit the parameter.', 'Envoyez resend, ou omettez le paramètre.'),
  pair('The job has no parts. Upload part 1.', 'Le traitement n’a pas de parties. Déposez la partie 1.'),
  pair(
    'The part numbers have a gap. Upload the missing part {n}.',
    'La numérotation des parties est interrompue. Déposez la partie manquante {n}.',
  ),
  pair(
    'The part numbers have a gap. Upload the missing parts {values}.',
    'La numérotation des parties est interrompue. Déposez les parties manquantes {values}.',
  ),
  pair(
    'The import jobs of your organization store {n} bytes, compressed; the limit is {m}. Cancel jobs that are not needed: their parts are deleted within an hour. Parts of other ended jobs are deleted some days later.',
    'Les traitements d’import de votre organisation occupent {n} octets compressés ; la limite est de {m}. Annulez ceux dont vous n’avez pas besoin : leurs parties sont supprimées dans l’heure. Celles des autres traitements terminés le sont quelques jours plus tard.',
  ),
  pair(
    'An import job has at most {n} lines, blank ones included, and {m} bytes. Send the rest in another job.',
    'Un traitement d’import a au plus {n} lignes, lignes vides comprises, et {m} octets. Envoyez le reste dans un autre traitement.',
  ),
  pair(
    'The part has no record. Send one JSON object per line.',
    'La partie n’a aucun enregistrement. Envoyez un objet JSON par ligne.',
  ),
  pair(
    'The body has no line. Send one JSON object per line.',
    'Le corps n’a aucune ligne. Envoyez un objet JSON par ligne.',
  ),
  pair(
    'The part is compressed with {name}. Send the header Content-Encoding, or send the part uncompressed.',
    'La partie est compressée avec {name}. Envoyez l’en-tête Content-Encoding, ou envoyez la partie sans compression.',
  ),
  pair(
    'The part has more than {n} lines, the limit of a job. Send the rest in another job.',
    'La partie a plus de {n} lignes, la limite d’un traitement. Envoyez le reste dans un autre traitement.',
  ),
  pair(
    'The part looks like {format}. Write one JSON object per line (NDJSON), in UTF-8, and send the part again.',
    'La partie ressemble à {format}. Écrivez un objet JSON par ligne (NDJSON), en UTF-8, et renvoyez la partie.',
  ),
  pair('Parts are numbered from {n} to {m}.', 'Les parties sont numérotées de {n} à {m}.'),
  pair(
    'Too many uploads are in progress; an organization may have {n}. Retry after the time in Retry-After.',
    'Trop de dépôts sont en cours ; une organisation peut en avoir {n}. Réessayez après le délai indiqué dans Retry-After.',
  ),
  pair(
    'Line {n} of the job has the same external_account_number; this line is not processed.',
    'La ligne {n} du traitement a le même external_account_number ; cette ligne n’est pas traitée.',
  ),

  // Tokens.
  pair(
    'Send exactly one of APIKey, organizationSecretKey and refreshToken.',
    'Envoyez un seul des membres APIKey, organizationSecretKey et refreshToken.',
  ),
  pair(
    'The API key is not valid, has expired or was revoked. Ask the operators for a new one.',
    'La clé d’API n’est pas valide, a expiré ou a été révoquée. Demandez-en une nouvelle à l’équipe d’exploitation.',
  ),
  pair(
    'The refresh token has expired. Obtain a new one with the API key.',
    'Le jeton de renouvellement a expiré. Obtenez-en un nouveau avec la clé d’API.',
  ),
  pair(
    'The refresh token is not valid, or it was used before, which ends its session. Obtain a new one with the API key.',
    'Le jeton de renouvellement n’est pas valide, ou il a déjà été utilisé, ce qui met fin à sa session. Obtenez-en un nouveau avec la clé d’API.',
  ),
  pair(
    'One request can obtain only one token. Send a request for each.',
    'Une requête n’obtient qu’un seul jeton. Envoyez une requête pour chacun.',
  ),
  pair(
    'The query does not match the schema or is too large.',
    'La requête GraphQL ne correspond pas au schéma ou est trop grande.',
  ),
  pair(
    'The service is temporarily unavailable. Send the same request again in a few seconds.',
    'Le service est momentanément indisponible. Renvoyez la même requête dans quelques secondes.',
  ),
  pair('Send exactly one of token and refreshToken.', 'Envoyez un seul des membres token et refreshToken.'),
  pair('The token is unknown; it may have expired.', 'Le jeton est inconnu ; il a peut-être expiré.'),
  pair(
    'An unexpected error occurred. If it persists, report the header x-request-id.',
    'Une erreur inattendue s’est produite. Si elle persiste, signalez l’en-tête x-request-id.',
  ),

  // Waves, lookups and reconciliations.
  pair(
    'The status of the wave is {name}, so that it cannot {verb}.',
    'Le statut de la vague est {name} : cette action ({verb}) n’est pas possible.',
  ),
  pair('The gate {name} is not passed: {evidence}', 'L’étape de contrôle {name} n’est pas franchie : {evidence}'),
  pair(
    'The plan was changed meanwhile. Check it, and change it again.',
    'Le plan a été modifié entre-temps. Vérifiez-le, et modifiez-le de nouveau.',
  ),
  pair('The plan ends before it begins ({name}).', 'Le plan se termine avant de commencer ({name}).'),
  pair(
    'The plan ends before the creation can begin. Change its create_until.',
    'Le plan se termine avant que la création puisse commencer. Modifiez son create_until.',
  ),
  pair(
    '{n} accounts need {m} s at {number} a second; the plan leaves {k} s.',
    '{n} comptes demandent {m} s, à {number} par seconde ; le plan laisse {k} s.',
  ),
  pair(
    'The import supplier has a wave with this name: {name}. Choose another name.',
    'Le fournisseur a déjà une vague de ce nom : {name}. Choisissez un autre nom.',
  ),
  pair(
    'The line is not an object with an external_account_number of 1 to 128 characters.',
    'La ligne n’est pas un objet avec un external_account_number de 1 à 128 caractères.',
  ),
  pair(
    'Send at most {n} lines, and the others in another request.',
    'Envoyez au plus {n} lignes, et les autres dans une autre requête.',
  ),
  pair(
    'The account belongs to another wave. Move it with a reason (move/).',
    'Le compte appartient à une autre vague. Déplacez-le en indiquant un motif (move/).',
  ),
  pair('No account is staged with this number.', 'Aucun compte préparé ne porte ce numéro.'),
  pair(
    'Jobs of the wave have not ended. Wait, or cancel them.',
    'Des traitements de la vague ne sont pas terminés. Attendez, ou annulez-les.',
  ),
  pair('All accounts of the wave are created already.', 'Tous les comptes de la vague sont déjà créés.'),
  pair('Send members of plan or options that change.', 'Envoyez les membres de plan ou options qui changent.'),
  pair('Send the members of plan or options that change.', 'Envoyez les membres de plan ou options qui changent.'),
  pair('Send accounts by number, or faulty: true.', 'Envoyez des comptes par numéro, ou faulty: true.'),
  pair(
    'No approval of the wave is requested, or it is decided.',
    'Aucune approbation de la vague n’est demandée, ou la décision est déjà prise.',
  ),
  pair('There is no population batch with this id.', 'Aucun lot de points de livraison ne porte cet identifiant.'),
  pair(
    'Send at least one identifier in prm_ids or pce_ids.',
    'Envoyez au moins un identifiant dans prm_ids ou pce_ids.',
  ),
  pair(
    'Both lists together may have at most {n} identifiers. Send the rest in another request.',
    'Les deux listes ensemble ont au plus {n} identifiants. Envoyez le reste dans une autre requête.',
  ),
  pair('Use an identifier of imported_results.', 'Utilisez un identifiant de imported_results.'),
  pair('Send import_supplier or job_id, not both.', 'Envoyez import_supplier ou job_id, mais pas les deux.'),
  pair('Send import_supplier or job_id.', 'Envoyez import_supplier ou job_id.'),
  pair('Send an import supplier.', 'Envoyez un fournisseur.'),
  pair(
    'No valid API key may import for this import supplier. Create one first.',
    'Aucune clé d’API valide ne permet d’importer pour ce fournisseur. Créez-en d’abord une.',
  ),
  pair('Start at the first page.', 'Commencez à la première page.'),
  pair('Send the cursor of an event that you have read.', 'Envoyez le curseur d’un événement que vous avez lu.'),
  pair(
    'Events after this cursor have been deleted. Read the current state of your accounts and jobs, then start without a cursor.',
    'Des événements postérieurs à ce curseur ont été supprimés. Consultez l’état actuel de vos comptes et traitements, puis recommencez sans curseur.',
  ),
  pair(
    'No event has this cursor. If the service was restored to an earlier time, read the current state of your accounts and jobs, then start without a cursor.',
    'Aucun événement n’a ce curseur. Si le service a été rétabli à un instant antérieur, consultez l’état actuel de vos comptes et traitements, puis recommencez sans curseur.',
  ),
  pair(
    'Only a job that has created accounts and still has its results can be compared. Send its import supplier instead.',
    'Seul un traitement qui a créé des comptes et dont les résultats sont conservés peut être comparé. Envoyez plutôt son fournisseur.',
  ),
];

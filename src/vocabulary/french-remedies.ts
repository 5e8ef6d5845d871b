import type { LineFaultCode } from './import-jobs.ts';
import type { RefusalCode } from './refusals.ts';
import type { ViolationCode } from './violations.ts';
import type { WarningCode } from './warnings.ts';

// What to do about each code, in French. A remedy without one does not compile.

export const frenchRefusalRemedies: Readonly<Record<RefusalCode, string>> = {
  account_failed_validation:
    'Corrigez tous les champs indiqués dans errors et renvoyez le compte. Une seule réponse énumère toutes les erreurs.',
  validation_failed: 'Corrigez tous les champs indiqués dans errors et renvoyez la requête.',
  parse_error:
    'Construisez le corps avec une bibliothèque JSON et envoyez-le en UTF-8. Une partie d’un traitement d’import comporte un objet JSON par ligne. Le détail indique la ligne, la colonne et la cause.',
  unknown_query_parameter:
    'Corrigez le nom du paramètre ou omettez-le. Le détail énumère les paramètres de l’opération. Rien n’a été modifié.',
  invalid_idempotency_key:
    'Envoyez une clé de 1 à 255 caractères ASCII visibles, de préférence un UUID aléatoire : Idempotency-Key: 0199f0de-7c1a-7000-8000-000000000001. Les guillemets doubles qui l’entourent sont ignorés. Rien n’a été modifié.',
  idempotency_key_in_use:
    'Attendez le nombre de secondes indiqué dans Retry-After, puis renvoyez la même requête avec la même clé pour obtenir la première réponse. Si le processus qui la traitait a disparu, la requête est reprise après une minute ; rien n’est fait deux fois.',
  idempotency_key_reused:
    'La clé appartient à une requête dont le chemin, les paramètres ou le corps diffèrent (comparés octet par octet). Renvoyez la première requête pour obtenir sa réponse, et utilisez une nouvelle clé pour l’autre. Rien n’a été modifié.',
  account_import_process_already_imported:
    'Aucune action n’est nécessaire : le compte existe sous service_account_number. Ajoutez les données suivantes sous forme de notes, d’opérations, de relevés et d’instructions de paiement.',
  import_process_marked_to_skip:
    'L’équipe d’exploitation a marqué ce compte comme à ignorer. Demandez-lui le motif ; elle peut retirer la marque.',
  import_supplier_migration_not_ongoing:
    'Attendez que l’équipe d’exploitation reprenne l’import de ce fournisseur. Les données préparées sont conservées, et les comptes créés ne sont pas concernés.',
  import_process_failed_validation:
    'Les données étaient valides lorsqu’elles ont été préparées, mais les règles ont changé depuis, ou des données auxquelles elles renvoient ont été supprimées. Corrigez-les, préparez-les de nouveau, puis créez le compte.',
  dry_run_succeeded: 'Il n’y a rien à corriger : envoyez la même requête sans dry_run pour créer le compte.',
  business_already_exists:
    'Envoyez les valeurs enregistrées de l’entreprise pour obtenir son identifiant. Pour ajouter des contrats, utilisez business-contracts/create.',
  last_operator_key:
    'Délivrez une autre clé d’exploitation avec la portée `all`, vérifiez qu’elle fonctionne, puis révoquez celle-ci. S’il ne reste aucune clé de ce type, créez-en une dans la base de données avec la commande `key create`.',
  payment_vendor_rejected:
    'Le membre reason indique la cause, par exemple not_found, cancelled ou expired. Corrigez le prestataire, la référence ou le type, ou établissez une nouvelle instruction avec le client. Le refus est répété pendant dix minutes ; ensuite, le prestataire est de nouveau interrogé.',
  payment_vendor_unreachable:
    'Le prestataire a été interrogé pendant une journée sans résultat. Le membre reason indique la nature du dernier échec. Consultez l’équipe d’exploitation, puis renvoyez la même requête ; le prestataire sera de nouveau interrogé.',
  payment_instruction_in_use:
    'Un mandat ou une carte ne peut payer que pour les comptes d’un seul fournisseur. Établissez une nouvelle instruction avec le client, ou corrigez la référence. Si la référence est correcte, consultez l’équipe d’exploitation : l’autre compte doit d’abord recevoir une autre instruction.',
  import_job_not_open:
    'Les parties ne peuvent être remplacées qu’avant le début du traitement. Annulez le traitement et ouvrez-en un autre, ou envoyez le reste des données dans un autre traitement. Un traitement qui crée des comptes préparés n’a pas de parties.',
  wave_status_forbids:
    'Consultez la vague : son statut indique ce qui est possible. Une vague terminée reste telle quelle ; ouvrez-en une autre.',
  wave_gate_not_passed:
    'Les membres `gate` et `link` indiquent ce qui manque et où le voir. Répétez la requête lorsque l’étape de contrôle est franchie.',
  manifest_differs:
    'Comparez les totaux qui diffèrent avec votre export. Annulez le traitement et envoyez les enregistrements manquants ou corrigés, ou demandez à l’équipe d’exploitation d’accepter les écarts.',
  manifest_not_compared:
    'Consultez le traitement ou la vague : son manifeste indique l’état et les totaux qui diffèrent.',
  manifest_too_late: 'Ouvrez une autre vague, envoyez son manifeste, et lancez les traitements ensuite.',
  wave_plan_too_short:
    'Donnez au plan un create_until plus tardif (`PATCH waves/<id>/`), ou déplacez des comptes vers une autre vague.',
  wave_changed: 'Refaites une répétition de la vague, et demandez de nouveau l’approbation.',
  second_person_required:
    'Demandez à un collègue dont la clé a la portée approve, ou qui a le rôle operator sur le site d’assistance, de décider.',
  approval_required:
    'Ajoutez le compte à une vague, faites approuver la vague et créez-la. Les simulations et les répétitions n’ont pas besoin d’approbation.',
  account_in_another_wave:
    'Déplacez le compte vers cette vague en indiquant un motif (`POST waves/<id>/move/`), ou laissez-le où il est.',
  import_job_not_withdrawable:
    'Attendez la fin du traitement, ou annulez-le. Le détail indique le motif. Les comptes d’un traitement dont les résultats ont été supprimés peuvent être retirés un par un.',
  reconciliation_not_completed:
    'Vérifiez son statut. S’il est RUNNING, attendez. S’il est CANCELLED, lancez un autre rapprochement.',
  erasure_must_wait:
    'Suspendez les traitements d’import nommés dans le détail ou attendez leur fin. Si un compte préparé est en cours de création, attendez la fin de celle-ci. Renvoyez ensuite la requête.',
  import_job_parts_missing:
    'Les parties sont numérotées à partir de 1, sans interruption. Déposez les parties indiquées dans missing_parts, puis relancez le traitement.',
  import_job_ended:
    'Consultez ses résultats, et envoyez les lignes en échec ou non traitées dans un nouveau traitement.',
  not_authenticated:
    'Obtenez un jeton avec la mutation obtainToken de POST /graphql/ et envoyez-le sous la forme Authorization: Token <ACCESS_TOKEN>.',
  authentication_failed:
    'Les jetons expirent après 60 minutes. Obtenez-en un nouveau avec le jeton de renouvellement ou la clé d’API. Si cela échoue aussi, la clé a été révoquée ; consultez l’équipe d’exploitation.',
  permission_denied:
    'Les appels d’exploitation demandent une clé avec le rôle `operator` et une portée suffisante : `read` permet la lecture ; `operate` permet le travail quotidien, mais aucune modification des clés, personnes, fournisseurs, équipes ou limites ; `market_messages` permet l’envoi de messages de marché ; `all` permet tout. Une clé à portée restreinte ne peut pas appeler l’API des fournisseurs.',
  not_found:
    'Vérifiez le chemin, le fournisseur et les numéros qu’il contient. Une ressource à laquelle la clé n’a pas accès a la même réponse qu’une ressource qui n’existe pas.',
  account_not_found:
    'Créez d’abord le compte avec account-import-process/process/ ; le préparer ne suffit pas. Vérifiez le fournisseur et le numéro.',
  account_being_withdrawn:
    'Renvoyez la même requête après Retry-After. Une fois le retrait terminé, account-import-process/process/ crée de nouveau le compte, sous un autre numéro ; les autres appels renvoient account_not_found jusque-là.',
  business_not_found: 'Créez d’abord l’entreprise avec business/, avec le même fournisseur et le même identifiant.',
  import_job_not_found:
    'Vérifiez le job_id, et que la clé peut importer pour le fournisseur du traitement. La liste des traitements contient tous ceux auxquels la clé a accès.',
  reconciliation_not_found:
    'Vérifiez le reconciliation_id, et que la clé peut importer pour son fournisseur. Les rapprochements lancés par une autre organisation ou par l’équipe d’exploitation ne sont pas renvoyés.',
  wave_not_found: 'Vérifiez le wave_id, et que la clé peut importer pour son fournisseur.',
  withdrawal_not_found: 'Vérifiez le withdrawal_id, et que la clé peut importer pour son fournisseur.',
  method_not_allowed: 'Utilisez l’une des méthodes de l’en-tête Allow.',
  not_acceptable: 'Envoyez Accept: application/json, ou omettez l’en-tête.',
  request_too_large:
    'Répartissez les données sur plusieurs requêtes, par exemple les contrats sur plusieurs appels de business-contracts/create. Le détail indique la limite.',
  unsupported_media_type:
    'Envoyez Content-Type: application/json. Les corps peuvent être compressés avec gzip, deflate ou br.',
  throttled:
    'Attendez le nombre de secondes indiqué dans Retry-After, puis envoyez la même requête. Pour l’éviter, envoyez moins de requêtes simultanées.',
  error:
    'Envoyez encore une fois la même requête. Si l’erreur persiste, communiquez le request_id ; il identifie les entrées du journal.',
  payment_vendor_unavailable:
    'Renvoyez la même requête plus tard. La vérification se poursuit, et son résultat est alors renvoyé immédiatement. L’instruction n’est jamais enregistrée deux fois.',
  service_unavailable:
    'Renvoyez la même requête après Retry-After. Si le membre outcome est absent, rien n’a été entrepris. S’il vaut `unknown`, la requête a peut-être été exécutée ; sans Idempotency-Key, la renvoyer peut alors enregistrer deux fois des opérations avec check_previously_added=false et des lots de points de livraison.',
  account_quarantined:
    'Consultez l’équipe d’exploitation en indiquant le numéro du compte. Lorsqu’elle aura corrigé la cause, le compte sera créé automatiquement et `import.account.created.v1` le signalera. Vous pouvez aussi préparer le compte avec moins de données ou d’autres données et le créer de nouveau. Une simulation avec ce code n’a rien modifié.',
  creation_pending:
    'Renvoyez la même requête après Retry-After : elle renvoie le compte créé, se joint à la création en cours ou en lance une. N’attendez pas sans rien faire : la création n’a peut-être pas commencé. Un second compte n’est jamais créé.',
};

export const frenchViolationRemedies: Readonly<Record<ViolationCode, string>> = {
  unknown_member:
    'Corrigez le nom selon le détail, ou supprimez le membre. Rien n’a été modifié. La création de comptes refuse les noms proches d’un nom connu, car un dry_run mal orthographié créerait sinon le compte.',
  required: 'Envoyez le champ. Seuls les champs facultatifs peuvent être omis.',
  null: 'Omettez le champ au lieu d’envoyer null.',
  blank: 'Envoyez une valeur qui ne contient pas que des espaces.',
  invalid:
    'Le détail indique le type ou le format attendu. Ne mettez pas de guillemets autour des nombres et des booléens ; écrivez les dates AAAA-MM-JJ et les horodatages avec Z ou un décalage.',
  invalid_choice:
    'Envoyez l’une des valeurs du détail, en respectant les majuscules et les minuscules. Pour un fournisseur, utilisez un code pour lequel votre clé peut importer.',
  not_a_list: 'Envoyez un tableau JSON, même pour un seul élément.',
  not_a_dict: 'Envoyez un objet JSON. Ses membres sont libres.',
  empty: 'Envoyez au moins un élément.',
  min_length: 'Envoyez davantage de caractères ou d’éléments. Le détail indique le minimum.',
  max_length: 'Raccourcissez le texte ou la liste. Le détail indique le maximum.',
  min_value: 'Envoyez un nombre plus grand. Le détail indique le minimum.',
  max_value: 'Envoyez un nombre plus petit. Le détail indique le maximum.',
  max_digits: 'Arrondissez le nombre à 15 chiffres significatifs.',
  max_string_length: 'Écrivez le nombre décimal en 40 caractères au plus, sans zéros de début ni de fin.',
  max_decimal_places:
    'Arrondissez le nombre aux décimales permises par le champ : 2 pour les montants des opérations, 12 pour les autres nombres.',
  null_characters_not_allowed: 'Supprimez U+0000 du texte. Il provient souvent d’exports à largeur fixe.',
  surrogate_characters_not_allowed:
    'Le texte a été coupé au milieu d’un caractère ou mal décodé. Lisez la source en UTF-8.',
  max_depth: 'Aplatissez les valeurs imbriquées sur plus de 32 niveaux.',
  too_many_rows:
    'Envoyez au plus 10 000 éléments, toutes les listes d’un compte confondues. Ajoutez les notes et les relevés après la création du compte.',
  import_process_does_not_exist:
    'Préparez d’abord le compte avec account-import-process/create-or-update/, avec le même fournisseur et le même numéro.',
  operations_team_name_does_not_exist:
    'Demandez à l’équipe d’exploitation le nom de l’équipe, ou demandez sa création.',
  business_contract_not_found:
    'Créez d’abord l’entreprise avec ce contrat. business_contract_identifier doit être égal à l’identifiant de l’un de ses contrats.',
  customer_given_name_required: 'Envoyez given_name, ou indiquez account_type pour un compte non résidentiel.',
  customer_family_name_required: 'Envoyez family_name, ou indiquez account_type pour un compte non résidentiel.',
  customer_with_unknown_occupier: 'Omettez customers, ou mettez unknown_occupier à false.',
  occupier_account_with_multiple_supply_addresses:
    'Envoyez un compte par adresse de livraison tant que l’occupant est inconnu.',
  date_in_future: 'Envoyez une date qui n’est pas postérieure à aujourd’hui, en France.',
  date_too_far_ahead:
    'Envoyez une date au plus 366 jours après aujourd’hui, et vérifiez l’année. La période de relevé ouverte commence après cette date : toutes les opérations envoyées ensuite y seraient déplacées.',
  invalid_phone_number:
    'Envoyez un numéro du plan de numérotation : 06 12 34 56 78 ou +33612345678 ; 0692 12 34 56 ou +262692123456 outre-mer. S’il n’y a pas de numéro, omettez le champ ou envoyez un texte vide.',
  managed_accounts_are_not_allowed: 'Les comptes gérés sont établis par l’équipe d’exploitation.',
  business_fields_provided_for_domestic_accounts: 'Mettez account_type à BUSINESS, ou omettez le champ.',
  business_field_required: 'Envoyez business.business_contract_identifier ou business.siret.',
  children_with_duplicate_values: 'Envoyez chaque clé une seule fois.',
  invalid_siret: 'Vérifiez les 14 chiffres. Les espaces et les points entre les groupes sont acceptés.',
  siren_mismatch: 'Envoyez les neuf premiers chiffres du SIRET, ou corrigez le SIRET.',
  duplicate_contract_identifiers: 'Donnez à chaque contrat un identifiant unique.',
  contract_with_identifier_exists:
    'Les identifiants sont uniques par fournisseur. Choisissez-en un autre, ou omettez le contrat s’il est déjà enregistré.',
  differs_from_stored:
    'Envoyez la valeur enregistrée pour obtenir l’identifiant de l’entreprise. Cette requête ne modifie pas une entreprise enregistrée.',
  contract_versions_does_not_include_current: 'La plus ancienne applicable_at_date doit être égale à valid_from_date.',
  duplicate_supply_addresses_found: 'Envoyez une seule adresse de livraison avec tous ses points de livraison.',
  invalid_prm: 'Envoyez les 14 chiffres du PRM sous forme de texte, zéros de début compris.',
  invalid_pce: 'Envoyez le PCE sous forme de texte : 14 chiffres, ou GI suivi de six chiffres.',
  duplicate_meter_points_on_different_supply_addresses_provided:
    'Envoyez chaque point de livraison une seule fois, à sa propre adresse.',
  start_date_later_than_end_date: 'Intervertissez les deux dates ou corrigez l’une d’elles.',
  start_date_same_as_end_date:
    'Envoyez un effective_to postérieur à effective_from : effective_to est le premier jour après l’offre.',
  gaps_or_overlaps_in_agreement_dates:
    'Terminez l’offre précédente (effective_to) au plus tard le jour où commence la suivante. Les interruptions sont acceptées.',
  supply_point_not_found: 'Désignez un point de livraison des mêmes données, ou du compte concerné par la requête.',
  zero_payment_schedule_amount: 'Omettez le montant, ou envoyez un montant supérieur à zéro.',
  invalid_payment_day_for_payment_schedule: 'Envoyez un jour de 1 à 31.',
  payment_schedule_date_overlaps:
    'Donnez à chaque échéancier d’un point de livraison une start_date différente. Un échéancier s’applique jusqu’au début du suivant.',
  fields_are_mutually_exclusive: 'Omettez instruction_reference_params pour PASSIVE.',
  active_new_payment_preference_invalid_instruction_identifier:
    'vendor_name et vendor_reference doivent être égaux à vendor et reference d’une instruction de paiement de ce point de livraison. Utilisez ACTIVE_EXISTING pour une instruction qui existe déjà.',
  invalid_payment_instruction:
    'GOCARDLESS et SLIMPAY n’acceptent que DIRECT_DEBIT ; STRIPE et ADYEN acceptent CARD et DIRECT_DEBIT.',
  note_body_or_document_path_not_found: 'Envoyez un texte non vide, ou au moins un chemin de document.',
  document_path_outside_root:
    'Envoyez un chemin relatif au dossier racine des documents : pas d’adresse complète, pas de segment . ou .., pas de barre oblique inverse, pas d’encodage en pourcentage, pas de caractère ressemblant à un point.',
  duplicate_ledger_entries_found: 'Envoyez chaque code d’écriture une seule fois, avec tous ses chèques énergie.',
  duplicate_account_campaigns: 'Envoyez chaque campagne une seule fois.',
  metadata_has_duplicate_keys: 'Envoyez chaque clé une seule fois. Une valeur peut être un objet quelconque.',
  unique: 'Envoyez chaque valeur une seule fois.',
  duplicate_transaction_ids: 'Donnez à chaque opération de la requête un identifiant unique.',
  transaction_in_future:
    'Envoyez une date qui n’est pas postérieure à aujourd’hui, en France, ou laissez force_add_to_current_statement la déplacer.',
  transaction_date_outside_open_statement_period:
    'Envoyez une date de la période de relevé ouverte, ou laissez force_add_to_current_statement la déplacer.',
  incorrect_line_item_net_amount:
    'net_amount peut s’écarter d’au plus 0,02 de number_of_units multiplié par price_per_unit. Omettez le prix s’il n’est pas exact.',
  ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount:
    'Le montant doit être égal à la somme de tous les montants hors taxes et des taxes, au centime près.',
  note_unpin_at_earlier_than_creation_date:
    'Envoyez un unpin_at qui ne précède pas created_at (ni l’instant présent, si created_at est omis), ou omettez-le.',
  historical_statement_already_exists:
    'Omettez les relevés que le compte a déjà. Les autres peuvent alors être ajoutés.',
  path_does_not_exist_in_file_store:
    'Déposez d’abord le document, ou corrigez le chemin. Il est relatif au dossier racine des documents du fournisseur.',
};

export const frenchWarningRemedies: Readonly<Record<WarningCode, string>> = {
  unknown_member:
    'Corrigez le nom si le détail en indique un connu, ou supprimez le membre. Sa valeur n’a pas été enregistrée. Pour un compte, corrigez le nom et renvoyez le compte avant sa création ; ne renvoyez des notes, opérations, relevés ou contrats que si rien d’autre ne les a déjà enregistrés.',
  replacement_character:
    'Retrouvez le caractère dans vos données d’origine, et exportez-les en UTF-8. Renvoyez un compte avant sa création.',
  possible_spreadsheet_damage:
    'Comparez la valeur avec vos données d’origine. Mettez ces colonnes au format texte avant qu’un tableur n’ouvre le fichier. Si la valeur est correcte, il n’y a rien à faire.',
  business_contract_not_yet_known:
    'Importez l’entreprise avec ce contrat avant de créer le compte, ou corrigez business.business_contract_identifier. Le compte ne peut pas être créé tant que le contrat n’existe pas.',
  billed_date_in_future:
    'Vérifiez l’année. Si la date est correcte, aucune action n’est nécessaire : les opérations antérieures sont déplacées dans la période de relevé ouverte ou refusées, selon leur requête.',
  unknown_value:
    'Vérifiez l’orthographe. Si la valeur est correcte, aucune action n’est nécessaire ; le détail décrit son effet.',
  transaction_dates_moved:
    'Pour conserver les dates, envoyez les opérations d’un compte avant ses relevés historiques, ou envoyez force_add_to_current_statement=false pour que ces dates soient refusées. Les opérations enregistrées gardent la date modifiée ; demandez à l’équipe d’exploitation de les corriger.',
  payment_preference_unresolved:
    'Envoyez l’instruction avec payment-instruction/create/ après la création du compte, ou corrigez avant vendor_name et vendor_reference. La préférence est résolue lorsqu’une telle instruction devient active.',
  supply_point_on_another_account:
    'Vérifiez l’identifiant. S’il est correct, aucune action n’est nécessaire : le compte est créé, et l’équipe d’exploitation décide du changement de fournisseur de ce point de livraison.',
  known_with_other_content:
    'Comparez votre élément avec celui qui est enregistré. Si le vôtre est correct, envoyez-le avec un autre identifiant, ou demandez à l’équipe d’exploitation de corriger le compte. Rien n’a été ajouté.',
  other_data_staged:
    'Comparez le compte avec la ligne. Si la ligne était correcte, informez l’équipe d’exploitation : un compte créé n’est pas remplacé. Ne laissez qu’un traitement ou un système à la fois envoyer un compte.',
  payment_instruction_on_another_account:
    'Vérifiez la référence. Deux comptes d’un même client peuvent partager un mandat ou une carte : rien n’est donc refusé.',
};

export const frenchLineFaultRemedies: Readonly<Record<LineFaultCode, string>> = {
  duplicate_in_job:
    'Si les lignes sont identiques, aucune action n’est nécessaire. Sinon, envoyez la bonne dans un nouveau traitement : elle remplace les données préparées tant que le compte n’est pas créé.',
  quarantined:
    'Ne renvoyez pas la ligne : le compte est créé lorsque la cause est corrigée, et la ligne compte alors comme réussie. Si cela dure, consultez l’équipe d’exploitation.',
};

import type { LineFaultCode } from './import-jobs.ts';
import type { RefusalCode } from './refusals.ts';
import type { ViolationCode } from './violations.ts';
import type { WarningCode } from './warnings.ts';

// The sentences of the catalogs in French. A code without one does not compile. Terms: point de livraison (supply point), traitement
// d'import (import job), vague (wave), changement de fournisseur (switch), échéancier (payment schedule), préparer (stage), rapprochement (reconciliation).

export const frenchRefusals: Readonly<Record<RefusalCode, string>> = {
  account_failed_validation: 'Les données du compte ne sont pas valides. Corrigez les champs indiqués dans errors.',
  validation_failed: 'La requête n’est pas valide. Corrigez les champs indiqués dans errors.',
  parse_error: 'Le corps de la requête n’est pas un JSON valide en UTF-8.',
  unknown_query_parameter:
    'Cette opération n’a pas de paramètre de requête portant ce nom. Corrigez-le ou supprimez-le.',
  invalid_idempotency_key:
    'L’en-tête Idempotency-Key est mal formé. Envoyez de 1 à 255 caractères ASCII visibles, avec ou sans guillemets doubles.',
  account_import_process_already_imported: 'Le compte a déjà été importé.',
  import_process_marked_to_skip:
    'Le compte est marqué comme à ignorer. Demandez à l’équipe d’exploitation de retirer cette marque.',
  import_supplier_migration_not_ongoing:
    'L’import de ce fournisseur est suspendu ou terminé et n’accepte pas de migration pour le moment.',
  import_process_failed_validation:
    'Les données préparées ne sont plus valides. Préparez des données corrigées, puis demandez de nouveau la création du compte.',
  account_quarantined:
    'La base de données ne peut pas enregistrer ce compte. Ne renvoyez pas la même requête : demandez à l’équipe d’exploitation de corriger la cause, ou préparez d’autres données.',
  dry_run_succeeded:
    'Le compte serait importé. Toutes les modifications ont été annulées, car il s’agissait d’une simulation.',
  business_already_exists:
    'L’entreprise existe déjà et diffère pour les champs indiqués dans errors. Envoyez les valeurs enregistrées pour obtenir son identifiant, et ajoutez des contrats avec business-contracts/create.',
  last_operator_key:
    'C’est la dernière clé active qui peut délivrer d’autres clés. Délivrez d’abord une autre clé d’exploitation avec la portée `all`.',
  payment_vendor_rejected: 'Le prestataire de paiement refuse cette instruction. Ne la renvoyez pas sans la modifier.',
  payment_vendor_unreachable:
    'Le prestataire de paiement n’a pas donné de réponse exploitable pendant la durée de la vérification. Consultez l’équipe d’exploitation avant de renvoyer la requête.',
  payment_instruction_in_use:
    'L’instruction de paiement est active sur un compte d’un autre fournisseur. Envoyez-en une autre, ou consultez l’équipe d’exploitation.',
  import_job_not_open:
    'Le traitement d’import n’accepte pas de dépôt : il a déjà commencé, ou il crée des comptes déjà préparés.',
  import_job_not_withdrawable:
    'Seul un traitement d’import terminé, qui a créé des comptes et dont les résultats sont conservés, peut être retiré.',
  reconciliation_not_completed: 'Le rapprochement n’est pas terminé : il n’a donc pas de certificat.',
  erasure_must_wait:
    'Les données de la personne ne peuvent pas être effacées tant qu’une opération sur le compte est en cours. Le détail la nomme.',
  import_job_parts_missing:
    'Il manque des parties du traitement d’import. Déposez les parties indiquées dans missing_parts, puis relancez le traitement.',
  import_job_ended: 'Le traitement d’import est terminé et ne peut plus être modifié.',
  manifest_differs:
    'Les enregistrements diffèrent du manifeste, et l’équipe d’exploitation n’a pas accepté les écarts.',
  manifest_not_compared:
    'Il n’y a pas de manifeste, ses enregistrements sont encore en cours de comptage, ou ils lui correspondent.',
  manifest_too_late:
    'Un traitement de la vague a commencé sans manifeste : les totaux de ses enregistrements sont donc inconnus.',
  wave_status_forbids: 'Le statut de la vague ne permet pas cette modification.',
  wave_gate_not_passed:
    'Une étape de contrôle de la vague n’est pas franchie. Le détail la nomme et dit de quoi elle dépend.',
  wave_plan_too_short:
    'Au rythme mesuré, les comptes ne peuvent pas être créés dans le temps prévu. Prolongez le plan ou divisez la vague.',
  second_person_required:
    'La personne qui a demandé l’approbation ne peut pas en décider. Demandez à une seconde personne.',
  wave_changed:
    'La vague a changé depuis la demande d’approbation. Refaites une répétition et demandez de nouveau l’approbation.',
  approval_required:
    'Ce fournisseur ne crée des comptes que dans des vagues approuvées. Ajoutez le compte à une vague et faites approuver sa révision actuelle.',
  account_in_another_wave: 'Le compte appartient à une autre vague. Déplacez-le en indiquant un motif.',
  not_authenticated: 'Envoyez l’en-tête Authorization: Token <ACCESS_TOKEN>.',
  authentication_failed: 'Le jeton n’est pas valide ou a expiré. Demandez-en un nouveau.',
  permission_denied: 'Le rôle de cette clé ne permet pas cette opération.',
  not_found: 'La ressource n’existe pas, ou votre clé n’y a pas accès.',
  account_not_found:
    'Ce fournisseur n’a pas de compte importé portant ce numéro. Importez d’abord le compte ; le préparer ne suffit pas.',
  business_not_found: 'Ce fournisseur n’a pas d’entreprise portant cet identifiant. Créez d’abord l’entreprise.',
  import_job_not_found: 'Le traitement d’import n’existe pas, ou votre clé n’y a pas accès.',
  wave_not_found: 'La vague n’existe pas, ou votre clé n’y a pas accès.',
  reconciliation_not_found: 'Le rapprochement n’existe pas, ou votre clé n’y a pas accès.',
  withdrawal_not_found: 'Le retrait n’existe pas, ou votre clé n’y a pas accès.',
  method_not_allowed: 'Ce chemin n’accepte pas cette méthode. L’en-tête Allow énumère les méthodes acceptées.',
  not_acceptable: 'Les réponses sont en JSON. Envoyez Accept: application/json.',
  account_being_withdrawn:
    'Le compte est en cours de retrait. Renvoyez la même requête après le délai indiqué dans Retry-After.',
  idempotency_key_in_use:
    'Une requête avec cette Idempotency-Key est en cours. Renvoyez la même requête après le délai indiqué dans Retry-After pour obtenir sa réponse.',
  request_too_large: 'Le corps dépasse la taille acceptée par cette opération.',
  unsupported_media_type: 'Envoyez le corps en application/json, en UTF-8.',
  idempotency_key_reused:
    'Cette Idempotency-Key a servi à une autre requête. Utilisez une nouvelle clé pour chaque requête.',
  throttled: 'Trop de requêtes. Renvoyez la requête après le délai indiqué dans Retry-After.',
  error: 'Une erreur inattendue s’est produite. Si elle persiste, communiquez le request_id.',
  payment_vendor_unavailable:
    'Le prestataire de paiement n’a pas encore répondu. La vérification se poursuit ; renvoyez la même requête plus tard pour obtenir le résultat.',
  service_unavailable:
    'Le service est momentanément indisponible et rien n’a été entrepris. Renvoyez la même requête après le délai indiqué dans Retry-After.',
  creation_pending:
    'On ne sait pas encore si le compte a été créé. Renvoyez la même requête après le délai indiqué dans Retry-After ; elle ne crée jamais un second compte.',
};

export const frenchViolations: Readonly<Record<ViolationCode, string>> = {
  required: 'Ce champ est obligatoire.',
  null: 'Ce champ ne peut pas être nul. Omettez-le.',
  blank: 'Ce champ ne peut pas être vide.',
  invalid: 'La valeur n’a pas le bon type ou le bon format.',
  invalid_choice: 'La valeur ne fait pas partie des choix possibles.',
  not_a_list: 'Une liste d’éléments est attendue.',
  not_a_dict: 'Un objet aux membres libres est attendu.',
  empty: 'Cette liste ne peut pas être vide.',
  min_length: 'La valeur est trop courte.',
  max_length: 'La valeur est trop longue.',
  min_value: 'Le nombre est trop petit.',
  max_value: 'Le nombre est trop grand.',
  max_string_length: 'Un nombre décimal a au plus 40 caractères.',
  max_digits: 'Le nombre a plus de 15 chiffres significatifs.',
  max_decimal_places: 'Le nombre a trop de décimales.',
  null_characters_not_allowed: 'Le caractère U+0000 n’est pas autorisé.',
  surrogate_characters_not_allowed:
    'Le texte contient la moitié d’une paire de substitution et n’est pas un Unicode valide.',
  unknown_member: 'Aucun champ ne porte ce nom. Il existe un champ au nom proche.',
  max_depth: 'Les données sont imbriquées sur plus de 32 niveaux.',
  too_many_rows: 'Le compte a plus de 10 000 éléments, toutes listes confondues.',

  import_process_does_not_exist: 'Aucun compte préparé ne porte ce numéro. Préparez d’abord le compte.',
  operations_team_name_does_not_exist:
    'Aucune équipe ne porte ce nom. Demandez le nom exact à l’équipe d’exploitation.',
  business_contract_not_found:
    'Aucune entreprise de ce fournisseur n’a de contrat portant cet identifiant. Importez d’abord l’entreprise.',

  customer_given_name_required: 'Un client particulier doit avoir un prénom.',
  customer_family_name_required: 'Un client particulier doit avoir un nom de famille.',
  customer_with_unknown_occupier: 'Un compte d’occupant inconnu n’a pas de client.',
  occupier_account_with_multiple_supply_addresses: 'Un compte d’occupant inconnu a au plus une adresse de livraison.',
  date_in_future: 'La date est dans le futur.',
  date_too_far_ahead: 'La date est plus de 366 jours après aujourd’hui.',
  invalid_phone_number:
    'Le numéro de téléphone n’est pas valide. Envoyez un numéro français national, ou un numéro international avec +, par exemple +262 ... pour La Réunion.',

  managed_accounts_are_not_allowed: 'Les comptes gérés ne peuvent pas être importés.',
  business_fields_provided_for_domestic_accounts: 'Seuls les comptes professionnels ont ce champ.',
  business_field_required: 'Un compte professionnel doit avoir un contrat d’entreprise ou un SIRET.',
  children_with_duplicate_values: 'La même clé figure plusieurs fois.',
  invalid_siret: 'Le SIRET n’est pas valide. Il comporte 14 chiffres, dont une clé de contrôle.',
  siren_mismatch: 'Le SIREN ne correspond pas aux neuf premiers chiffres du SIRET.',
  duplicate_contract_identifiers: 'Le même identifiant de contrat figure plusieurs fois.',
  contract_with_identifier_exists:
    'Le fournisseur a déjà un contrat d’entreprise portant cet identifiant. Choisissez-en un autre, ou omettez le contrat s’il s’agit du même.',
  differs_from_stored: 'L’entreprise enregistrée a une autre valeur pour ce champ.',
  contract_versions_does_not_include_current:
    'La version la plus ancienne doit s’appliquer dès le jour où le contrat prend effet.',

  duplicate_supply_addresses_found: 'La même adresse de livraison figure plusieurs fois.',
  invalid_prm: 'Un PRM comporte 14 chiffres.',
  invalid_pce: 'Un PCE comporte 14 chiffres, ou GI suivi de six chiffres.',
  duplicate_meter_points_on_different_supply_addresses_provided: 'Le même point de livraison figure plusieurs fois.',
  start_date_later_than_end_date: 'Le début est postérieur à la fin.',
  start_date_same_as_end_date: 'Le début et la fin sont le même jour.',
  gaps_or_overlaps_in_agreement_dates: 'L’offre en chevauche une autre du même point de livraison.',

  supply_point_not_found: 'Aucun point de livraison de ces données ne porte cet identifiant.',

  zero_payment_schedule_amount: 'Le montant d’un échéancier ne peut pas être nul.',
  invalid_payment_day_for_payment_schedule: 'Le jour du mois doit être compris entre 1 et 31.',
  payment_schedule_date_overlaps: 'Un autre échéancier du point de livraison commence le même jour.',
  fields_are_mutually_exclusive: 'Ce champ n’est pas autorisé pour ce type.',
  active_new_payment_preference_invalid_instruction_identifier:
    'Aucune instruction de paiement de ce point de livraison n’a ce prestataire et cette référence.',

  invalid_payment_instruction: 'Ce prestataire de paiement n’accepte pas les instructions de ce type.',

  duplicate_transaction_ids: 'Le même transaction_id figure plusieurs fois dans la requête.',
  transaction_in_future: 'L’opération est datée dans le futur.',
  transaction_date_outside_open_statement_period: 'L’opération se situe dans une période de relevé close.',
  incorrect_line_item_net_amount:
    'Le montant hors taxes s’écarte de plus de 0,02 du nombre d’unités multiplié par le prix unitaire.',
  ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount:
    'Le montant n’est pas égal à la somme des montants hors taxes et des taxes.',

  note_body_or_document_path_not_found: 'Une note doit avoir un texte ou un document.',
  note_unpin_at_earlier_than_creation_date:
    'unpin_at ne doit pas précéder created_at, ni l’instant présent si created_at est omis.',
  historical_statement_already_exists: 'Le compte a déjà un relevé avec ce statement_id. Omettez-le.',
  path_does_not_exist_in_file_store:
    'Aucun document ne se trouve à cet emplacement. Déposez-le d’abord, ou corrigez le chemin.',
  document_path_outside_root: 'Le chemin du document sort du dossier racine des documents du fournisseur.',
  duplicate_ledger_entries_found: 'La même écriture figure plusieurs fois.',
  duplicate_account_campaigns: 'La même campagne figure plusieurs fois.',
  metadata_has_duplicate_keys: 'La même clé de métadonnées figure plusieurs fois.',
  unique: 'La même valeur figure plusieurs fois.',
};

export const frenchWarnings: Readonly<Record<WarningCode, string>> = {
  unknown_member: 'Le membre est inconnu et n’a pas été retenu.',
  unknown_value:
    'La valeur est inconnue. Elle a été conservée telle quelle, car l’équipe d’exploitation a ouvert cet ensemble de valeurs.',
  replacement_character: 'Le texte contient U+FFFD, qui remplace un caractère perdu lors d’une conversion du texte.',
  possible_spreadsheet_damage: 'La valeur semble avoir été modifiée par un tableur.',
  business_contract_not_yet_known:
    'Aucune entreprise de ce fournisseur n’a encore de contrat portant cet identifiant. Le compte pourra être créé lorsque le contrat existera.',
  payment_preference_unresolved:
    'La préférence de paiement désigne une instruction qui n’est pas active sur ce compte.',
  supply_point_on_another_account:
    'Le point de livraison figure sur un autre compte actif. Son changement de fournisseur ne sera demandé qu’après décision de l’équipe d’exploitation.',
  payment_instruction_on_another_account: 'L’instruction de paiement est également active sur un autre compte.',
  known_with_other_content:
    'Le compte a déjà un élément avec cet identifiant et un autre contenu. L’élément enregistré n’a pas été modifié.',
  other_data_staged:
    'Après cette ligne, un autre traitement ou une autre requête a préparé d’autres données pour ce compte, et le compte a été créé à partir de celles-ci.',
  transaction_dates_moved:
    'Des dates d’opérations hors de la période de relevé ouverte ont été ramenées à un jour de cette période.',
  billed_date_in_future:
    'Le compte est facturé jusqu’à une date future. La période de relevé ouverte commence après cette date.',
};

export const frenchLineFaults: Readonly<Record<LineFaultCode, string>> = {
  duplicate_in_job: 'Une ligne précédente du traitement a le même external_account_number.',
  quarantined:
    'La base de données a refusé le compte. La ligne réussira lorsque l’équipe d’exploitation aura corrigé la cause et que le compte sera créé.',
};

// Written by `npm run docs` from the OpenAPI document.

export interface paths {
    "/graphql/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Obtain a token with GraphQL
         * @description Mutation `obtainToken(input: ObtainJSONWebTokenInput!)` with exactly one of `APIKey`, `organizationSecretKey` and `refreshToken`. A token is valid for 60 minutes. A refresh token is valid once, until the session ends 12 hours after the key was used; a second use ends all tokens of the session. Mutation `revokeToken(input: RevokeTokenInput!)` ends one token (`token`), or all of a session (`refreshToken`). A rejected credential gets status 200 with `errors`. Status 429 until the end of the minute: after 10 failed attempts with one key from one address, 100 failed attempts with unknown keys from one address, or 60 tokens for one key. An IPv6 /64 network counts as one address.
         */
        post: operations["obtainToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Obtain a token with OAuth 2.0 client credentials
         * @description RFC 6749, section 4.4, for OAuth libraries: an alternative to `obtainToken` with the same limits. The client is authenticated by HTTP Basic (`client_secret_basic`) or in the form (`client_secret_post`). Send the token as `Authorization: Bearer <access_token>`. There is no refresh token and no scope.
         *
         *     More: [/docs/guide/rules/#tokens](/docs/guide/rules/#tokens)
         */
        post: operations["obtainOauthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the OAuth metadata
         * @description RFC 8414: how OAuth libraries find the token endpoint.
         */
        get: operations["findOauthMetadata"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process runs */
        get: operations["isLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is ready for requests
         * @description Ready means: the database responds, Temporal accepts a workflow start, account numbers can be reserved, and the process is not shutting down. The body lists what is unavailable; `misconfigured`: the database rejects our settings; `not_writable`: it does not store data. A jump of the database clock within the last minute is reported as `clock: jumped`; the process stays ready. Database and Temporal are checked at most once per second.
         */
        get: operations["isReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/validate-account/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate an account without storing it
         * @description Returns the data that would be staged: values as sent, strings trimmed, unknown members omitted. The response lists all violations.
         */
        post: operations["validateAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/account-import-process/create-or-update/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stage an account, or replace the staged data
         * @description Validates the account like validate-account, and stores it. Can be repeated until the account is created. `warnings` lists data that needs attention; warnings do not block the account.
         */
        post: operations["stageAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/account-import-process/process/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an account from its staged data
         * @description Waits until the account is created. `dry_run` tries everything and rolls it back; success is then a 400 with the code `dry_run_succeeded`, with `warnings` if there are any. An unknown member that resembles a known one is rejected (`unknown_member`); other unknown members are dropped with a warning. Repeating the request never creates a second account.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/notes/create/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add notes to an imported account
         * @description Adds all notes or none. A note that the account already has is not added again: the same body, or without a body the same documents, and the same `created_at` if it is sent. `document_paths` of its result lists the documents that the stored note does not have. A note is pinned until `unpin_at`, which must not be before `created_at` (or before now, if that is omitted). Results are in the order of the request. The result of a note includes its `warnings`; the first result also those of the whole request.
         */
        post: operations["createNotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/transactions/create/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add transactions to an imported account
         * @description Stores all transactions or none. `transaction_data` is the transaction as sent, its amount as a decimal with two places; one whose date was changed carries the new date and a `description`. A transaction that the account already has is returned with its stored data, and with `differs` if the content is different. Results come in the order of the request. For a fault inside `transactions`, the response also contains `status`, `error_detail` and `transaction_data` of the first faulty transaction.
         */
        post: operations["createTransactions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/historical-statements/create/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add historical statements to an imported account
         * @description Adds all statements or none. The latest end of a statement closes the period before it for transactions.
         */
        post: operations["createHistoricalStatements"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/payment-instruction/create/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a payment instruction with its vendor and add it to an imported account
         * @description Waits for the payment vendor. If the vendor does not answer in time, the response is 500 and the verification continues: the same request later returns its result and never creates a second instruction. With `supply_point_identifier` the instruction belongs to that point, otherwise to the account as a whole. It replaces the instruction of the same type for the same point, which is stored as history. An instruction in force is confirmed immediately. A rejection is repeated for ten minutes. Any other request calls the vendor again.
         */
        post: operations["createPaymentInstruction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/account-transfer-status/{supplier}/{external}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the progress of the import of an account */
        get: operations["findAccountTransferStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/all-account-import-processes/{supplier}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all account imports of an import supplier
         * @description Ordered by external account number. Without `limit` the whole list is streamed as one array.
         */
        get: operations["listAllImportProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/pending-account-import-processes/{supplier}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List import processes without a created account of an import supplier
         * @description Ordered by external account number. Without `limit` the whole list is streamed as one array.
         */
        get: operations["listPendingImportProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/imported-account-import-processes/{supplier}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List import processes with a created account of an import supplier
         * @description Ordered by external account number. Without `limit` the whole list is streamed as one array.
         */
        get: operations["listImportedImportProcesses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/business/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a business with its contracts
         * @description Create the business before any account that uses one of its contracts. Sending the same business again returns the same id, even while its import supplier is Paused or Complete. A business that differs from the stored one is rejected, with all differing fields.
         */
        post: operations["createBusiness"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/business-contracts/create/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add contracts to a business
         * @description Stores all contracts or none.
         */
        post: operations["createBusinessContracts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/supply-point/populate/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the newest batches of supply points
         * @description The batches of your organization whose import suppliers your key may all use, newest first. Use it to find a batch whose response was lost.
         *
         *     More: [/docs/guide/supply-points/](/docs/guide/supply-points/)
         */
        get: operations["listPopulationBatches"];
        put?: never;
        /**
         * Look up supply points at the network operators
         * @description Responds as soon as the batch is stored. An identifier in several batches is looked up once; one that was looked up recently is completed immediately. An identifier in both lists is a warning in the status. `customer_authorisation` declares to Enedis SGE that the customers have authorized the lookups; if omitted, the option of your organization applies, which is false unless operators set it. The batch belongs to `import_supplier`, or to all import suppliers of the key.
         */
        post: operations["populateSupplyPoints"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/supply-point/populate/{batch}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of a batch of supply points
         * @description Reasons that begin with EPRM or EPCE are the network operators' own. An organization may have two concurrent requests with a `limit` above 100; others wait up to two seconds and are then rejected with 429.
         */
        get: operations["findPopulationBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the newest import jobs
         * @description The jobs of your organization for the import suppliers of your key, newest first.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        get: operations["listImportJobs"];
        put?: never;
        /**
         * Open an import job
         * @description A job imports records of one kind, one per line; a line is the body of the single request of its kind. Upload parts until the job is started; it expires if it is not started within seven days.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        post: operations["createImportJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/{job}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the progress of an import job
         * @description More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        get: operations["findImportJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/{job}/parts/{part}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload a part of an import job
         * @description Lines of JSON (NDJSON). Parts are numbered from 1 and can be sent in any order. Sending the same content again changes nothing; other content replaces the part while the job is open. Lines are only counted and stored here; the running job validates them. A blank line is not a record but is counted in line numbers.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        put: operations["uploadImportJobPart"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/{job}/start/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start an import job
         * @description All parts must be uploaded. Starting a job twice has no further effect.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        post: operations["startImportJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/{job}/pause/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause an import job
         * @description Lines in progress are completed first, within seconds. Pausing a job that was not started has no effect.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        post: operations["pauseImportJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/{job}/resume/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume an import job
         * @description Continues a paused job. After a canary or too many failures, this accepts the results so far.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        post: operations["resumeImportJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/{job}/cancel/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an import job
         * @description Processed lines keep their results. The others are unprocessed and can be read as results.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        post: operations["cancelImportJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/{job}/causes/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the causes of failed lines of an import job
         * @description Errors by code and place, those that block most records first, then warnings. They are counted while the job runs and contain no personal data.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        get: operations["listImportJobCauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/{job}/results/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the results of an import job
         * @description JSON lines in the order of the job, at any time. `form=resend` returns the lines as they were sent, each with `_errors`, `_warnings` and `_line`, which are ignored when the line is sent again.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        get: operations["listImportJobResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/causes/{supplier}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the causes that block staged accounts of an import supplier
         * @description The known causes, without a new attempt: rejections of earlier creations, skip marks, quarantined accounts, and business contracts that do not exist yet. The cause that blocks most accounts comes first.
         *
         *     More: [/docs/guide/import-jobs/](/docs/guide/import-jobs/)
         */
        get: operations["listStagedCauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/import-jobs/{job}/withdraw/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw the accounts that an import job created
         * @description Each account is deleted with everything that was created with it, and is staged again with the same data. Accounts with an obstacle are kept. Numbers are never given again.
         */
        post: operations["withdrawImportJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/withdraw/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw the accounts of a wave
         * @description With the notes, transactions, statements and payment instructions that jobs of the wave added. Accounts with an obstacle are kept. If the creation of the wave was approved, a second person must approve its withdrawal first.
         */
        post: operations["withdrawWave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/withdrawals/{withdrawal}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the progress and the receipt of a withdrawal */
        get: operations["findWithdrawal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/withdrawals/{withdrawal}/kept/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the accounts that a withdrawal kept
         * @description One line of JSON for each account with an obstacle, in the order of the external numbers.
         */
        get: operations["listKeptAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/withdrawals/{withdrawal}/businesses/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the businesses of the accounts of a withdrawal
         * @description One line of JSON for each business whose contracts withdrawn accounts had, in the order of the identifiers. `outcome` is null until the last account is withdrawn.
         */
        get: operations["listBusinessesOfWithdrawal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the newest waves
         * @description The waves of your organization, newest first, with counts that may be a minute old.
         *
         *     More: [/docs/guide/waves/](/docs/guide/waves/)
         */
        get: operations["listWaves"];
        put?: never;
        /**
         * Open a wave
         * @description A wave is a set of accounts that are rehearsed, approved, created and signed off together. Its members are the accounts that jobs with its `wave_id` stage, and those added by number.
         *
         *     More: [/docs/guide/waves/](/docs/guide/waves/)
         */
        post: operations["openWave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a wave with its gates
         * @description Gates are computed from what is stored; each shows its evidence and where to see it.
         *
         *     More: [/docs/guide/waves/](/docs/guide/waves/)
         */
        get: operations["findWave"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the plan of a wave
         * @description Its dates, expected number, pace, canary and stop rules, until the creation begins. Absent members stay, and null removes a value. An approval ends, because it names the plan: a scheduled creation that was approved has to be approved and requested again.
         *
         *     More: [/docs/guide/waves/#plan](/docs/guide/waves/#plan)
         */
        patch: operations["changeWavePlan"];
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/accounts/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add staged accounts to a wave
         * @description One object `{"external_account_number": …}` per line; other members are ignored, so that a file of accounts may be sent. Lines that are not added are listed with their reason; the others are added. It may be repeated.
         *
         *     More: [/docs/guide/waves/#members](/docs/guide/waves/#members)
         */
        put: operations["addWaveAccounts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/manifest/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send the manifest of a wave
         * @description Totals over all records of the wave. Send it before the first job is started; until the creation another one replaces it. The gates `complete` and `attached` compare it with the accepted records.
         *
         *     More: [/docs/guide/proof/#arrival](/docs/guide/proof/#arrival)
         */
        put: operations["putWaveManifest"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/exclude/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave accounts out of a wave
         * @description The accounts by number, or with `faulty: true` all records that block a gate now: invalid, rejected, skipped or quarantined, failed in the last rehearsal, or failed lines of attachments. The accounts are neither rehearsed nor created with the wave; the reason stays with it.
         *
         *     More: [/docs/guide/waves/#members](/docs/guide/waves/#members)
         */
        post: operations["excludeFromWave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/move/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move accounts to this wave
         * @description From other waves of the same import supplier that are still prepared. They lose their rehearsal and approval.
         *
         *     More: [/docs/guide/waves/#members](/docs/guide/waves/#members)
         */
        post: operations["moveToWave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/rehearse/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rehearse a wave
         * @description Starts a job that creates every account of the wave and rolls it back. The gate `rehearsed` then shows the result.
         *
         *     More: [/docs/guide/waves/](/docs/guide/waves/)
         */
        post: operations["rehearseWave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/create/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create the accounts of a wave
         * @description At once, or from `create_from` of its plan. Needs the gates complete, valid and rehearsed, and approved if the wave or the supplier requires it.
         *
         *     More: [/docs/guide/waves/](/docs/guide/waves/)
         */
        post: operations["createWave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/pause/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause the creation of a wave
         * @description Accounts in progress are completed first, within seconds.
         *
         *     More: [/docs/guide/waves/](/docs/guide/waves/)
         */
        post: operations["pauseWave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/resume/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume the creation of a wave
         * @description Also continues after a canary or too many failures, which accepts the results so far.
         *
         *     More: [/docs/guide/waves/](/docs/guide/waves/)
         */
        post: operations["resumeWave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/cancel/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a wave
         * @description Created accounts stay; the others belong to no wave any more.
         *
         *     More: [/docs/guide/waves/](/docs/guide/waves/)
         */
        post: operations["cancelWave"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/numbers/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the numbers of the created accounts of a wave
         * @description One line of JSON for each created account, in the order of the external numbers.
         *
         *     More: [/docs/guide/waves/](/docs/guide/waves/)
         */
        get: operations["listWaveNumbers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/waves/{wave}/early-starts/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the accounts of a wave whose supply starts too early for its plan
         * @description One line of JSON for each rehearsed account that is to be created, whose switch cannot be requested in time, in the order of the external numbers.
         *
         *     More: [/docs/guide/waves/#supply-starts](/docs/guide/waves/#supply-starts)
         */
        get: operations["listEarlySupplyStarts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/reconciliations/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare stored with accepted data
         * @description Compares every created account of an import supplier, or of one import job, field by field with the payload it was created from, and its transactions with the accepted ones.
         *
         *     More: [/docs/guide/reconciliation/](/docs/guide/reconciliation/)
         */
        post: operations["createReconciliation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/reconciliations/{reconciliation}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the progress and counts of a reconciliation
         * @description More: [/docs/guide/reconciliation/](/docs/guide/reconciliation/)
         */
        get: operations["findReconciliation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/reconciliations/{reconciliation}/differences/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List differences
         * @description JSON lines, also while it runs. Values are not included; they are in the account.
         *
         *     More: [/docs/guide/reconciliation/](/docs/guide/reconciliation/)
         */
        get: operations["listDifferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/reconciliations/{reconciliation}/balances/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the opening balances of the compared accounts
         * @description JSON lines, in the order of the comparison: the sum of the transactions of each account now, to compare with the ledger of the source.
         *
         *     More: [/docs/guide/reconciliation/](/docs/guide/reconciliation/)
         */
        get: operations["listBalances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/reconciliations/{reconciliation}/accounts/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the digest of each compared account
         * @description JSON lines. `gangway verify-certificate --against` compares them with files, to name the accounts whose accepted data differs. All digests together are the sum of the digests of all fields in the certificate.
         *
         *     More: [/docs/guide/proof/](/docs/guide/proof/)
         */
        get: operations["listAccountDigests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/reconciliations/{reconciliation}/certificate/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the certificate of a reconciliation
         * @description The compared data, with the sums of money and a hash of each field. `jws` is the signed form; `gangway verify-certificate` checks it without this service.
         *
         *     More: [/docs/guide/reconciliation/](/docs/guide/reconciliation/)
         */
        get: operations["findCertificate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/reconciliations/{reconciliation}/accounts/{account}/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a hash of each accepted value of an account
         * @description Compared with the values of a file, they name the paths that differ. Values are not included.
         *
         *     More: [/docs/guide/proof/](/docs/guide/proof/)
         */
        get: operations["findAccountValues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/certificate-keys/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the public keys of certificates
         * @description A JSON Web Key Set; empty if the service has no signing key. Keep it apart from certificates.
         *
         *     More: [/docs/guide/reconciliation/](/docs/guide/reconciliation/)
         */
        get: operations["listCertificateKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/data-import/events/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events since a cursor
         * @description The events of your key's import suppliers. Events of one account, business, job or batch are in the order in which they happened. Events of import jobs and batches are visible to keys of the same organization.
         *
         *     More: [/docs/guide/events/](/docs/guide/events/)
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive an event
         * @description Sent to each address that operators have registered, according to Standard Webhooks. Verify the signature over the raw body before you use it. An event can arrive more than once; events of different subjects can arrive concurrently.
         *
         *     More: [/docs/guide/events/](/docs/guide/events/)
         */
        post: operations["receiveEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description A fault of the request. */
        Violation: {
            /** @description The problem and its remedy, for people. The wording may change; do not parse it. */
            detail: string;
            /**
             * @description Stable, for machines; each has a page under /docs/codes/.
             * @enum {string}
             */
            code: "required" | "null" | "blank" | "invalid" | "invalid_choice" | "not_a_list" | "not_a_dict" | "empty" | "min_length" | "max_length" | "min_value" | "max_value" | "max_string_length" | "max_digits" | "max_decimal_places" | "null_characters_not_allowed" | "surrogate_characters_not_allowed" | "unknown_member" | "max_depth" | "too_many_rows" | "import_process_does_not_exist" | "operations_team_name_does_not_exist" | "business_contract_not_found" | "customer_given_name_required" | "customer_family_name_required" | "customer_with_unknown_occupier" | "occupier_account_with_multiple_supply_addresses" | "date_in_future" | "date_too_far_ahead" | "invalid_phone_number" | "managed_accounts_are_not_allowed" | "business_fields_provided_for_domestic_accounts" | "business_field_required" | "children_with_duplicate_values" | "invalid_siret" | "siren_mismatch" | "duplicate_contract_identifiers" | "contract_with_identifier_exists" | "differs_from_stored" | "contract_versions_does_not_include_current" | "duplicate_supply_addresses_found" | "invalid_prm" | "invalid_pce" | "duplicate_meter_points_on_different_supply_addresses_provided" | "start_date_later_than_end_date" | "start_date_same_as_end_date" | "gaps_or_overlaps_in_agreement_dates" | "supply_point_not_found" | "zero_payment_schedule_amount" | "invalid_payment_day_for_payment_schedule" | "payment_schedule_date_overlaps" | "fields_are_mutually_exclusive" | "active_new_payment_preference_invalid_instruction_identifier" | "invalid_payment_instruction" | "duplicate_transaction_ids" | "transaction_in_future" | "transaction_date_outside_open_statement_period" | "incorrect_line_item_net_amount" | "ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount" | "note_body_or_document_path_not_found" | "note_unpin_at_earlier_than_creation_date" | "historical_statement_already_exists" | "path_does_not_exist_in_file_store" | "document_path_outside_root" | "duplicate_ledger_entries_found" | "duplicate_account_campaigns" | "metadata_has_duplicate_keys" | "unique";
            /** @description Dot-separated path to the input; numeric parts are zero-based indexes. `non_field_errors` as the last part means the whole object. */
            attr: string;
        };
        /** @description Reason why the request was not executed. */
        Error: {
            /** @description For people. Wording may change; do not parse it. */
            detail: string;
            /**
             * @description Stable, for machines.
             * @enum {string}
             */
            code: "account_failed_validation" | "validation_failed" | "parse_error" | "unknown_query_parameter" | "invalid_idempotency_key" | "account_import_process_already_imported" | "import_process_marked_to_skip" | "import_supplier_migration_not_ongoing" | "import_process_failed_validation" | "account_quarantined" | "dry_run_succeeded" | "business_already_exists" | "last_operator_key" | "payment_vendor_rejected" | "payment_vendor_unreachable" | "payment_instruction_in_use" | "import_job_not_open" | "import_job_not_withdrawable" | "reconciliation_not_completed" | "erasure_must_wait" | "import_job_parts_missing" | "import_job_ended" | "manifest_differs" | "manifest_not_compared" | "manifest_too_late" | "wave_status_forbids" | "wave_gate_not_passed" | "wave_plan_too_short" | "second_person_required" | "wave_changed" | "approval_required" | "account_in_another_wave" | "not_authenticated" | "authentication_failed" | "permission_denied" | "not_found" | "account_not_found" | "business_not_found" | "import_job_not_found" | "wave_not_found" | "reconciliation_not_found" | "withdrawal_not_found" | "method_not_allowed" | "not_acceptable" | "account_being_withdrawn" | "idempotency_key_in_use" | "request_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "throttled" | "error" | "payment_vendor_unavailable" | "service_unavailable" | "creation_pending";
            /** @description All faults in the order of the payload; empty unless the request was not valid. */
            errors: components["schemas"]["Violation"][];
            /**
             * Format: uri-reference
             * @description Path of the page that explains the code.
             */
            doc_url: string;
            /**
             * @description True if there are more faults than are listed.
             * @constant
             */
            truncated?: true;
            /**
             * @description With service_unavailable: the outcome is unknown, because the response of the database was lost. Without it nothing was changed.
             * @constant
             */
            outcome?: "unknown";
            /** @description Sent with status 500 and above. Include it when you report a problem. */
            request_id?: string;
        };
        /** @description The format of RFC 9457, sent if the header Accept contains application/problem+json. It has the members of Error, and these. */
        Problem: components["schemas"]["Error"] & {
            /**
             * Format: uri-reference
             * @description The same as doc_url.
             */
            type: string;
            /** @description The sentence of the code. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /**
             * Format: uri-reference
             * @description Id of the request: the same as the header X-Request-Id.
             */
            instance: string;
        };
        ObtainTokenRequest: {
            /** @description A GraphQL document. Rules: [required](/docs/codes/required/), [invalid](/docs/codes/invalid/). */
            query: string;
            /** @description Stored as sent. Rules: [invalid](/docs/codes/invalid/). */
            variables?: {
                [key: string]: unknown;
            };
            /** @description Rules: [invalid](/docs/codes/invalid/). */
            operationName?: string | null;
            /** @description Stored as sent. Rules: [invalid](/docs/codes/invalid/). */
            extensions?: {
                [key: string]: unknown;
            };
        };
        /** @description Rules: [max_depth](/docs/codes/max_depth/). */
        Account: {
            /** @description No control characters and no invisible characters. */
            external_account_number: string;
            /** @description No control characters and no invisible characters. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier: string;
            /** @enum {string} */
            account_type?: "DOMESTIC" | "DOMESTIC_VACANT" | "DOMESTIC_OCCUPIER" | "BUSINESS" | "BUSINESS_VACANT" | "BUSINESS_OCCUPIER" | "PORTFOLIO_LEAD" | "";
            /** @description Rules: [required](/docs/codes/required/), [business_fields_provided_for_domestic_accounts](/docs/codes/business_fields_provided_for_domestic_accounts/), [business_field_required](/docs/codes/business_field_required/). */
            business?: {
                /** @description Known values: EURL; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
                business_type?: string;
                /** @description No control characters and no invisible characters. An empty text counts as absent. Rules: [invalid_siret](/docs/codes/invalid_siret/). */
                siret?: string;
                /** @description Rules: [too_many_rows](/docs/codes/too_many_rows/). */
                details?: {
                    /** @description No control characters and no invisible characters. Rules: [children_with_duplicate_values](/docs/codes/children_with_duplicate_values/). */
                    key: string;
                    /** @description Rules: [siren_mismatch](/docs/codes/siren_mismatch/). */
                    value: string;
                }[];
                /** @description No control characters and no invisible characters. An empty text counts as absent. Rules: [business_contract_not_found](/docs/codes/business_contract_not_found/). */
                business_contract_identifier?: string;
            };
            unknown_occupier?: boolean;
            billing_address1?: string;
            billing_address2?: string;
            billing_address3?: string;
            billing_address4?: string;
            billing_postcode?: string;
            /** @description Known values: DIRECT, PRICE_COMPARISON, TELESALES, BROKER, MOVE_IN; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            sales_channel?: string;
            sales_subchannel?: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent. Rules: [date_too_far_ahead](/docs/codes/date_too_far_ahead/).
             */
            last_billed_to_date?: string;
            /** @description Rules: [required](/docs/codes/required/), [empty](/docs/codes/empty/), [customer_with_unknown_occupier](/docs/codes/customer_with_unknown_occupier/), [too_many_rows](/docs/codes/too_many_rows/). */
            customers?: components["schemas"]["Customer"][];
            /** @description Rules: [occupier_account_with_multiple_supply_addresses](/docs/codes/occupier_account_with_multiple_supply_addresses/), [too_many_rows](/docs/codes/too_many_rows/). */
            supply_addresses?: components["schemas"]["SupplyAddress"][];
            /** @description Rules: [too_many_rows](/docs/codes/too_many_rows/). */
            statements?: {
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                bill_period_from_date: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [start_date_later_than_end_date](/docs/codes/start_date_later_than_end_date/), [date_too_far_ahead](/docs/codes/date_too_far_ahead/).
                 */
                bill_period_to_date: string;
                /** @description No control characters and no invisible characters. Rules: [unique](/docs/codes/unique/). */
                statement_id: string;
                /** @description A path relative to the document root of the import supplier: no full address, no segment . or .., no backslash, no percent-encoding, no control characters. An empty text counts as absent. Rules: [path_does_not_exist_in_file_store](/docs/codes/path_does_not_exist_in_file_store/). */
                statement_path?: string;
            }[];
            /** @description Rules: [too_many_rows](/docs/codes/too_many_rows/). */
            supplementary_ledgers?: {
                /** @description No control characters and no invisible characters. Rules: [duplicate_ledger_entries_found](/docs/codes/duplicate_ledger_entries_found/). */
                ledger_code: string;
                energy_cheques?: {
                    /** @description No control characters and no invisible characters. Rules: [unique](/docs/codes/unique/). */
                    number: string;
                    amount: number;
                    /**
                     * Format: date
                     * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent.
                     */
                    protection_from?: string;
                    /**
                     * Format: date
                     * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. 9999-12-31 counts as absent. An empty text counts as absent. Rules: [start_date_later_than_end_date](/docs/codes/start_date_later_than_end_date/).
                     */
                    protection_to?: string;
                    /**
                     * Format: date
                     * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. 9999-12-31 counts as absent. An empty text counts as absent.
                     */
                    valid_to?: string;
                    /** @description Known values: PAPERLESS; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
                    source?: string;
                    /** @description Known values: VALID; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
                    status?: string;
                    /** @description No control characters and no invisible characters. An empty text counts as absent. */
                    asp_remittance_ref?: string;
                }[];
            }[];
            /** @description Rules: [too_many_rows](/docs/codes/too_many_rows/). */
            notes?: {
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. An empty text counts as absent.
                 */
                created_at?: string;
                body?: string;
                document_paths?: {
                    /** @description A path relative to the document root of the import supplier: no full address, no segment . or .., no backslash, no percent-encoding, no control characters. Rules: [path_does_not_exist_in_file_store](/docs/codes/path_does_not_exist_in_file_store/). */
                    document_path: string;
                }[];
            }[];
            /** @description Rules: [too_many_rows](/docs/codes/too_many_rows/). */
            account_campaigns?: {
                /** @description No control characters and no invisible characters. Rules: [duplicate_account_campaigns](/docs/codes/duplicate_account_campaigns/). */
                slug: string;
                campaign_note?: string;
            }[];
            /** @description Rules: [too_many_rows](/docs/codes/too_many_rows/). */
            metadata?: {
                /** @description No control characters and no invisible characters. Rules: [metadata_has_duplicate_keys](/docs/codes/metadata_has_duplicate_keys/). */
                key: string;
                /** @description Stored as sent. */
                value: {
                    [key: string]: unknown;
                };
            }[];
            /** @description Rules: [business_fields_provided_for_domestic_accounts](/docs/codes/business_fields_provided_for_domestic_accounts/), [too_many_rows](/docs/codes/too_many_rows/). */
            account_contracts?: components["schemas"]["BusinessContract"][];
            /** @description Rules: [too_many_rows](/docs/codes/too_many_rows/). */
            payment_preferences?: {
                /** @enum {string} */
                type: "ACTIVE_EXISTING" | "ACTIVE_NEW" | "PASSIVE";
                /** @description No control characters and no invisible characters. Rules: [supply_point_not_found](/docs/codes/supply_point_not_found/), [unique](/docs/codes/unique/). */
                supply_point_identifier: string;
                /** @description Rules: [required](/docs/codes/required/), [fields_are_mutually_exclusive](/docs/codes/fields_are_mutually_exclusive/). */
                instruction_reference_params?: {
                    /** @description No control characters and no invisible characters. */
                    vendor_name: string;
                    /** @description No control characters and no invisible characters. Rules: [active_new_payment_preference_invalid_instruction_identifier](/docs/codes/active_new_payment_preference_invalid_instruction_identifier/). */
                    vendor_reference: string;
                };
            }[];
        };
        Customer: {
            title?: string;
            /** @description Rules: [customer_given_name_required](/docs/codes/customer_given_name_required/). */
            given_name?: string;
            /** @description Rules: [customer_family_name_required](/docs/codes/customer_family_name_required/). */
            family_name?: string;
            /**
             * Format: email
             * @description An e-mail address. An empty text counts as absent.
             */
            email?: string | null;
            /** @description Rules: [invalid_phone_number](/docs/codes/invalid_phone_number/). */
            mobile?: string | null;
            /** @description Rules: [invalid_phone_number](/docs/codes/invalid_phone_number/). */
            landline?: string | null;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent. Rules: [date_in_future](/docs/codes/date_in_future/).
             */
            date_of_birth?: string;
            /** @description Known values: Reported, Confirmed; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            deceased?: string;
            customer_preferences?: {
                opted_into_updates?: boolean;
                opted_into_sms?: boolean;
                opted_into_offers?: boolean;
                opted_into_recommended?: boolean;
            };
        };
        /** @description Rules: [duplicate_supply_addresses_found](/docs/codes/duplicate_supply_addresses_found/). */
        SupplyAddress: {
            supply_address1?: string;
            supply_address2?: string;
            supply_address3?: string;
            supply_address4?: string;
            supply_postcode?: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
             */
            customer_at_supply_address_from_date: string;
            supply_points: components["schemas"]["SupplyPoint"][];
        };
        SupplyPoint: {
            /** @description No control characters and no invisible characters. Rules: [invalid_prm](/docs/codes/invalid_prm/), [invalid_pce](/docs/codes/invalid_pce/), [duplicate_meter_points_on_different_supply_addresses_provided](/docs/codes/duplicate_meter_points_on_different_supply_addresses_provided/). */
            identifier: string;
            /** @enum {string} */
            supply_type: "ELECTRICITY" | "GAS";
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
             */
            supply_start_date: string;
            billing_frequency?: number;
            agreements?: {
                /** @description No control characters and no invisible characters. */
                tariff_code: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [gaps_or_overlaps_in_agreement_dates](/docs/codes/gaps_or_overlaps_in_agreement_dates/).
                 */
                effective_from: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. 9999-12-31 counts as absent. An empty text counts as absent. Rules: [start_date_later_than_end_date](/docs/codes/start_date_later_than_end_date/), [start_date_same_as_end_date](/docs/codes/start_date_same_as_end_date/).
                 */
                effective_to?: string;
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. An empty text counts as absent.
                 */
                agreed_at?: string;
                addons?: {
                    /** @description No control characters and no invisible characters. */
                    band: string;
                }[];
            }[];
            payment_schedules?: {
                /** @enum {string} */
                means: "DD" | "CARD" | "MANUAL" | "PAYMENT_SLIP";
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [payment_schedule_date_overlaps](/docs/codes/payment_schedule_date_overlaps/).
                 */
                start_date: string;
                /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 2 decimal places, no exponent. Rules: [zero_payment_schedule_amount](/docs/codes/zero_payment_schedule_amount/), [min_value](/docs/codes/min_value/). */
                amount?: number | string;
                /** @enum {string} */
                frequency?: "WEEKLY" | "FORTNIGHTLY" | "FOUR_WEEKLY" | "MONTHLY" | "QUARTERLY" | "SIX_MONTHLY" | "ANNUALLY" | "";
                day_of_month?: number;
            }[];
            payment_instructions?: {
                /** @description No control characters and no invisible characters. */
                vendor: string;
                /** @description No control characters and no invisible characters. */
                reference: string;
                /** @description Known values: DIRECT_DEBIT, CARD; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
                type: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent.
                 */
                valid_from?: string;
            }[];
            consent_data?: {
                /** @description Rules: [invalid](/docs/codes/invalid/). */
                ELEC_CURVES?: boolean;
                /** @description Rules: [invalid](/docs/codes/invalid/). */
                ELEC_INDEXES?: boolean;
                /** @description Rules: [invalid](/docs/codes/invalid/). */
                GAS_INDEXES?: boolean;
            };
        };
        /** @description Rules: [differs_from_stored](/docs/codes/differs_from_stored/). */
        BusinessContract: {
            /** @description No control characters and no invisible characters. Rules: [duplicate_contract_identifiers](/docs/codes/duplicate_contract_identifiers/), [contract_with_identifier_exists](/docs/codes/contract_with_identifier_exists/). */
            identifier: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
             */
            valid_from_date: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent.
             */
            signed_at_date?: string;
            /** @description Rules: [contract_versions_does_not_include_current](/docs/codes/contract_versions_does_not_include_current/). */
            versions: {
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [unique](/docs/codes/unique/).
                 */
                applicable_at_date: string;
                terms: components["schemas"]["ContractTerm"][];
            }[];
        };
        ContractTerm: components["schemas"]["ContractMetadata"] | components["schemas"]["ProductRateOverrideSchedule"] | components["schemas"]["TerminationFee"] | components["schemas"]["IssuanceFrequency"] | components["schemas"]["RateGroupEligibility"] | components["schemas"]["GuaranteeOfOriginConfiguration"] | components["schemas"]["PaysByDirectDebit"] | components["schemas"]["DelayerDays"] | components["schemas"]["CharacteristicOverride"];
        ContractMetadata: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            term_type: "CONTRACT_METADATA";
            is_variable?: boolean;
            /** @description Stored as sent. */
            metadata: {
                [key: string]: unknown;
            };
        };
        ProductRateOverrideSchedule: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            term_type: "PRODUCT_RATE_OVERRIDE_SCHEDULE";
            is_variable?: boolean;
            schedules: {
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                effective_from: string;
                items: {
                    /** @description A decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    price_per_unit: string;
                    /** @description Known values: CONSUMPTION_STANDARD; any other value is accepted unless the operators have closed the set. No control characters and no invisible characters. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
                    rate_band: string;
                    /** @description No control characters and no invisible characters. */
                    product_code: string;
                }[];
            }[];
        };
        TerminationFee: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            term_type: "TERMINATION_FEE";
            is_variable?: boolean;
            /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
            amount: number | string;
            /** @description Known values: FLAT, WHOLE_MONTHS_REMAINING, WHOLE_DAYS_REMAINING; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            fee_type: string;
            /** @enum {string} */
            supply_type?: "ELECTRICITY" | "GAS" | "";
        };
        IssuanceFrequency: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            term_type: "ISSUANCE_FREQUENCY";
            is_variable?: boolean;
            /** @description Known values: MONTHLY, DAILY; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            frequency: string;
            multiplier: number;
            period_start_day: number;
            period_start_month: number;
        };
        RateGroupEligibility: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            term_type: "RATE_GROUP_ELIGIBILITY";
            is_variable?: boolean;
            schedules: {
                effective_period: {
                    /**
                     * Format: date
                     * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                     */
                    start_date: string;
                    /**
                     * Format: date
                     * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. 9999-12-31 counts as absent. An empty text counts as absent.
                     */
                    end_date?: string;
                };
                /** @description No control characters and no invisible characters. */
                product_code: string;
                /** @description No control characters and no invisible characters. */
                rate_group_code: string;
                is_eligible: boolean;
            }[];
            time_series_specification_schedules?: unknown[];
        };
        GuaranteeOfOriginConfiguration: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            term_type: "GUARANTEE_OF_ORIGIN_CONFIGURATION";
            is_variable?: boolean;
            guarantee_of_origin_percentage: number;
        };
        PaysByDirectDebit: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            term_type: "PAYS_BY_DIRECT_DEBIT";
            is_variable?: boolean;
            pays_by_direct_debit: boolean;
        };
        DelayerDays: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            term_type: "DELAYER_DAYS";
            is_variable?: boolean;
            /** @description Known values: FIXED, WORKING_DAYS; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            strategy: string;
            days: number;
        };
        CharacteristicOverride: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            term_type: "CHARACTERISTIC_OVERRIDE";
            is_variable?: boolean;
            overrides: {
                /** @description No control characters and no invisible characters. */
                characteristic_code: string;
                override_value: string;
            }[];
        };
        /** @description Rules: [max_depth](/docs/codes/max_depth/), [unknown_member](/docs/codes/unknown_member/). */
        CreateAccountRequest: {
            /** @description No control characters and no invisible characters. Rules: [import_process_does_not_exist](/docs/codes/import_process_does_not_exist/). */
            external_account_number: string;
            /** @description No control characters and no invisible characters. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier_code: string;
            /** @description Rules: [operations_team_name_does_not_exist](/docs/codes/operations_team_name_does_not_exist/). */
            operations_team_name: string;
            dry_run?: boolean;
        };
        /** @description Rules: [max_depth](/docs/codes/max_depth/). */
        CreateNotesRequest: {
            /** @description No control characters and no invisible characters. */
            import_supplier: string;
            /** @description No control characters and no invisible characters. */
            external_account_number: string;
            notes: {
                body?: string;
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. An empty text counts as absent.
                 */
                created_at?: string;
                is_pinned?: boolean;
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. 9999-12-31 counts as absent. An empty text counts as absent. Rules: [note_unpin_at_earlier_than_creation_date](/docs/codes/note_unpin_at_earlier_than_creation_date/).
                 */
                unpin_at?: string;
                document_paths?: {
                    /** @description A path relative to the document root of the import supplier: no full address, no segment . or .., no backslash, no percent-encoding, no control characters. Rules: [path_does_not_exist_in_file_store](/docs/codes/path_does_not_exist_in_file_store/). */
                    document_path: string;
                }[];
            }[];
        };
        /** @description Rules: [max_depth](/docs/codes/max_depth/). */
        CreateTransactionsRequest: {
            /** @description No control characters and no invisible characters. */
            import_supplier: string;
            /** @description No control characters and no invisible characters. */
            external_account_number: string;
            transactions: (components["schemas"]["Charge"] | components["schemas"]["Credit"] | components["schemas"]["Payment"] | components["schemas"]["Repayment"] | components["schemas"]["SupplyCharge"])[];
        };
        Charge: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "CHARGE";
            /** @description No control characters and no invisible characters. Rules: [duplicate_transaction_ids](/docs/codes/duplicate_transaction_ids/). */
            transaction_id: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [transaction_in_future](/docs/codes/transaction_in_future/), [transaction_date_outside_open_statement_period](/docs/codes/transaction_date_outside_open_statement_period/).
             */
            transaction_date: string;
            /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 2 decimal places, no exponent. Rules: [min_value](/docs/codes/min_value/), [ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount](/docs/codes/ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount/). */
            amount: number | string;
            /** @description Known values: GENERAL_CREDIT, IMPORTED_CHARGE, IMPORTED_CREDIT, ACCOUNT_CHARGE_PAYMENT, FULL_CREDIT_REFUND; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            reason: string;
            display_note?: string;
            note?: string;
        };
        Credit: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "CREDIT";
            /** @description No control characters and no invisible characters. Rules: [duplicate_transaction_ids](/docs/codes/duplicate_transaction_ids/). */
            transaction_id: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [transaction_in_future](/docs/codes/transaction_in_future/), [transaction_date_outside_open_statement_period](/docs/codes/transaction_date_outside_open_statement_period/).
             */
            transaction_date: string;
            /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 2 decimal places, no exponent. Rules: [min_value](/docs/codes/min_value/), [ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount](/docs/codes/ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount/). */
            amount: number | string;
            /** @description Known values: GENERAL_CREDIT, IMPORTED_CHARGE, IMPORTED_CREDIT, ACCOUNT_CHARGE_PAYMENT, FULL_CREDIT_REFUND; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            reason: string;
            display_note?: string;
            note?: string;
        };
        Payment: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "PAYMENT";
            /** @description No control characters and no invisible characters. Rules: [duplicate_transaction_ids](/docs/codes/duplicate_transaction_ids/). */
            transaction_id: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [transaction_in_future](/docs/codes/transaction_in_future/), [transaction_date_outside_open_statement_period](/docs/codes/transaction_date_outside_open_statement_period/).
             */
            transaction_date: string;
            /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 2 decimal places, no exponent. Rules: [min_value](/docs/codes/min_value/), [ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount](/docs/codes/ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount/). */
            amount: number | string;
            /** @description Known values: GENERAL_CREDIT, IMPORTED_CHARGE, IMPORTED_CREDIT, ACCOUNT_CHARGE_PAYMENT, FULL_CREDIT_REFUND; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            reason: string;
            note?: string;
            /** @description No control characters and no invisible characters. An empty text counts as absent. */
            reference?: string;
            /** @description Known values: DEBIT_CARD, DD_REGULAR_COLLECTION, DIRECT_CREDIT; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            payment_type?: string;
        };
        Repayment: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "REPAYMENT";
            /** @description No control characters and no invisible characters. Rules: [duplicate_transaction_ids](/docs/codes/duplicate_transaction_ids/). */
            transaction_id: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [transaction_in_future](/docs/codes/transaction_in_future/), [transaction_date_outside_open_statement_period](/docs/codes/transaction_date_outside_open_statement_period/).
             */
            transaction_date: string;
            /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 2 decimal places, no exponent. Rules: [min_value](/docs/codes/min_value/), [ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount](/docs/codes/ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount/). */
            amount: number | string;
            /** @description Known values: GENERAL_CREDIT, IMPORTED_CHARGE, IMPORTED_CREDIT, ACCOUNT_CHARGE_PAYMENT, FULL_CREDIT_REFUND; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            reason: string;
            note?: string;
            /** @description No control characters and no invisible characters. An empty text counts as absent. */
            reference?: string;
            /** @description Known values: DEBIT_CARD, DD_REGULAR_COLLECTION, DIRECT_CREDIT; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            payment_type?: string;
        };
        SupplyCharge: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "SUPPLY_CHARGE";
            /** @description No control characters and no invisible characters. Rules: [duplicate_transaction_ids](/docs/codes/duplicate_transaction_ids/). */
            transaction_id: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [transaction_in_future](/docs/codes/transaction_in_future/), [transaction_date_outside_open_statement_period](/docs/codes/transaction_date_outside_open_statement_period/).
             */
            transaction_date: string;
            /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 2 decimal places, no exponent. Rules: [min_value](/docs/codes/min_value/), [ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount](/docs/codes/ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount/). */
            amount: number | string;
            /** @description No control characters and no invisible characters. */
            product_code: string;
            display_note?: string;
            line_items: {
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                start_date: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [start_date_later_than_end_date](/docs/codes/start_date_later_than_end_date/).
                 */
                end_date: string;
                /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                number_of_units: number | string;
                /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. Rules: [incorrect_line_item_net_amount](/docs/codes/incorrect_line_item_net_amount/). */
                net_amount: number | string;
                /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                price_per_unit?: number | string;
                /** @description Known values: CONSUMPTION_STANDARD; any other value is accepted unless the operators have closed the set. No control characters and no invisible characters. An empty text counts as absent. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
                rate_band?: string;
                units?: (number | string)[];
            }[];
            tax_items?: {
                /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                amount: number | string;
                /** @description Known values: VAT; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
                tax_type: string;
                /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                value_taxed?: number | string;
                /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                rate?: number | string;
                /** @description Known values: PROPORTION, CURRENCY_PER_KWH; any other value is accepted unless the operators have closed the set. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
                unit_type?: string;
            }[];
        };
        /** @description Rules: [max_depth](/docs/codes/max_depth/). */
        CreateHistoricalStatementsRequest: {
            /** @description No control characters and no invisible characters. */
            import_supplier: string;
            /** @description No control characters and no invisible characters. */
            external_account_number: string;
            statements: {
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                bill_period_from_date: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. Rules: [start_date_later_than_end_date](/docs/codes/start_date_later_than_end_date/), [date_too_far_ahead](/docs/codes/date_too_far_ahead/).
                 */
                bill_period_to_date: string;
                /** @description No control characters and no invisible characters. Rules: [historical_statement_already_exists](/docs/codes/historical_statement_already_exists/). */
                statement_id: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                issued_date: string;
                /** @description No control characters and no invisible characters. */
                number: string;
                /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                gross_amount: number | string;
                /** @description A path relative to the document root of the import supplier: no full address, no segment . or .., no backslash, no percent-encoding, no control characters. An empty text counts as absent. Rules: [path_does_not_exist_in_file_store](/docs/codes/path_does_not_exist_in_file_store/). */
                statement_path?: string;
            }[];
        };
        /** @description Rules: [max_depth](/docs/codes/max_depth/). */
        CreatePaymentInstructionRequest: {
            /** @description No control characters and no invisible characters. */
            import_supplier: string;
            /** @description No control characters and no invisible characters. */
            external_account_number: string;
            /** @enum {string} */
            vendor: "GOCARDLESS" | "STRIPE" | "SLIMPAY" | "ADYEN";
            /** @description No control characters and no invisible characters. */
            reference: string;
            /**
             * @description Rules: [invalid_payment_instruction](/docs/codes/invalid_payment_instruction/).
             * @enum {string}
             */
            type: "CARD" | "DIRECT_DEBIT";
            /** @description No control characters and no invisible characters. An empty text counts as absent. Rules: [supply_point_not_found](/docs/codes/supply_point_not_found/). */
            supply_point_identifier?: string;
        };
        /** @description Rules: [max_depth](/docs/codes/max_depth/). */
        CreateBusinessRequest: {
            /** @description No control characters and no invisible characters. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier_code: string;
            /** @description No control characters and no invisible characters. */
            external_business_identifier: string;
            business: {
                /** @description Known values: EURL; any other value is accepted unless the operators have closed the set. Rules: [differs_from_stored](/docs/codes/differs_from_stored/), [invalid_choice](/docs/codes/invalid_choice/). */
                business_type?: string;
                /** @description Rules: [differs_from_stored](/docs/codes/differs_from_stored/). */
                company_name: string;
                /** @description No control characters and no invisible characters. An empty text counts as absent. Rules: [invalid_siret](/docs/codes/invalid_siret/), [differs_from_stored](/docs/codes/differs_from_stored/). */
                siret?: string;
                /** @description Rules: [differs_from_stored](/docs/codes/differs_from_stored/). */
                details?: {
                    /** @description No control characters and no invisible characters. Rules: [children_with_duplicate_values](/docs/codes/children_with_duplicate_values/). */
                    key: string;
                    /** @description Rules: [siren_mismatch](/docs/codes/siren_mismatch/). */
                    value: string;
                }[];
                /** @description Rules: [differs_from_stored](/docs/codes/differs_from_stored/). */
                business_contracts: components["schemas"]["BusinessContract"][];
            };
        };
        /** @description Rules: [max_depth](/docs/codes/max_depth/). */
        CreateBusinessContractsRequest: {
            /** @description No control characters and no invisible characters. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier_code: string;
            /** @description No control characters and no invisible characters. */
            external_business_identifier: string;
            business_contracts: components["schemas"]["BusinessContract"][];
        };
        /** @description Rules: [empty](/docs/codes/empty/), [max_length](/docs/codes/max_length/), [max_depth](/docs/codes/max_depth/). */
        PopulateSupplyPointsRequest: {
            prm_ids?: string[];
            pce_ids?: string[];
            /** @enum {string} */
            customer_category?: "Domestic" | "Professional" | "";
            customer_authorisation?: boolean;
            /** @description No control characters and no invisible characters. An empty text counts as absent. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier?: string;
        };
        CreateImportJobRequest: {
            /** @description Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier: string;
            /** @enum {string} */
            kind: "accounts" | "businesses" | "business-contracts" | "notes" | "transactions" | "statements" | "payment-instructions";
            /**
             * @description Rules: [invalid_choice](/docs/codes/invalid_choice/).
             * @enum {string}
             */
            goal: "VALIDATE" | "STAGE" | "REHEARSE" | "CREATE" | "IMPORT";
            name?: string;
            /** @description Rules: [required](/docs/codes/required/), [operations_team_name_does_not_exist](/docs/codes/operations_team_name_does_not_exist/). */
            operations_team_name?: string;
            /**
             * @description Rules: [invalid_choice](/docs/codes/invalid_choice/).
             * @enum {string}
             */
            selection?: "uploaded" | "staged" | "wave" | "";
            /** @description Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            wave_id?: string;
            options?: {
                canary?: number;
                /** @description Rules: [required](/docs/codes/required/). */
                stop_after_failures?: {
                    count?: number;
                    /** @description A JSON number: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    percent?: number;
                };
                window?: {
                    /** @description An hour of the day HH:MM from 00:00 to 23:59. Rules: [invalid](/docs/codes/invalid/). */
                    from: string;
                    /** @description An hour of the day HH:MM from 00:00 to 23:59. Rules: [invalid](/docs/codes/invalid/). */
                    to: string;
                };
                max_per_second?: number;
            };
            manifest?: components["schemas"]["Manifest"];
        };
        /** @description Rules: [invalid](/docs/codes/invalid/). */
        Manifest: {
            /** @enum {string} */
            type: "gangway-manifest/1";
            /** @description Version of the notation from which digests are computed. */
            canonicalization?: number;
            /** @description No control characters and no invisible characters. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier?: string;
            /** @description The program that wrote it. No control characters and no invisible characters. An empty text counts as absent. */
            created_by?: string;
            files?: components["schemas"]["FileOfManifest"][];
            /** @description Totals by kind of record. Only totals that are present are compared. Rules: [required](/docs/codes/required/). */
            kinds: {
                accounts?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of customers. */
                    customers?: number;
                    /** @description Number of supply points of accounts, by type. */
                    supply_points?: {
                        ELECTRICITY?: number;
                        GAS?: number;
                    };
                    /** @description Number of contracts. */
                    business_contracts?: number;
                    /** @description Number of notes in the accounts. */
                    notes?: number;
                    /** @description Number of statements in the accounts. */
                    statements?: number;
                    payment_schedules?: components["schemas"]["AmountsOfManifest"];
                    energy_cheques?: components["schemas"]["AmountsOfManifest"];
                    /** @description Digests of all fields that have values. Omit the member if you cannot compute them. */
                    digests?: components["schemas"]["DigestOfManifest"][];
                };
                businesses?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of contracts. */
                    business_contracts?: number;
                };
                "business-contracts"?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of contracts. */
                    business_contracts?: number;
                };
                notes?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of notes. */
                    notes?: number;
                };
                statements?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of statements. */
                    statements?: number;
                    /** @description Sum of the gross amounts, as a decimal string. A decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    gross_sum?: string;
                };
                transactions?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of transactions. */
                    transactions?: number;
                    /** @description Transactions by type. */
                    by_type?: {
                        CHARGE?: components["schemas"]["AmountsOfManifest"];
                        CREDIT?: components["schemas"]["AmountsOfManifest"];
                        PAYMENT?: components["schemas"]["AmountsOfManifest"];
                        REPAYMENT?: components["schemas"]["AmountsOfManifest"];
                        SUPPLY_CHARGE?: components["schemas"]["AmountsOfManifest"];
                    };
                    /** @description Digests of all fields that have values. Omit the member if you cannot compute them. */
                    digests?: components["schemas"]["DigestOfManifest"][];
                };
                "payment-instructions"?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                };
            };
        };
        FileOfManifest: {
            name: string;
            /** @enum {string} */
            kind: "accounts" | "businesses" | "business-contracts" | "notes" | "transactions" | "statements" | "payment-instructions";
            bytes: number;
            /** @description SHA-256 of the file as it is, compressed or not. */
            sha256: string;
            records: number;
        };
        AmountsOfManifest: {
            /** @description Number of items. */
            count?: number;
            /** @description Sum of their amounts, as a decimal string. A decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
            sum?: string;
        };
        DigestOfManifest: {
            name: string;
            /** @description The sum of the hashes of its values, as in certificates: 64 lowercase hexadecimal digits. */
            digest: string;
        };
        WithdrawImportJobRequest: {
            reason: string;
            dry_run?: boolean;
            /** @description Also delete the businesses, with their contracts, that no other account uses. By default they are kept. */
            withdraw_businesses?: boolean;
        };
        OpenWaveRequest: {
            /** @description Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier: string;
            /** @description No control characters. Rules: [invalid](/docs/codes/invalid/). */
            name: string;
            /** @description Rules: [operations_team_name_does_not_exist](/docs/codes/operations_team_name_does_not_exist/). */
            operations_team_name: string;
            plan?: {
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. An empty text counts as absent.
                 */
                create_from?: string;
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. An empty text counts as absent. Rules: [invalid](/docs/codes/invalid/).
                 */
                create_until?: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent.
                 */
                supply_start_from?: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent. Rules: [invalid](/docs/codes/invalid/).
                 */
                supply_start_to?: string;
                expected_accounts?: number;
            };
            options?: {
                canary?: number;
                /** @description Rules: [required](/docs/codes/required/). */
                stop_after_failures?: {
                    count?: number;
                    /** @description A JSON number: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    percent?: number;
                };
                max_per_second?: number;
                hold_switches_hours?: number;
                requires_approval?: boolean;
            };
        };
        ChangeWavePlanRequest: {
            /** @description Rules: [required](/docs/codes/required/). */
            plan?: {
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. An empty text counts as absent.
                 */
                create_from?: string | null;
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. An empty text counts as absent. Rules: [invalid](/docs/codes/invalid/).
                 */
                create_until?: string | null;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent.
                 */
                supply_start_from?: string | null;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent. Rules: [invalid](/docs/codes/invalid/).
                 */
                supply_start_to?: string | null;
                expected_accounts?: number | null;
            };
            options?: {
                canary?: number | null;
                stop_after_failures?: {
                    count?: number | null;
                    /** @description A JSON number: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    percent?: number | null;
                };
                max_per_second?: number | null;
                hold_switches_hours?: number | null;
            };
            reason: string;
        };
        PutWaveManifestRequest: {
            /** @enum {string} */
            type: "gangway-manifest/1";
            /** @description Version of the notation from which digests are computed. */
            canonicalization?: number;
            /** @description No control characters and no invisible characters. Rules: [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier?: string;
            /** @description The program that wrote it. No control characters and no invisible characters. An empty text counts as absent. */
            created_by?: string;
            files?: components["schemas"]["FileOfManifest"][];
            /** @description Totals by kind of record. Only totals that are present are compared. Rules: [required](/docs/codes/required/). */
            kinds: {
                accounts?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of customers. */
                    customers?: number;
                    /** @description Number of supply points of accounts, by type. */
                    supply_points?: {
                        ELECTRICITY?: number;
                        GAS?: number;
                    };
                    /** @description Number of contracts. */
                    business_contracts?: number;
                    /** @description Number of notes in the accounts. */
                    notes?: number;
                    /** @description Number of statements in the accounts. */
                    statements?: number;
                    payment_schedules?: components["schemas"]["AmountsOfManifest"];
                    energy_cheques?: components["schemas"]["AmountsOfManifest"];
                    /** @description Digests of all fields that have values. Omit the member if you cannot compute them. */
                    digests?: components["schemas"]["DigestOfManifest"][];
                };
                businesses?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of contracts. */
                    business_contracts?: number;
                };
                "business-contracts"?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of contracts. */
                    business_contracts?: number;
                };
                notes?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of notes. */
                    notes?: number;
                };
                statements?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of statements. */
                    statements?: number;
                    /** @description Sum of the gross amounts, as a decimal string. A decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    gross_sum?: string;
                };
                transactions?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                    /** @description Number of transactions. */
                    transactions?: number;
                    /** @description Transactions by type. */
                    by_type?: {
                        CHARGE?: components["schemas"]["AmountsOfManifest"];
                        CREDIT?: components["schemas"]["AmountsOfManifest"];
                        PAYMENT?: components["schemas"]["AmountsOfManifest"];
                        REPAYMENT?: components["schemas"]["AmountsOfManifest"];
                        SUPPLY_CHARGE?: components["schemas"]["AmountsOfManifest"];
                    };
                    /** @description Digests of all fields that have values. Omit the member if you cannot compute them. */
                    digests?: components["schemas"]["DigestOfManifest"][];
                };
                "payment-instructions"?: {
                    /** @description Number of records: lines of the files. */
                    records?: number;
                };
            };
        };
        ExcludeFromWaveRequest: {
            /** @description Rules: [required](/docs/codes/required/). */
            accounts?: string[];
            faulty?: boolean;
            reason: string;
        };
        MoveToWaveRequest: {
            accounts: string[];
            reason: string;
        };
        CreateReconciliationRequest: {
            /** @description Rules: [required](/docs/codes/required/), [invalid_choice](/docs/codes/invalid_choice/). */
            import_supplier?: string;
            /** @description Rules: [invalid](/docs/codes/invalid/), [invalid_choice](/docs/codes/invalid_choice/). */
            job_id?: string;
        };
        GraphqlReply: {
            /** @description Stored as sent. */
            data?: unknown;
            errors?: components["schemas"]["GraphqlError"][];
        };
        GraphqlError: {
            message: string;
            locations?: {
                [key: string]: unknown;
            }[];
            path?: unknown[];
            extensions?: {
                errorType: string;
                errorCode: string;
                errorDescription: string;
            };
        };
        ClientCredentials: {
            /** @constant */
            grant_type: "client_credentials";
            /** @description The id of the API key, or its first 12 characters. Omit it if the header Authorization has it. */
            client_id?: string;
            /** @description The API key. Omit it if the header Authorization has it. */
            client_secret?: string;
        };
        OauthToken: {
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /** @description Seconds for which the token is valid. */
            expires_in: number;
        };
        OauthError: {
            /**
             * @description Stable, for machines.
             * @enum {string}
             */
            error: "invalid_request" | "unsupported_grant_type" | "invalid_scope" | "invalid_client" | "temporarily_unavailable" | "server_error" | "";
            /** @description For people. The wording may change. */
            error_description: string;
        };
        OauthMetadata: {
            /** @description An empty text counts as absent. */
            issuer: string;
            /** @description An empty text counts as absent. */
            token_endpoint: string;
            token_endpoint_auth_methods_supported: string[];
            grant_types_supported: string[];
            response_types_supported: string[];
            /** @description An empty text counts as absent. */
            service_documentation: string;
        };
        AwayParts: {
            /** @enum {string} */
            database?: "ok" | "away" | "misconfigured" | "not_writable";
            /** @enum {string} */
            temporal?: "ok" | "away";
            /** @enum {string} */
            numbers?: "ok" | "held_back";
            /** @enum {string} */
            process?: "ok" | "stopping";
            /** @enum {string} */
            clock?: "ok" | "jumped";
        };
        ValidatedAccount: {
            /** @description No control characters and no invisible characters. */
            external_account_number: string;
            /** @description No control characters and no invisible characters. */
            import_supplier: string;
            /** @enum {string} */
            account_type?: "DOMESTIC" | "DOMESTIC_VACANT" | "DOMESTIC_OCCUPIER" | "BUSINESS" | "BUSINESS_VACANT" | "BUSINESS_OCCUPIER" | "PORTFOLIO_LEAD" | "";
            business?: {
                /** @description Known values: EURL; any other value is accepted unless the operators have closed the set. */
                business_type?: string;
                /** @description No control characters and no invisible characters. An empty text counts as absent. */
                siret?: string;
                details?: {
                    /** @description No control characters and no invisible characters. */
                    key: string;
                    value: string;
                }[];
                /** @description No control characters and no invisible characters. An empty text counts as absent. */
                business_contract_identifier?: string;
            };
            unknown_occupier?: boolean;
            billing_address1?: string;
            billing_address2?: string;
            billing_address3?: string;
            billing_address4?: string;
            billing_postcode?: string;
            /** @description Known values: DIRECT, PRICE_COMPARISON, TELESALES, BROKER, MOVE_IN; any other value is accepted unless the operators have closed the set. */
            sales_channel?: string;
            sales_subchannel?: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent.
             */
            last_billed_to_date?: string;
            customers?: components["schemas"]["Customer"][];
            supply_addresses?: components["schemas"]["SupplyAddress"][];
            statements?: {
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                bill_period_from_date: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                bill_period_to_date: string;
                /** @description No control characters and no invisible characters. */
                statement_id: string;
                /** @description A path relative to the document root of the import supplier: no full address, no segment . or .., no backslash, no percent-encoding, no control characters. An empty text counts as absent. */
                statement_path?: string;
            }[];
            supplementary_ledgers?: {
                /** @description No control characters and no invisible characters. */
                ledger_code: string;
                energy_cheques?: {
                    /** @description No control characters and no invisible characters. */
                    number: string;
                    amount: number;
                    /**
                     * Format: date
                     * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent.
                     */
                    protection_from?: string;
                    /**
                     * Format: date
                     * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. 9999-12-31 counts as absent. An empty text counts as absent.
                     */
                    protection_to?: string;
                    /**
                     * Format: date
                     * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. 9999-12-31 counts as absent. An empty text counts as absent.
                     */
                    valid_to?: string;
                    /** @description Known values: PAPERLESS; any other value is accepted unless the operators have closed the set. */
                    source?: string;
                    /** @description Known values: VALID; any other value is accepted unless the operators have closed the set. */
                    status?: string;
                    /** @description No control characters and no invisible characters. An empty text counts as absent. */
                    asp_remittance_ref?: string;
                }[];
            }[];
            notes?: {
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. An empty text counts as absent.
                 */
                created_at?: string;
                body?: string;
                document_paths?: {
                    /** @description A path relative to the document root of the import supplier: no full address, no segment . or .., no backslash, no percent-encoding, no control characters. */
                    document_path: string;
                }[];
            }[];
            account_campaigns?: {
                /** @description No control characters and no invisible characters. */
                slug: string;
                campaign_note?: string;
            }[];
            metadata?: {
                /** @description No control characters and no invisible characters. */
                key: string;
                /** @description Stored as sent. */
                value: {
                    [key: string]: unknown;
                };
            }[];
            account_contracts?: components["schemas"]["BusinessContract"][];
            payment_preferences?: {
                /** @enum {string} */
                type: "ACTIVE_EXISTING" | "ACTIVE_NEW" | "PASSIVE";
                /** @description No control characters and no invisible characters. */
                supply_point_identifier: string;
                instruction_reference_params?: {
                    /** @description No control characters and no invisible characters. */
                    vendor_name: string;
                    /** @description No control characters and no invisible characters. */
                    vendor_reference: string;
                };
            }[];
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        Warning: {
            /** @description For people. Wording may change; do not parse it. */
            detail: string;
            /**
             * @description Stable, for machines; each has a page under /docs/codes/.
             * @enum {string}
             */
            code: "unknown_member" | "unknown_value" | "replacement_character" | "possible_spreadsheet_damage" | "business_contract_not_yet_known" | "payment_preference_unresolved" | "supply_point_on_another_account" | "payment_instruction_on_another_account" | "known_with_other_content" | "other_data_staged" | "transaction_dates_moved" | "billed_date_in_future";
            /** @description Dot-separated path to the input, as in errors. */
            attr: string;
        };
        StagedAccount: {
            import_supplier: string;
            external_account_number: string;
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        AlreadyImported: {
            external_account_number: string;
            service_account_number: string;
        };
        CreatedAccount: {
            /** @description Number of the account on the platform. */
            service_account_number: string;
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        DryRunSucceeded: {
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        NoteResult: {
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            created_at: string;
            body: string | null;
            /** @enum {string} */
            status: "NOTE_CREATION_SUCCESS" | "NOTE_ALREADY_EXISTS";
            /** @description Only for a note that already exists: paths that the stored note does not have. They were not added. */
            document_paths?: {
                document_path: string;
            }[];
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        TransactionResults: {
            results: components["schemas"]["TransactionResult"][];
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        TransactionResult: {
            /** @enum {string} */
            status: "TRANSACTION_ADDED_TO_ACCOUNT" | "TRANSACTION_ALREADY_EXISTS";
            /** @description Stored as sent. */
            transaction_data: {
                [key: string]: unknown;
            };
            differs?: string[];
        };
        TransactionImportError: {
            status?: string;
            error_detail?: string;
            /** @description Stored as sent. */
            transaction_data?: unknown;
        };
        CreatedStatements: {
            /** @description No control characters and no invisible characters. */
            import_supplier: string;
            /** @description No control characters and no invisible characters. */
            external_account_number: string;
            statements: {
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                bill_period_from_date: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                bill_period_to_date: string;
                /** @description No control characters and no invisible characters. */
                statement_id: string;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                issued_date: string;
                /** @description No control characters and no invisible characters. */
                number: string;
                /** @description A JSON number or a decimal as text: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                gross_amount: number | string;
                /** @description A path relative to the document root of the import supplier: no full address, no segment . or .., no backslash, no percent-encoding, no control characters. An empty text counts as absent. */
                statement_path?: string;
            }[];
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        CreatedPaymentInstruction: {
            /** @description Number of the account on the platform. */
            service_account_number: string;
            reference: string;
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        PaymentInstructionNotValid: {
            error_detail: string;
            external_account_number?: string;
            import_supplier?: string;
            reference?: string;
        };
        AccountTransferStatus: {
            /** @enum {string} */
            status: "UNKNOWN" | "PENDING" | "IN_PROGRESS" | "REJECTED" | "COMPLETED";
            /** @description Empty until the account is created. */
            service_account_number: string;
            /** @description Accounts that were created and withdrawn, oldest first. */
            withdrawn_accounts?: components["schemas"]["WithdrawnAccount"][];
        };
        WithdrawnAccount: {
            service_account_number: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            withdrawn_at: string;
            /** @description Name of your key, or `operators`. */
            withdrawn_by: string;
            reason: string;
            withdrawal_id: string;
        };
        AccountImportProcess: {
            external_account_number: string;
            /** @description Null until the account is created. */
            service_account_number: string | null;
            /**
             * Format: date-time
             * @description Null until the account is created. A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            account_created_at: string | null;
        };
        CreatedBusiness: {
            service_business_id: number;
            external_business_identifier: string;
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        ExistingBusiness: {
            external_business_identifier: string;
            service_business_id: number;
        };
        AddedBusinessContracts: {
            business_contracts: {
                identifier: string;
            }[];
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        PopulationBatchId: {
            batch_id: string;
            /** @description Accepted input that you should check. Warnings do not block the request. */
            warnings?: components["schemas"]["Warning"][];
        };
        ListedPopulationBatch: {
            batch_id: string;
            /** @enum {string} */
            status: "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
            /** @description The import suppliers of the batch. */
            import_suppliers: string[];
            counts: {
                /** @description Each identifier once. */
                accepted: {
                    prm_ids: number;
                    pce_ids: number;
                };
                /** @description Looked up. */
                imported: {
                    prm_ids: number;
                    pce_ids: number;
                };
                /** @description Not completed yet. */
                pending: {
                    prm_ids: number;
                    pce_ids: number;
                };
                /** @description Ended with a reason. */
                errored: {
                    prm_ids: number;
                    pce_ids: number;
                };
            };
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            ended_at: string | null;
        };
        PopulationBatch: {
            batch_id: string;
            /** @enum {string} */
            status: "IN_PROGRESS" | "COMPLETED" | "CANCELLED";
            /** @description The import suppliers of the batch. */
            import_suppliers: string[];
            /** @description Domestic, Professional, or a value that operators have allowed. */
            customer_category: string;
            /** @description Whether the customers have authorized the lookups, by the request or by the option of the organization. */
            customer_authorisation: boolean;
            counts: {
                /** @description Each identifier once. */
                accepted: {
                    prm_ids: number;
                    pce_ids: number;
                };
                /** @description Looked up. */
                imported: {
                    prm_ids: number;
                    pce_ids: number;
                };
                /** @description Not completed yet. */
                pending: {
                    prm_ids: number;
                    pce_ids: number;
                };
                /** @description Ended with a reason. */
                errored: {
                    prm_ids: number;
                    pce_ids: number;
                };
            };
            /** @description Identifiers completed per second, recently. */
            rate_per_second: number;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            estimated_end: string | null;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            ended_at: string | null;
            imported_requests: {
                prm_ids: string[];
                pce_ids: string[];
            };
            /** @description Results of imported identifiers, at most 1,000 of each list; `prm_after` and `pce_after` read the next ones. `facts` is null if they were found with an authorization that the batch does not have. */
            imported_results: {
                prms: {
                    id: string;
                    /** @description Stored as sent. */
                    facts: unknown;
                    source: string | null;
                    /**
                     * Format: date-time
                     * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                     */
                    looked_up_at: string;
                }[];
                pces: {
                    id: string;
                    /** @description Stored as sent. */
                    facts: unknown;
                    source: string | null;
                    /**
                     * Format: date-time
                     * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                     */
                    looked_up_at: string;
                }[];
            };
            pending_requests: {
                prm_ids: string[];
                pce_ids: string[];
            };
            /** @description Pending identifiers for which the network operator has failed, with the time of the next attempt. */
            set_aside_requests: {
                prms: {
                    id: string;
                    tries: number;
                    /**
                     * Format: date-time
                     * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                     */
                    next_attempt_at: string;
                }[];
                pces: {
                    id: string;
                    tries: number;
                    /**
                     * Format: date-time
                     * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                     */
                    next_attempt_at: string;
                }[];
            };
            errored_requests: {
                prms: {
                    id: string;
                    errored_reason: string;
                }[];
                pces: {
                    id: string;
                    errored_reason: string;
                }[];
            };
            /** @description True if a list is shorter than its count; `limit` shows more. */
            truncated: boolean;
            warnings: {
                repeated: number;
                in_both_lists: {
                    count: number;
                    identifiers: string[];
                };
            };
        };
        OpenedImportJob: {
            job_id: string;
            /** @enum {string} */
            status: "OPEN";
        };
        ListedImportJob: {
            job_id: string;
            import_supplier: string;
            /** @enum {string} */
            kind: "accounts" | "businesses" | "business-contracts" | "notes" | "transactions" | "statements" | "payment-instructions";
            /** @enum {string} */
            goal: "VALIDATE" | "STAGE" | "REHEARSE" | "CREATE" | "IMPORT";
            name: string | null;
            operations_team_name: string | null;
            /** @enum {string} */
            selection: "uploaded" | "staged" | "wave";
            /** @description The wave of the job, if any. */
            wave_id: string | null;
            options: {
                canary?: number;
                stop_after_failures?: {
                    count?: number;
                    /** @description A JSON number: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    percent?: number;
                };
                window?: {
                    /** @description An hour of the day HH:MM from 00:00 to 23:59. */
                    from: string;
                    /** @description An hour of the day HH:MM from 00:00 to 23:59. */
                    to: string;
                };
                max_per_second?: number;
            };
            /** @enum {string} */
            status: "OPEN" | "VALIDATING" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED" | "EXPIRED";
            /**
             * @description Why the job is paused; null unless its status is PAUSED.
             * @enum {string|null}
             */
            paused_because: "asked" | "canary" | "too_many_failures" | "outside_window" | "supplier_paused" | "staged_accounts_max" | "key_revoked" | "manifest_mismatch" | null | "";
            /** @description Records; `accepted` is 0 until the start. The other three always add up to `accepted`. */
            counts: {
                accepted: number;
                succeeded: number;
                failed: number;
                unprocessed: number;
            };
            /** @description Records that have passed each step of the goal. */
            steps: {
                judged: number;
                staged: number;
                created: number;
            };
            /** @description Records that have a warning. */
            warnings: number;
            /** @description The recent rate. */
            lines_per_second: number;
            /**
             * Format: date-time
             * @description At the current rate; null while the job does not run. A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            estimated_end_at: string | null;
            /** @description The job's run in the operators' web UI. */
            workflow_id: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            ended_at: string | null;
        };
        ImportJob: {
            job_id: string;
            import_supplier: string;
            /** @enum {string} */
            kind: "accounts" | "businesses" | "business-contracts" | "notes" | "transactions" | "statements" | "payment-instructions";
            /** @enum {string} */
            goal: "VALIDATE" | "STAGE" | "REHEARSE" | "CREATE" | "IMPORT";
            name: string | null;
            operations_team_name: string | null;
            /** @enum {string} */
            selection: "uploaded" | "staged" | "wave";
            /** @description The wave of the job, if any. */
            wave_id: string | null;
            options: {
                canary?: number;
                stop_after_failures?: {
                    count?: number;
                    /** @description A JSON number: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    percent?: number;
                };
                window?: {
                    /** @description An hour of the day HH:MM from 00:00 to 23:59. */
                    from: string;
                    /** @description An hour of the day HH:MM from 00:00 to 23:59. */
                    to: string;
                };
                max_per_second?: number;
            };
            /** @enum {string} */
            status: "OPEN" | "VALIDATING" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED" | "EXPIRED";
            /**
             * @description Why the job is paused; null unless its status is PAUSED.
             * @enum {string|null}
             */
            paused_because: "asked" | "canary" | "too_many_failures" | "outside_window" | "supplier_paused" | "staged_accounts_max" | "key_revoked" | "manifest_mismatch" | null | "";
            /** @description Records; `accepted` is 0 until the start. The other three always add up to `accepted`. */
            counts: {
                accepted: number;
                succeeded: number;
                failed: number;
                unprocessed: number;
            };
            /** @description Records that have passed each step of the goal. */
            steps: {
                judged: number;
                staged: number;
                created: number;
            };
            /** @description Records that have a warning. */
            warnings: number;
            /** @description The recent rate. */
            lines_per_second: number;
            /**
             * Format: date-time
             * @description At the current rate; null while the job does not run. A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            estimated_end_at: string | null;
            /** @description The job's run in the operators' web UI. */
            workflow_id: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            ended_at: string | null;
            /** @description The ten causes that block most records; `causes/` lists all. */
            causes: components["schemas"]["Cause"][];
            parts: components["schemas"]["ImportJobPart"][];
            /** @description The manifest, with how the accepted records compare with it. */
            manifest: components["schemas"]["ComparedManifest"] | null;
        };
        Cause: {
            /** @description Code of a field, a refusal, a warning or a line; each has a page. */
            code: string;
            /** @description Path to the input, with `*` for the index in a list; `non_field_errors` if no field is concerned. `*` alone counts causes beyond the limit. */
            place: string;
            /** @description True for a warning, which does not block the record. */
            is_warning: boolean;
            /** @description Records with this cause. */
            records: number;
            /** @description Records with no other error, which are accepted once this one is corrected. */
            alone: number;
            example: {
                /** @description The first line with this cause; null for staged accounts. */
                line: number | null;
                /** @description For staged accounts: the number of an account with this cause. */
                external_account_number?: string;
                /** @description The value at the place, unless it may be personal data. */
                value: string | null;
            };
            /** @description The meaning of the code. */
            detail: string;
            /** @description The action to take. */
            remedy: string;
            /** @description Path of the page that explains the code.  An empty text counts as absent. */
            page: string;
        };
        ImportJobPart: {
            part: number;
            /** @description Number of records in the part. */
            lines: number;
            /** @description Bytes of the content, decompressed. */
            bytes: number;
            /** @description SHA-256 of the decompressed content, in hexadecimal digits. */
            sha256: string;
        };
        ComparedManifest: {
            /** @description SHA-256 of the manifest as canonical JSON: members sorted by name, without white space. */
            sha256: string;
            /**
             * @description `accepted`: an operator accepted exactly these differences.
             * @enum {string}
             */
            state: "counting" | "agrees" | "differs" | "accepted";
            /** @description Each total that differs, once all records are counted. */
            differences: components["schemas"]["TotalDifference"][];
            /**
             * Format: date-time
             * @description When an operator last accepted differences. A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            accepted_at: string | null;
            accepted_reason: string | null;
        };
        TotalDifference: {
            path: string;
            /** @description By the manifest. */
            expected: string;
            /** @description By the accepted records. */
            received: string;
            /** @description Received minus expected; null for digests. */
            difference: string | null;
        };
        ChangedImportJob: {
            job_id: string;
            /** @enum {string} */
            status: "OPEN" | "VALIDATING" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED" | "EXPIRED";
            /**
             * @description Why the job is paused; null unless its status is PAUSED.
             * @enum {string|null}
             */
            paused_because: "asked" | "canary" | "too_many_failures" | "outside_window" | "supplier_paused" | "staged_accounts_max" | "key_revoked" | "manifest_mismatch" | null | "";
        };
        ImportJobLine: components["schemas"]["ImportJobResult"] | components["schemas"]["LineToSendAgain"];
        ImportJobResult: {
            /** @description Number of the line, counted from 1 over all parts, blank lines included. */
            line: number;
            /** @description The external number of the account, or the external identifier of the business, if the line can be read. */
            key: string | null;
            /** @enum {string} */
            outcome: "succeeded" | "failed" | "unprocessed" | "";
            /** @description If the line succeeded: the service account number, the business id or the reference. */
            number?: string | null;
            /** @description If the line failed: its errors, at most 50. */
            errors?: components["schemas"]["LineFault"][];
            /** @description Errors beyond the 50 in `errors`. */
            errors_omitted?: number;
            /** @description At most 50; omitted if there are none. */
            warnings?: components["schemas"]["LineFault"][];
            /** @description Warnings beyond the 50 in `warnings`. */
            warnings_omitted?: number;
            /** @description If the line did not succeed: the line as it was sent, as text if it is not JSON. Omitted once uploads are deleted, and for a line that was too long. */
            record?: unknown;
            /** @description The original bytes of a line that is not valid UTF-8, in base64. */
            record_base64?: string;
        };
        LineFault: {
            /** @description The fault and its correction, as text. */
            detail: string;
            /** @description Code of a field, a refusal or a line. */
            code: string;
            /** @description Path to the input within the line. */
            attr: string;
        };
        LineToSendAgain: {
            /** @description Number of the line. */
            _line: number;
            _errors?: components["schemas"]["LineFault"][];
            _warnings?: components["schemas"]["LineFault"][];
            /** @description The text of a line that is not a JSON object. */
            _record?: string;
            /** @description The original bytes of a line that is not UTF-8. */
            _record_base64?: string;
            /** @description The key, if the line itself was deleted or never uploaded. */
            _key?: string;
        } & {
            [key: string]: unknown;
        };
        WithdrawalPreview: {
            /** @description Accounts without an obstacle. */
            can_be_withdrawn: number;
            /** @description Accounts with an obstacle. */
            kept: number;
            /** @description An account with several obstacles counts for each of them. */
            obstacles: components["schemas"]["WithdrawalObstacle"][];
            businesses: components["schemas"]["PreviewedBusinesses"];
        };
        WithdrawalObstacle: {
            /** @enum {string} */
            code: "switch_requested" | "payment_instruction_verified" | "payment_verification_open" | "notes_added" | "transactions_added" | "statements_added" | "staged_data_deleted";
            accounts: number;
            /** @description External numbers of the first accounts, at most 20. */
            examples: string[];
            reason: string;
            what_to_do: string;
        };
        /** @description The businesses whose contracts the withdrawn accounts have. */
        PreviewedBusinesses: {
            /** @description Those that no other account, created or staged, uses. They are kept without `withdraw_businesses`. */
            can_be_withdrawn: number;
            kept: number;
        };
        StartedWithdrawal: {
            withdrawal_id: string;
            /** @enum {string} */
            status: "RUNNING" | "COMPLETED" | "CANCELLED";
        };
        Withdrawal: {
            withdrawal_id: string;
            import_supplier: string;
            /** @description Null unless one account is withdrawn. */
            external_account_number: string | null;
            /** @description Null unless a job is withdrawn. */
            job_id: string | null;
            /** @description Null unless a wave is withdrawn. */
            wave_id: string | null;
            /** @enum {string} */
            status: "RUNNING" | "COMPLETED" | "CANCELLED";
            /** @description Name of the key or person; for suppliers `operators` instead of the name of an operator. */
            requested_by: string;
            reason: string;
            /** @description Accounts that are staged again. */
            withdrawn: number;
            /** @description Accounts with an obstacle, which have not changed. */
            kept: number;
            /** @description An account with several obstacles counts for each of them. */
            obstacles: components["schemas"]["WithdrawalObstacle"][];
            /** @description Whether businesses that no other account uses are deleted. */
            withdraw_businesses: boolean;
            /** @description The businesses whose contracts the withdrawn accounts had, after the last account. */
            businesses: components["schemas"]["WithdrawalBusinesses"][];
            /** @description The receipt: the number of deleted rows by table. */
            deleted_rows: components["schemas"]["DeletedRows"][];
            workflow_id: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Null while it is running. A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            ended_at: string | null;
        };
        WithdrawalBusinesses: {
            /** @enum {string} */
            outcome: "withdrawn" | "not_requested" | "in_use";
            businesses: number;
            /** @description Identifiers of the first businesses, at most 20. */
            examples: string[];
            description: string;
        };
        DeletedRows: {
            table: string;
            rows: number;
        };
        KeptAccount: {
            external_account_number: string;
            obstacles: ("switch_requested" | "payment_instruction_verified" | "payment_verification_open" | "notes_added" | "transactions_added" | "statements_added" | "staged_data_deleted")[];
        };
        BusinessOfWithdrawal: {
            external_business_identifier: string;
            service_business_id: number;
            outcome: ("withdrawn" | "not_requested" | "in_use") | null;
        };
        OpenedWave: {
            wave_id: string;
            /** @enum {string} */
            status: "PREPARING";
        };
        ListedWave: {
            wave_id: string;
            import_supplier: string;
            name: string;
            operations_team_name: string;
            plan: {
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                 */
                create_from: string | null;
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                 */
                create_until: string | null;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                supply_start_from: string | null;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                supply_start_to: string | null;
                /** @description The accounts that the supplier delivers, if it said so. */
                expected_accounts: number | null;
            };
            options: {
                canary?: number;
                stop_after_failures?: {
                    count?: number;
                    /** @description A JSON number: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    percent?: number;
                };
                max_per_second?: number;
                hold_switches_hours?: number;
                requires_approval?: boolean;
            };
            /** @enum {string} */
            status: "PREPARING" | "SCHEDULED" | "CREATING" | "PAUSED" | "CREATED" | "WITHDRAWING" | "WITHDRAWN" | "SIGNED_OFF" | "CANCELLED";
            /**
             * @description Why the wave is paused; null unless its status is PAUSED.
             * @enum {string|null}
             */
            paused_because: "asked" | "past_create_until" | null | "";
            /** @description The last rehearsal. */
            rehearsal_job_id: string | null;
            /** @description The last creation, once it has begun. */
            creation_job_id: string | null;
            counts: components["schemas"]["WaveCounts"];
            supply_starts: components["schemas"]["EarlySupplyStarts"];
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            counted_at: string;
            /**
             * @description The first gate that is not passed; null if all are.
             * @enum {string|null}
             */
            gate: "complete" | "valid" | "rehearsed" | "approved" | "created" | "attached" | "reconciled" | "switched" | "signed_off" | null | "";
            /** @description The recent rate of creation. */
            accounts_per_second: number;
            /**
             * Format: date-time
             * @description Of the creation at this rate; null while nothing is created. A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            estimated_end_at: string | null;
            /** @description The wave's run in the operators' web UI. */
            workflow_id: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            ended_at: string | null;
        };
        WaveCounts: {
            /** @description Members of the wave. */
            accounts: number;
            /** @description Accounts and lines that the wave leaves out, with a reason. */
            excluded: number;
            /** @description Members that can be created. */
            pending: number;
            created: number;
            /** @description Members that creation rejected, until they are staged again. */
            rejected: number;
            /** @description Members that operators marked to be skipped. */
            skipped: number;
            quarantined: number;
            /** @description Lines of attachments that failed, without those corrected or excluded. */
            failed_attachments: number;
            /** @description Lines of uploads that failed, without those corrected or excluded. */
            invalid_lines: number;
            /** @description Pending members without a rehearsal of their present revision. */
            not_rehearsed: number;
            /** @description Those of them that the last rehearsal rejected in their present revision. */
            failed_rehearsal: number;
            /** @description Pending members without an approval of their present revision. */
            not_approved: number;
            /** @description Created accounts by the status of their switch. */
            switches: {
                pending: number;
                in_progress: number;
                rejected: number;
                completed: number;
            };
        };
        EarlySupplyStarts: {
            /**
             * Format: date
             * @description The day on which the first switches of the wave can be requested: after its creation and `hold_switches_hours`. A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
             */
            requests_from: string | null;
            /** @description Rehearsed accounts whose supply starts before that day. */
            before_requests: number;
            /** @description Further ones whose switch cannot be requested as many days before as the industry needs. */
            within_lead_time: number;
            /**
             * Format: date
             * @description The earliest supply start of these accounts. A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
             */
            earliest: string | null;
            /** @description The first three of these accounts, by external number. */
            examples: string[];
            /** @description The list of these accounts, below the address of the API. */
            link: string | null;
        };
        Wave: {
            wave_id: string;
            import_supplier: string;
            name: string;
            operations_team_name: string;
            plan: {
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                 */
                create_from: string | null;
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                 */
                create_until: string | null;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                supply_start_from: string | null;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                supply_start_to: string | null;
                /** @description The accounts that the supplier delivers, if it said so. */
                expected_accounts: number | null;
            };
            options: {
                canary?: number;
                stop_after_failures?: {
                    count?: number;
                    /** @description A JSON number: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    percent?: number;
                };
                max_per_second?: number;
                hold_switches_hours?: number;
                requires_approval?: boolean;
            };
            /** @enum {string} */
            status: "PREPARING" | "SCHEDULED" | "CREATING" | "PAUSED" | "CREATED" | "WITHDRAWING" | "WITHDRAWN" | "SIGNED_OFF" | "CANCELLED";
            /**
             * @description Why the wave is paused; null unless its status is PAUSED.
             * @enum {string|null}
             */
            paused_because: "asked" | "past_create_until" | null | "";
            /** @description The last rehearsal. */
            rehearsal_job_id: string | null;
            /** @description The last creation, once it has begun. */
            creation_job_id: string | null;
            counts: components["schemas"]["WaveCounts"];
            supply_starts: components["schemas"]["EarlySupplyStarts"];
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            counted_at: string;
            /**
             * @description The first gate that is not passed; null if all are.
             * @enum {string|null}
             */
            gate: "complete" | "valid" | "rehearsed" | "approved" | "created" | "attached" | "reconciled" | "switched" | "signed_off" | null | "";
            /** @description The recent rate of creation. */
            accounts_per_second: number;
            /**
             * Format: date-time
             * @description Of the creation at this rate; null while nothing is created. A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            estimated_end_at: string | null;
            /** @description The wave's run in the operators' web UI. */
            workflow_id: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            ended_at: string | null;
            gates: components["schemas"]["GateOfWave"][];
            /** @description What blocks accounts of the wave, most frequent first; at most ten. */
            causes: components["schemas"]["WaveCause"][];
            /** @description The newest 100 jobs of the wave. */
            jobs: components["schemas"]["WaveJob"][];
            /** @description The newest request for approval. */
            approval: components["schemas"]["WaveApproval"] | null;
            /** @description The manifest, with how the accepted records compare with it. */
            manifest: components["schemas"]["ComparedManifest"] | null;
        };
        GateOfWave: {
            /** @enum {string} */
            name: "complete" | "valid" | "rehearsed" | "approved" | "created" | "attached" | "reconciled" | "switched" | "signed_off";
            /** @enum {string} */
            state: "passed" | "open" | "blocked" | "not_required";
            /** @description What the state follows from. */
            evidence: string;
            /** @description Where to see it, below the address of the API. */
            link: string | null;
        };
        WaveCause: {
            code: string;
            records: number;
        };
        WaveJob: {
            job_id: string;
            kind: string;
            goal: string;
            name: string | null;
            /** @description `wave` for rehearsals and creations of the wave. */
            selection: string;
            status: string;
            /** @description Why the job is paused; null unless its status is PAUSED. */
            paused_because: string | null;
            accepted: number;
            succeeded: number;
            failed: number;
        };
        WaveApproval: {
            purpose: string;
            requested_by: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            requested_at: string;
            reason: string;
            members: number;
            plan: {
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                 */
                create_from: string | null;
                /**
                 * Format: date-time
                 * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
                 */
                create_until: string | null;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                supply_start_from: string | null;
                /**
                 * Format: date
                 * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31.
                 */
                supply_start_to: string | null;
                /** @description The accounts that the supplier delivers, if it said so. */
                expected_accounts: number | null;
            };
            options: {
                canary?: number;
                stop_after_failures?: {
                    count?: number;
                    /** @description A JSON number: at most 40 characters, 15 significant digits and 12 decimal places, no exponent. */
                    percent?: number;
                };
                max_per_second?: number;
                hold_switches_hours?: number;
                requires_approval?: boolean;
            };
            /** @description Whether the plan or the options changed since the request. */
            plan_changed: boolean;
            decided_by: string | null;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            decided_at: string | null;
            decision: string | null;
            decision_reason: string | null;
            /** @description Members staged, added or removed since the request. */
            changed: number | null;
            /** @description The first 100 of them, by external number. */
            changed_accounts: string[];
        };
        AddedMembers: {
            added: number;
            already_members: number;
            rejected: number;
            /** @description The first 1,000 of them. */
            rejected_lines: components["schemas"]["RejectedMember"][];
        };
        RejectedMember: {
            line: number;
            external_account_number: string | null;
            code: string;
            detail: string;
        };
        ChangedPlan: {
            wave_id: string;
            /** @enum {string} */
            status: "PREPARING" | "SCHEDULED" | "CREATING" | "PAUSED" | "CREATED" | "WITHDRAWING" | "WITHDRAWN" | "SIGNED_OFF" | "CANCELLED";
            /**
             * @description Why the wave is paused; null unless its status is PAUSED.
             * @enum {string|null}
             */
            paused_because: "asked" | "past_create_until" | null | "";
            /** @description The members that differ from before. */
            changed: string[];
            /** @description Whether the creation has to be approved again. */
            approval_ended: boolean;
        };
        StoredManifest: {
            wave_id: string;
            sha256: string;
        };
        ExcludedFromWave: {
            excluded: number;
        };
        MovedToWave: {
            moved: number;
            /** @description Ids of their former waves. */
            from: string[];
        };
        ChangedWave: {
            wave_id: string;
            /** @enum {string} */
            status: "PREPARING" | "SCHEDULED" | "CREATING" | "PAUSED" | "CREATED" | "WITHDRAWING" | "WITHDRAWN" | "SIGNED_OFF" | "CANCELLED";
            /**
             * @description Why the wave is paused; null unless its status is PAUSED.
             * @enum {string|null}
             */
            paused_because: "asked" | "past_create_until" | null | "";
        };
        WaveNumber: {
            external_account_number: string;
            service_account_number: string;
        };
        EarlySupplyStart: {
            external_account_number: string;
            /**
             * Format: date
             * @description A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent.
             */
            supply_start_date: string;
            /**
             * Format: date
             * @description The day on which its switch would have to be requested. A real day YYYY-MM-DD from 1900-01-01 to 2199-12-31. An empty text counts as absent.
             */
            request_switch_on: string;
        };
        StartedReconciliation: {
            reconciliation_id: string;
            /** @enum {string} */
            status: "RUNNING";
        };
        Reconciliation: {
            reconciliation_id: string;
            import_supplier: string;
            job_id: string | null;
            /** @enum {string} */
            status: "RUNNING" | "COMPLETED" | "CANCELLED";
            counts: {
                accounts: number;
                /** @description Accounts that cannot be compared, because their accepted data is no longer kept. */
                without_copy: number;
                /** @description Accounts that were compared by hashes of the accepted data. */
                by_hashes: number;
                /** @description Accounts of the job that were withdrawn. They are not compared. */
                withdrawn: number;
                businesses: number;
                /** @description Accounts and businesses that differ without a reason. */
                different: number;
                /** @description Compared values. */
                values: number;
                /** @description Differences without a reason, by kind. */
                differences: {
                    changed: number;
                    missing: number;
                    extra: number;
                };
                /** @description Differences with a reason. */
                reasons: {
                    note_added?: number;
                    statement_added?: number;
                    payment_instruction_verified?: number;
                    payment_instruction_replaced?: number;
                    note_pin_changed?: number;
                    transaction_moved?: number;
                };
                /** @description Records of outside parties, by our records and their messages. */
                parties: {
                    payment_instructions_in_force: number;
                    payment_instructions_unlike_verification: number;
                    supply_points: number;
                    switches_asked: number;
                    switches_asked_too_often: number;
                    switches_unanswered: number;
                    switches_accepted_too_often: number;
                    switches_told_without_request: number;
                };
                /** @description At most 100,000; further differences are only counted. */
                differences_listed: number;
            };
            payment_vendors: components["schemas"]["AskedVendor"][];
            /** @description Created accounts to compare; null after the end. */
            accounts_in_all: number | null;
            /**
             * Format: date-time
             * @description At the pace so far, including queries to payment vendors; null before the first comparison and after the end. A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            estimated_end_at: string | null;
            sums: {
                name: string;
                accepted: string;
                stored: string;
            }[];
            /** @description The workflow id in the operators' web UI. */
            workflow_id: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the comparison ended. Queries to payment vendors may continue. A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            compared_at: string | null;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            ended_at: string | null;
        };
        AskedVendor: {
            /** @description OTHER: unknown vendors. */
            vendor: string;
            /** @description Instructions in force here, of compared accounts. While the reconciliation runs, some of them are pending. */
            in_force: number;
            asked: number;
            /** @description The vendor confirms them. */
            usable: number;
            /** @description Listed as differences of the subject payment_instruction. */
            different: number;
            not_asked: {
                /** @enum {string} */
                reason: "unknown_vendor" | "not_verified" | "no_address" | "unreachable" | "limit_reached";
                instructions: number;
            }[];
        };
        Difference: {
            number: number;
            /** @enum {string} */
            subject: "account" | "business" | "payment_instruction";
            /** @description External number of the account, or external identifier of the business. */
            key: string;
            /** @description As in the payload; empty for the whole account. */
            path: string;
            /** @enum {string} */
            kind: "changed" | "missing" | "extra";
            table: string;
            /** @description Null if a whole row is missing or extra. */
            column: string | null;
            /**
             * @description Set if the cause is known.
             * @enum {string|null}
             */
            reason: "note_added" | "statement_added" | "payment_instruction_verified" | "payment_instruction_replaced" | "note_pin_changed" | "transaction_moved" | null | "";
            /** @description The response of the payment vendor about an instruction in force here: a code, or its status. */
            vendor_answer: string | null;
        };
        AccountBalance: {
            external_account_number: string;
            /** @description Payments and credits minus charges and repayments; a positive balance is the customer's credit. */
            balance: string;
        };
        AccountDigest: {
            external_account_number: string;
            /** @description The sum of the hashes of all fields and transactions. Null if no copy of the accepted payload is kept. */
            digest: string | null;
        };
        SignedCertificate: {
            certificate: components["schemas"]["Certificate"];
            /** @description Null if the service has no signing key. */
            jws: string | null;
        };
        Certificate: {
            /** @description gangway-reconciliation/1. */
            type: string;
            reconciliation_id: string;
            import_supplier: string;
            job_id: string | null;
            gangway_version: string | null;
            /** @description Version of the notation from which digests are computed. */
            canonicalization: number;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            checked_from: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            checked_until: string | null;
            /** @description There is no difference without a reason, and no queried payment vendor contradicts it. */
            is_equal: boolean;
            accounts: number;
            /** @description Accounts that cannot be compared: accepted data is kept for a limited time. */
            accounts_without_copy: number;
            /** @description Accounts that were compared by hashes, because no copy of the accepted data is kept. They are in no sum and in no hash of a field. */
            accounts_by_hashes: number;
            /** @description Accounts of the job that were withdrawn. They are not compared. */
            accounts_withdrawn: number;
            businesses: number;
            different: number;
            values_compared: number;
            /** @description Differences without a reason, by kind. */
            differences: {
                changed: number;
                missing: number;
                extra: number;
            };
            /** @description Differences with a reason. */
            differences_with_reason: {
                note_added?: number;
                statement_added?: number;
                payment_instruction_verified?: number;
                payment_instruction_replaced?: number;
                note_pin_changed?: number;
                transaction_moved?: number;
            };
            /** @description Records of outside parties, by our records and their messages. */
            parties: {
                payment_instructions_in_force: number;
                payment_instructions_unlike_verification: number;
                supply_points: number;
                switches_asked: number;
                switches_asked_too_often: number;
                switches_unanswered: number;
                switches_accepted_too_often: number;
                switches_told_without_request: number;
            };
            payment_vendors: components["schemas"]["AskedVendor"][];
            /** @description Outside parties that were not contacted, with the reason. */
            parties_not_asked: {
                party: string;
                reason: string;
            }[];
            /** @description Sums of money. */
            sums: {
                name: string;
                accepted: string;
                stored: string;
            }[];
            /** @description The total of the opening balances by transactions, and the sum of the SHA-256 of each balance. A positive balance is the customer's credit. */
            balances: {
                accounts: number;
                accepted: string;
                stored: string;
                digest: {
                    accepted: string;
                    stored: string;
                };
            };
            /** @description The manifests of the source, compared with the accepted records. */
            manifests: components["schemas"]["CitedManifest"][];
            /** @description For each field, the sum of the hashes of its values. */
            fields: {
                name: string;
                accepted: string;
                stored: string;
            }[];
            not_compared: {
                table: string;
                columns: {
                    column: string;
                    reason: string;
                }[];
            }[];
            /** @description Accepted data that cannot be compared, because no copy of it is kept. */
            kept_without_copy: {
                kind: string;
                reason: string;
            }[];
        };
        CitedManifest: {
            /** @description The job that it describes. */
            job_id: string | null;
            /** @description The wave that it describes. */
            wave_id: string | null;
            sha256: string;
            /** @description All totals of the accepted records are those of the manifest. */
            agrees: boolean;
            differences: components["schemas"]["CitedDifference"][];
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199.
             */
            accepted_at: string | null;
            /** @description Why an operator accepted differences. */
            accepted_reason: string | null;
        };
        CitedDifference: {
            path: string;
            /** @description By the manifest. */
            expected: string;
            /** @description By the accepted records. */
            received: string;
            /** @description Received minus expected; null for digests. */
            difference: string | null;
            is_accepted: boolean;
        };
        AccountValues: {
            external_account_number: string;
            values: {
                path: string;
                sha256: string;
            }[];
        };
        CertificateKeys: {
            keys: {
                kty: string;
                crv: string;
                x: string;
                kid: string;
                alg: string;
                use: string;
            }[];
        };
        /** @description An event in the format of CloudEvents 1.0. */
        Event: {
            /** @constant */
            specversion: "1.0";
            /** @description The same in every delivery of the event.  An empty text counts as absent. */
            id: string;
            /** @description The import supplier, as a relative URL. */
            source: string;
            /**
             * @description The type. New types may be added.
             * @enum {string}
             */
            type: "import.account.created.v1" | "import.account.refused.v1" | "import.account.quarantined.v1" | "import.account.withdrawn.v1" | "import.business.created.v1" | "import.business.contracts_added.v1" | "import.business.withdrawn.v1" | "switch.pending.v1" | "switch.in_progress.v1" | "switch.rejected.v1" | "switch.completed.v1" | "payment_instruction.verified.v1" | "payment_instruction.rejected.v1" | "payment_instruction.unreachable.v1" | "job.validating.v1" | "job.running.v1" | "job.paused.v1" | "job.completed.v1" | "job.cancelled.v1" | "job.expired.v1" | "import.wave.preparing.v1" | "import.wave.scheduled.v1" | "import.wave.creating.v1" | "import.wave.paused.v1" | "import.wave.created.v1" | "import.wave.withdrawing.v1" | "import.wave.withdrawn.v1" | "import.wave.signed_off.v1" | "import.wave.cancelled.v1" | "batch.completed.v1" | "batch.cancelled.v1" | "audit.anchored.v1" | "";
            /** @description The subject of the event. Events of one subject are in order. */
            subject: string;
            /**
             * Format: date-time
             * @description A timestamp YYYY-MM-DDTHH:MM:SS with Z or an offset such as +01:00, at most 14:59; years 1900 to 2199. An empty text counts as absent.
             */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @description Send it as `after` to list later events. */
            cursor: string;
            /** @description Only keys. Query the API for the current data. */
            data: {
                import_supplier: string;
                /** @description Of an account. */
                external_account_number?: string;
                /** @description Number of a created account. */
                service_account_number?: string;
                /** @description Of a business. */
                external_business_identifier?: string;
                /** @description Of a withdrawn business. */
                service_business_id?: number;
                /** @description Why an account or a payment instruction was rejected. */
                code?: string;
                /** @description Of a payment instruction. */
                vendor?: string;
                /** @description Of a payment instruction. */
                type?: string;
                /** @description Of the withdrawal of an account or a business. */
                withdrawal_id?: string;
                /** @description Of an import job. */
                job_id?: string;
                /** @description Of an import job that is paused. */
                paused_because?: string;
                /** @description Of a batch of supply points. */
                batch_id?: string;
            };
        };
    };
    responses: {
        /** @description Rejected. */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
         * @example 0199f0de-7c1a-7000-8000-000000000001
         */
        "Idempotency-Key": string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    obtainToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 100000 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ObtainTokenRequest"];
            };
        };
        responses: {
            /** @description The GraphQL response: `data`, or `errors` with the reason in `extensions`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "obtainToken": {
                     *           "token": "gwa_example",
                     *           "refreshToken": "gwr_example",
                     *           "refreshExpiresIn": 1794000000,
                     *           "payload": {
                     *             "sub": "0198c0de-0000-7000-8000-000000000002",
                     *             "role": "supplier"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["GraphqlReply"];
                    /**
                     * @example {
                     *       "data": {
                     *         "obtainToken": {
                     *           "token": "gwa_example",
                     *           "refreshToken": "gwr_example",
                     *           "refreshExpiresIn": 1794000000,
                     *           "payload": {
                     *             "sub": "0198c0de-0000-7000-8000-000000000002",
                     *             "role": "supplier"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/graphql-response+json": components["schemas"]["GraphqlReply"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    obtainOauthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grant_type": "client_credentials",
                 *       "client_id": "gwk_S0Zx1mVq",
                 *       "client_secret": "gwk_example"
                 *     }
                 */
                "application/x-www-form-urlencoded": components["schemas"]["ClientCredentials"];
            };
        };
        responses: {
            /** @description The token. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "gwa_example",
                     *       "token_type": "Bearer",
                     *       "expires_in": 3600
                     *     }
                     */
                    "application/json": components["schemas"]["OauthToken"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findOauthMetadata: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "issuer": "https://gangway.example",
                     *       "token_endpoint": "https://gangway.example/oauth/token",
                     *       "token_endpoint_auth_methods_supported": [
                     *         "client_secret_basic",
                     *         "client_secret_post"
                     *       ],
                     *       "grant_types_supported": [
                     *         "client_credentials"
                     *       ],
                     *       "response_types_supported": [],
                     *       "service_documentation": "https://gangway.example/docs/"
                     *     }
                     */
                    "application/json": components["schemas"]["OauthMetadata"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    isLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    isReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "database": "ok",
                     *       "temporal": "ok",
                     *       "numbers": "ok",
                     *       "process": "ok",
                     *       "clock": "ok"
                     *     }
                     */
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                        /** @enum {string} */
                        database: "ok" | "away" | "misconfigured" | "not_writable";
                        /** @enum {string} */
                        temporal: "ok" | "away";
                        /** @enum {string} */
                        numbers: "ok" | "held_back";
                        /** @enum {string} */
                        process: "ok" | "stopping";
                        /** @enum {string} */
                        clock: "ok" | "jumped";
                    };
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    validateAccount: {
        parameters: {
            query?: {
                /**
                 * @description Whether the response contains `warnings` beside the validated data, if there are any: dropped members, and data that needs attention. `true`, `false`, `1` or `0`, in any case of letters.
                 * @example true
                 */
                warnings?: string;
            };
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Account"];
            };
        };
        responses: {
            /** @description The account is valid. The response is the validated data. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "external_account_number": "HOME-00004711",
                     *       "import_supplier": "SUPPLIER_FR",
                     *       "billing_address1": "8 quai des Brumes",
                     *       "billing_address2": "",
                     *       "billing_address3": "Nantes",
                     *       "billing_postcode": "44000",
                     *       "sales_channel": "DIRECT",
                     *       "last_billed_to_date": "2026-08-31",
                     *       "customers": [
                     *         {
                     *           "title": "Mme",
                     *           "given_name": "Aline",
                     *           "family_name": "Exemple",
                     *           "email": "aline.exemple@example.org",
                     *           "mobile": "06 12 34 56 78",
                     *           "landline": "",
                     *           "date_of_birth": "1987-04-19",
                     *           "customer_preferences": {
                     *             "opted_into_updates": true,
                     *             "opted_into_sms": false,
                     *             "opted_into_offers": false,
                     *             "opted_into_recommended": true
                     *           }
                     *         }
                     *       ],
                     *       "supply_addresses": [
                     *         {
                     *           "supply_address1": "8 quai des Brumes",
                     *           "supply_postcode": "44000",
                     *           "customer_at_supply_address_from_date": "2021-05-01",
                     *           "supply_points": [
                     *             {
                     *               "identifier": "25014987360042",
                     *               "supply_type": "ELECTRICITY",
                     *               "supply_start_date": "2026-12-15",
                     *               "billing_frequency": 1,
                     *               "agreements": [
                     *                 {
                     *                   "tariff_code": "ELEC-BASE-2026",
                     *                   "agreed_at": "2026-10-30T16:04:11+01:00",
                     *                   "effective_from": "2026-12-15",
                     *                   "addons": [
                     *                     {
                     *                       "band": "GREEN"
                     *                     }
                     *                   ]
                     *                 }
                     *               ],
                     *               "payment_schedules": [
                     *                 {
                     *                   "means": "DD",
                     *                   "frequency": "MONTHLY",
                     *                   "start_date": "2026-12-15",
                     *                   "day_of_month": 15,
                     *                   "amount": 61.4
                     *                 }
                     *               ],
                     *               "payment_instructions": [
                     *                 {
                     *                   "vendor": "GOCARDLESS",
                     *                   "reference": "MD0001",
                     *                   "type": "DIRECT_DEBIT",
                     *                   "valid_from": "2026-12-15"
                     *                 }
                     *               ],
                     *               "consent_data": {
                     *                 "ELEC_CURVES": true,
                     *                 "ELEC_INDEXES": true
                     *               }
                     *             },
                     *             {
                     *               "identifier": "03628810476215",
                     *               "supply_type": "GAS",
                     *               "supply_start_date": "2026-12-15",
                     *               "consent_data": {
                     *                 "GAS_INDEXES": false
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "statements": [
                     *         {
                     *           "bill_period_from_date": "2026-08-01",
                     *           "bill_period_to_date": "2026-08-31",
                     *           "statement_id": "BILL-2026-08",
                     *           "statement_path": "statements/2026/08/bill.pdf"
                     *         }
                     *       ],
                     *       "notes": [
                     *         {
                     *           "created_at": "2026-07-14T09:30:00Z",
                     *           "body": "Moved to online statements."
                     *         }
                     *       ],
                     *       "metadata": [
                     *         {
                     *           "key": "source-system",
                     *           "value": {
                     *             "id": 77120431,
                     *             "tags": [
                     *               "paperless"
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "payment_preferences": [
                     *         {
                     *           "type": "ACTIVE_NEW",
                     *           "supply_point_identifier": "25014987360042",
                     *           "instruction_reference_params": {
                     *             "vendor_name": "GOCARDLESS",
                     *             "vendor_reference": "MD0001"
                     *           }
                     *         },
                     *         {
                     *           "type": "PASSIVE",
                     *           "supply_point_identifier": "03628810476215"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ValidatedAccount"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    stageAccount: {
        parameters: {
            query?: {
                /**
                 * @description The wave that the account joins.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave_id?: string;
            };
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Account"];
            };
        };
        responses: {
            /** @description The staged data is replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "import_supplier": "SUPPLIER_FR",
                     *       "external_account_number": "HOME-00004711"
                     *     }
                     */
                    "application/json": components["schemas"]["StagedAccount"];
                };
            };
            /** @description The account is staged for the first time. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "import_supplier": "SUPPLIER_FR",
                     *       "external_account_number": "HOME-00004711"
                     *     }
                     */
                    "application/json": components["schemas"]["StagedAccount"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAccountRequest"];
            };
        };
        responses: {
            /** @description The account is created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "service_account_number": "A-7KQ2M9XDT"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedAccount"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createNotes: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateNotesRequest"];
            };
        };
        responses: {
            /** @description The result of each note. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "created_at": "2026-07-14T09:30:00Z",
                     *         "body": "Asked for a new meter.",
                     *         "status": "NOTE_CREATION_SUCCESS"
                     *       },
                     *       {
                     *         "created_at": "2026-11-02T20:01:00Z",
                     *         "body": null,
                     *         "status": "NOTE_ALREADY_EXISTS"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["NoteResult"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createTransactions: {
        parameters: {
            query?: {
                /**
                 * @description Whether a transaction whose id the account already has counts as the same one and is skipped. `true`, `false`, `1` or `0`, in any case of letters.
                 * @example true
                 */
                check_previously_added?: string;
                /**
                 * @description Whether a date outside the open statement period is changed to the nearest one inside; a pinned note lists them. `false` rejects the request. `true`, `false`, `1` or `0`, in any case of letters.
                 * @example true
                 */
                force_add_to_current_statement?: string;
            };
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTransactionsRequest"];
            };
        };
        responses: {
            /** @description The result of each transaction. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "status": "TRANSACTION_ADDED_TO_ACCOUNT",
                     *           "transaction_data": {
                     *             "transaction_id": "PAY-81",
                     *             "transaction_date": "2026-10-05",
                     *             "amount": "62.00",
                     *             "type": "PAYMENT",
                     *             "reason": "ACCOUNT_CHARGE_PAYMENT",
                     *             "payment_type": "DD_REGULAR_COLLECTION",
                     *             "reference": "RUM-81",
                     *             "status": "TRANSACTION_IMPORT_SUCCESS"
                     *           }
                     *         },
                     *         {
                     *           "status": "TRANSACTION_ALREADY_EXISTS",
                     *           "transaction_data": {
                     *             "transaction_id": "SUP-9",
                     *             "transaction_date": "2026-09-30",
                     *             "amount": "38.72",
                     *             "type": "SUPPLY_CHARGE",
                     *             "product_code": "ELEC-BASE-2026",
                     *             "display_note": "September",
                     *             "line_items": [
                     *               {
                     *                 "start_date": "2026-09-01",
                     *                 "end_date": "2026-09-30",
                     *                 "number_of_units": 128,
                     *                 "net_amount": 32,
                     *                 "price_per_unit": 0.25,
                     *                 "rate_band": "CONSUMPTION_STANDARD",
                     *                 "units": [
                     *                   4100,
                     *                   4228
                     *                 ]
                     *               }
                     *             ],
                     *             "tax_items": [
                     *               {
                     *                 "amount": 6.72,
                     *                 "tax_type": "VAT",
                     *                 "value_taxed": 32,
                     *                 "rate": 0.21,
                     *                 "unit_type": "PROPORTION"
                     *               }
                     *             ]
                     *           },
                     *           "differs": [
                     *             "display_note"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["TransactionResults"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createHistoricalStatements: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateHistoricalStatementsRequest"];
            };
        };
        responses: {
            /** @description The statements are added: the validated data. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "import_supplier": "SUPPLIER_FR",
                     *       "external_account_number": "HOME-00004711",
                     *       "statements": [
                     *         {
                     *           "bill_period_from_date": "2026-09-01",
                     *           "bill_period_to_date": "2026-09-30",
                     *           "statement_id": "BILL-2026-09",
                     *           "issued_date": "2026-10-03",
                     *           "number": "2026-09-4711",
                     *           "gross_amount": 84.5,
                     *           "statement_path": "statements/2026/09/bill.pdf"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedStatements"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createPaymentInstruction: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePaymentInstructionRequest"];
            };
        };
        responses: {
            /** @description The vendor accepts the instruction, and it is in force. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "service_account_number": "A-7KQ2M9XDT",
                     *       "reference": "MD000123"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedPaymentInstruction"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findAccountTransferStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Code of the import supplier.
                 * @example SUPPLIER_FR
                 */
                supplier: string;
                /**
                 * @description Number of the account in the external system.
                 * @example HOME-00004711
                 */
                external: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of the import. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "PENDING",
                     *       "service_account_number": "A-7KQ2M9XDT"
                     *     }
                     */
                    "application/json": components["schemas"]["AccountTransferStatus"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listAllImportProcesses: {
        parameters: {
            query?: {
                /**
                 * @description Items per page; the Link header leads to the next page.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Start of the page, from the Link header of the previous page.
                 * @example SE9NRS0wMDAwNDcxMQ
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Code of the import supplier.
                 * @example SUPPLIER_FR
                 */
                supplier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list of all account imports. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "external_account_number": "HOME-00004711",
                     *         "service_account_number": "A-7KQ2M9XDT",
                     *         "account_created_at": "2026-11-02T21:15:09Z"
                     *       },
                     *       {
                     *         "external_account_number": "HOME-00004712",
                     *         "service_account_number": null,
                     *         "account_created_at": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AccountImportProcess"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listPendingImportProcesses: {
        parameters: {
            query?: {
                /**
                 * @description Items per page; the Link header leads to the next page.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Start of the page, from the Link header of the previous page.
                 * @example SE9NRS0wMDAwNDcxMQ
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Code of the import supplier.
                 * @example SUPPLIER_FR
                 */
                supplier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list of import processes without a created account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "external_account_number": "HOME-00004712",
                     *         "service_account_number": null,
                     *         "account_created_at": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AccountImportProcess"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listImportedImportProcesses: {
        parameters: {
            query?: {
                /**
                 * @description Items per page; the Link header leads to the next page.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description Start of the page, from the Link header of the previous page.
                 * @example SE9NRS0wMDAwNDcxMQ
                 */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Code of the import supplier.
                 * @example SUPPLIER_FR
                 */
                supplier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list of import processes with a created account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "external_account_number": "HOME-00004711",
                     *         "service_account_number": "A-7KQ2M9XDT",
                     *         "account_created_at": "2026-11-02T21:15:09Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AccountImportProcess"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createBusiness: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4194304 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBusinessRequest"];
            };
        };
        responses: {
            /** @description The business is created, or was created before by the same request. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "service_business_id": 4711,
                     *       "external_business_identifier": "BIZ-0042"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedBusiness"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createBusinessContracts: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4194304 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateBusinessContractsRequest"];
            };
        };
        responses: {
            /** @description The contracts are added. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "business_contracts": [
                     *         {
                     *           "identifier": "FRAME-8"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AddedBusinessContracts"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listPopulationBatches: {
        parameters: {
            query?: {
                /**
                 * @description Batches per page, 20 by default; the Link header leads to the next page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description Start of the page, from the Link header of the previous page.
                 * @example 0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batches, without their identifiers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "batch_id": "0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77",
                     *         "status": "COMPLETED",
                     *         "import_suppliers": [
                     *           "SUPPLIER_FR"
                     *         ],
                     *         "counts": {
                     *           "accepted": {
                     *             "prm_ids": 3,
                     *             "pce_ids": 1
                     *           },
                     *           "imported": {
                     *             "prm_ids": 2,
                     *             "pce_ids": 1
                     *           },
                     *           "pending": {
                     *             "prm_ids": 0,
                     *             "pce_ids": 0
                     *           },
                     *           "errored": {
                     *             "prm_ids": 1,
                     *             "pce_ids": 0
                     *           }
                     *         },
                     *         "created_at": "2026-11-20T17:00:10.000Z",
                     *         "ended_at": "2026-11-20T17:00:12.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ListedPopulationBatch"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    populateSupplyPoints: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 2097152 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PopulateSupplyPointsRequest"];
            };
        };
        responses: {
            /** @description The batch is stored and will be processed. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "batch_id": "0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77"
                     *     }
                     */
                    "application/json": components["schemas"]["PopulationBatchId"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findPopulationBatch: {
        parameters: {
            query?: {
                /**
                 * @description Most identifiers in each list, 0 to 100,000; 100 by default.
                 * @example 100
                 */
                limit?: number;
                /**
                 * @description The last identifier of `imported_results.prms` so far; the list continues after it.
                 * @example 25014987360042
                 */
                prm_after?: string;
                /**
                 * @description The same for `imported_results.pces`.
                 * @example 03628810476215
                 */
                pce_after?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `batch_id` from the response of operation 14.
                 * @example 0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77
                 */
                batch: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch with its progress; `imported`, `pending` and `errored` always add up to `accepted`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "batch_id": "0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77",
                     *       "status": "IN_PROGRESS",
                     *       "import_suppliers": [
                     *         "SUPPLIER_FR"
                     *       ],
                     *       "customer_category": "Domestic",
                     *       "customer_authorisation": true,
                     *       "counts": {
                     *         "accepted": {
                     *           "prm_ids": 3,
                     *           "pce_ids": 1
                     *         },
                     *         "imported": {
                     *           "prm_ids": 1,
                     *           "pce_ids": 1
                     *         },
                     *         "pending": {
                     *           "prm_ids": 1,
                     *           "pce_ids": 0
                     *         },
                     *         "errored": {
                     *           "prm_ids": 1,
                     *           "pce_ids": 0
                     *         }
                     *       },
                     *       "rate_per_second": 2.69,
                     *       "estimated_end": "2026-11-20T17:00:12.000Z",
                     *       "created_at": "2026-11-20T17:00:10.000Z",
                     *       "ended_at": null,
                     *       "imported_requests": {
                     *         "prm_ids": [
                     *           "25014987360042"
                     *         ],
                     *         "pce_ids": [
                     *           "03628810476215"
                     *         ]
                     *       },
                     *       "imported_results": {
                     *         "prms": [
                     *           {
                     *             "id": "25014987360042",
                     *             "facts": {
                     *               "segment": "C5",
                     *               "subscribed_power": "9 kVA"
                     *             },
                     *             "source": "enedis-sge",
                     *             "looked_up_at": "2026-11-20T17:00:11.000Z"
                     *           }
                     *         ],
                     *         "pces": [
                     *           {
                     *             "id": "03628810476215",
                     *             "facts": {
                     *               "distribution_tariff": "T2"
                     *             },
                     *             "source": "grdf-adict",
                     *             "looked_up_at": "2026-11-20T17:00:11.000Z"
                     *           }
                     *         ]
                     *       },
                     *       "pending_requests": {
                     *         "prm_ids": [
                     *           "25014987360059"
                     *         ],
                     *         "pce_ids": []
                     *       },
                     *       "set_aside_requests": {
                     *         "prms": [
                     *           {
                     *             "id": "25014987360059",
                     *             "tries": 5,
                     *             "next_attempt_at": "2026-11-20T18:00:00.000Z"
                     *           }
                     *         ],
                     *         "pces": []
                     *       },
                     *       "errored_requests": {
                     *         "prms": [
                     *           {
                     *             "id": "25014987360075",
                     *             "errored_reason": "EPRM000"
                     *           }
                     *         ],
                     *         "pces": []
                     *       },
                     *       "truncated": false,
                     *       "warnings": {
                     *         "repeated": 0,
                     *         "in_both_lists": {
                     *           "count": 0,
                     *           "identifiers": []
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PopulationBatch"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listImportJobs: {
        parameters: {
            query?: {
                /**
                 * @description Only jobs of this import supplier.
                 * @example SUPPLIER_FR
                 */
                import_supplier?: string;
                /**
                 * @description Only jobs with this status.
                 * @example PAUSED
                 */
                status?: "OPEN" | "VALIDATING" | "RUNNING" | "PAUSED" | "COMPLETED" | "CANCELLED" | "EXPIRED";
                /**
                 * @description Jobs per page, 20 by default; the Link header leads to the next page.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description Start of the page, from the Link header of the previous page.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The jobs, without their causes and parts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *         "import_supplier": "SUPPLIER_FR",
                     *         "kind": "accounts",
                     *         "goal": "CREATE",
                     *         "name": "Migration of November",
                     *         "operations_team_name": "Migration",
                     *         "selection": "uploaded",
                     *         "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *         "options": {
                     *           "canary": 100
                     *         },
                     *         "status": "RUNNING",
                     *         "paused_because": null,
                     *         "counts": {
                     *           "accepted": 10000,
                     *           "succeeded": 4200,
                     *           "failed": 37,
                     *           "unprocessed": 5763
                     *         },
                     *         "steps": {
                     *           "judged": 10000,
                     *           "staged": 9963,
                     *           "created": 4200
                     *         },
                     *         "warnings": 12,
                     *         "lines_per_second": 1180.5,
                     *         "estimated_end_at": "2026-11-20T17:00:15.000Z",
                     *         "workflow_id": "import-job/019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *         "created_at": "2026-11-20T16:59:50.000Z",
                     *         "started_at": "2026-11-20T17:00:00.000Z",
                     *         "ended_at": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ListedImportJob"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createImportJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 1048576 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateImportJobRequest"];
            };
        };
        responses: {
            /** @description The job is open. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "status": "OPEN"
                     *     }
                     */
                    "application/json": components["schemas"]["OpenedImportJob"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findImportJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `job_id` from the response that opened the job.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job with its progress. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "import_supplier": "SUPPLIER_FR",
                     *       "kind": "accounts",
                     *       "goal": "CREATE",
                     *       "name": "Migration of November",
                     *       "operations_team_name": "Migration",
                     *       "selection": "uploaded",
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "options": {
                     *         "canary": 100
                     *       },
                     *       "status": "RUNNING",
                     *       "paused_because": null,
                     *       "counts": {
                     *         "accepted": 10000,
                     *         "succeeded": 4200,
                     *         "failed": 37,
                     *         "unprocessed": 5763
                     *       },
                     *       "steps": {
                     *         "judged": 10000,
                     *         "staged": 9963,
                     *         "created": 4200
                     *       },
                     *       "warnings": 12,
                     *       "lines_per_second": 1180.5,
                     *       "estimated_end_at": "2026-11-20T17:00:15.000Z",
                     *       "workflow_id": "import-job/019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "created_at": "2026-11-20T16:59:50.000Z",
                     *       "started_at": "2026-11-20T17:00:00.000Z",
                     *       "ended_at": null,
                     *       "causes": [
                     *         {
                     *           "code": "invalid_prm",
                     *           "place": "supply_addresses.*.supply_points.*.identifier",
                     *           "is_warning": false,
                     *           "records": 37,
                     *           "alone": 35,
                     *           "example": {
                     *             "line": 17,
                     *             "value": "2501498736004"
                     *           },
                     *           "detail": "The PRM is not 14 digits.",
                     *           "remedy": "Send the 14 digits of the PRM as a string, including leading zeros.",
                     *           "page": "/docs/codes/invalid_prm/"
                     *         }
                     *       ],
                     *       "parts": [
                     *         {
                     *           "part": 1,
                     *           "lines": 10000,
                     *           "bytes": 41216900,
                     *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *         }
                     *       ],
                     *       "manifest": null
                     *     }
                     */
                    "application/json": components["schemas"]["ImportJob"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    uploadImportJobPart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `job_id` from the response that opened the job.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                job: string;
                /**
                 * @description The number of the part.
                 * @example 1
                 */
                part: number;
            };
            cookie?: never;
        };
        /** @description Lines of JSON, at most 67108864 bytes of them; may be compressed with gzip or zstd, which is said by the header Content-Encoding. application/ndjson and application/jsonl are accepted as well. */
        requestBody: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description The part is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "part": 1,
                     *       "lines": 10000,
                     *       "bytes": 41216900,
                     *       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *     }
                     */
                    "application/json": components["schemas"]["ImportJobPart"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    startImportJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `job_id` from the response that opened the job.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job has been started. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "status": "VALIDATING",
                     *       "paused_because": null
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedImportJob"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    pauseImportJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `job_id` from the response that opened the job.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is paused. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "status": "PAUSED",
                     *       "paused_because": "asked"
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedImportJob"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    resumeImportJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `job_id` from the response that opened the job.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job continues. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "status": "RUNNING",
                     *       "paused_because": null
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedImportJob"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    cancelImportJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `job_id` from the response that opened the job.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is canceled. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "status": "CANCELLED",
                     *       "paused_because": null
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedImportJob"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listImportJobCauses: {
        parameters: {
            query?: {
                /**
                 * @description Omit warnings. `true`, `false`, `1` or `0`, in any case of letters.
                 * @example true
                 */
                only_blocking?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `job_id` from the response that opened the job.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All causes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "causes": [
                     *         {
                     *           "code": "invalid_choice",
                     *           "place": "supply_addresses.*.supply_points.*.supply_type",
                     *           "is_warning": false,
                     *           "records": 412,
                     *           "alone": 398,
                     *           "example": {
                     *             "line": 17,
                     *             "value": "Gaz"
                     *           },
                     *           "detail": "The value is not one of the allowed choices.",
                     *           "remedy": "Send one of the values in the detail; values are case-sensitive. For an import supplier, use a code that your key may import for.",
                     *           "page": "/docs/codes/invalid_choice/"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Causes that block most records come first, warnings last. */
                        causes: components["schemas"]["Cause"][];
                    };
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listImportJobResults: {
        parameters: {
            query: {
                /**
                 * @description The outcome of the lines to read.
                 * @example failed
                 */
                outcome: "succeeded" | "failed" | "unprocessed";
                /**
                 * @description Return lines as they were sent, to correct and send again.
                 * @example resend
                 */
                form?: "resend";
            };
            header?: never;
            path: {
                /**
                 * @description The `job_id` from the response that opened the job.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One line of JSON for each matching line of the job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"line":7,"key":"HOME-00004711","outcome":"succeeded","number":"A-7KQ2M9XDT"} */
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listStagedCauses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Code of the import supplier.
                 * @example SUPPLIER_FR
                 */
                supplier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All causes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "causes": [
                     *         {
                     *           "code": "business_contract_not_found",
                     *           "place": "business.business_contract_identifier",
                     *           "is_warning": false,
                     *           "records": 1240,
                     *           "alone": 1236,
                     *           "example": {
                     *             "line": null,
                     *             "external_account_number": "WORKS-00000017",
                     *             "value": null
                     *           },
                     *           "detail": "No business of this import supplier has a contract with this identifier. Import the business first.",
                     *           "remedy": "Create the business with this contract first. business_contract_identifier must equal the identifier of one of its contracts.",
                     *           "page": "/docs/codes/business_contract_not_found/"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        /** @description Causes that block most records come first, warnings last. */
                        causes: components["schemas"]["Cause"][];
                    };
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    withdrawImportJob: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `job_id` from the response that opened the job.
                 * @example 019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f
                 */
                job: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawImportJobRequest"];
            };
        };
        responses: {
            /** @description With `dry_run`: what would be withdrawn. Nothing was changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "can_be_withdrawn": 12397,
                     *       "kept": 3,
                     *       "obstacles": [
                     *         {
                     *           "code": "switch_requested",
                     *           "accounts": 3,
                     *           "examples": [
                     *             "HOME-00004711"
                     *           ],
                     *           "reason": "The switch of a supply point was requested from the industry switch and is not rejected.",
                     *           "what_to_do": "Wait until the industry switch rejects it."
                     *         }
                     *       ],
                     *       "businesses": {
                     *         "can_be_withdrawn": 40,
                     *         "kept": 2
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WithdrawalPreview"];
                };
            };
            /** @description The withdrawal is running. If one of the same accounts is already running, the response names that one. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "withdrawal_id": "019ac3f2-b1d4-7a2e-8f3c-6b8d0e2f4a7c",
                     *       "status": "RUNNING"
                     *     }
                     */
                    "application/json": components["schemas"]["StartedWithdrawal"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    withdrawWave: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawImportJobRequest"];
            };
        };
        responses: {
            /** @description With `dry_run`: what would be withdrawn. Nothing was changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "can_be_withdrawn": 12397,
                     *       "kept": 3,
                     *       "obstacles": [
                     *         {
                     *           "code": "switch_requested",
                     *           "accounts": 3,
                     *           "examples": [
                     *             "HOME-00004711"
                     *           ],
                     *           "reason": "The switch of a supply point was requested from the industry switch and is not rejected.",
                     *           "what_to_do": "Wait until the industry switch rejects it."
                     *         }
                     *       ],
                     *       "businesses": {
                     *         "can_be_withdrawn": 40,
                     *         "kept": 2
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WithdrawalPreview"];
                };
            };
            /** @description The withdrawal is running. If one of the same accounts is already running, the response names that one. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "withdrawal_id": "019ac3f2-b1d4-7a2e-8f3c-6b8d0e2f4a7c",
                     *       "status": "RUNNING"
                     *     }
                     */
                    "application/json": components["schemas"]["StartedWithdrawal"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `withdrawal_id` from the response to its start.
                 * @example 019ac3f2-b1d4-7a2e-8f3c-6b8d0e2f4a7c
                 */
                withdrawal: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The withdrawal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "withdrawal_id": "019ac3f2-b1d4-7a2e-8f3c-6b8d0e2f4a7c",
                     *       "import_supplier": "SUPPLIER_FR",
                     *       "external_account_number": "HOME-00004711",
                     *       "job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "wave_id": null,
                     *       "status": "COMPLETED",
                     *       "requested_by": "Migration desk",
                     *       "reason": "The file was of the wrong month.",
                     *       "withdrawn": 12397,
                     *       "kept": 3,
                     *       "obstacles": [
                     *         {
                     *           "code": "switch_requested",
                     *           "accounts": 3,
                     *           "examples": [
                     *             "HOME-00004711"
                     *           ],
                     *           "reason": "The switch of a supply point was requested from the industry switch and is not rejected.",
                     *           "what_to_do": "Wait until the industry switch rejects it."
                     *         }
                     *       ],
                     *       "withdraw_businesses": true,
                     *       "businesses": [
                     *         {
                     *           "outcome": "withdrawn",
                     *           "businesses": 40,
                     *           "examples": [
                     *             "BIZ-0042"
                     *           ],
                     *           "description": "The business was deleted with its contracts. Create it again before its accounts; it gets another id."
                     *         }
                     *       ],
                     *       "deleted_rows": [
                     *         {
                     *           "table": "customer",
                     *           "rows": 14020
                     *         }
                     *       ],
                     *       "workflow_id": "withdraw/019ac3f2-b1d4-7a2e-8f3c-6b8d0e2f4a7c",
                     *       "created_at": "2026-11-20T17:00:00.000Z",
                     *       "ended_at": "2026-11-02T21:19:40.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Withdrawal"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listKeptAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `withdrawal_id` from the response to its start.
                 * @example 019ac3f2-b1d4-7a2e-8f3c-6b8d0e2f4a7c
                 */
                withdrawal: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kept accounts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"external_account_number":"HOME-00004711","obstacles":["notes_added"]} */
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listBusinessesOfWithdrawal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `withdrawal_id` from the response to its start.
                 * @example 019ac3f2-b1d4-7a2e-8f3c-6b8d0e2f4a7c
                 */
                withdrawal: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The businesses. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"external_business_identifier":"BIZ-0042","service_business_id":4711,"outcome":"withdrawn"} */
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listWaves: {
        parameters: {
            query?: {
                /**
                 * @description Only waves of this import supplier.
                 * @example SUPPLIER_FR
                 */
                import_supplier?: string;
                /**
                 * @description Only the wave with exactly this name.
                 * @example Brittany 3
                 */
                name?: string;
                /**
                 * @description Only waves with this status.
                 * @example CREATING
                 */
                status?: "PREPARING" | "SCHEDULED" | "CREATING" | "PAUSED" | "CREATED" | "WITHDRAWING" | "WITHDRAWN" | "SIGNED_OFF" | "CANCELLED";
                /**
                 * @description Waves per page, 20 by default.
                 * @example 20
                 */
                limit?: number;
                /**
                 * @description Start of the page, from the Link header of the previous page.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The waves. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *         "import_supplier": "SUPPLIER_FR",
                     *         "name": "Brittany 3",
                     *         "operations_team_name": "Migration",
                     *         "plan": {
                     *           "create_from": "2026-12-12T22:00:00.000Z",
                     *           "create_until": "2026-12-13T05:00:00.000Z",
                     *           "supply_start_from": "2027-01-01",
                     *           "supply_start_to": "2027-01-01",
                     *           "expected_accounts": 12400
                     *         },
                     *         "options": {
                     *           "canary": 100,
                     *           "hold_switches_hours": 24
                     *         },
                     *         "status": "PREPARING",
                     *         "paused_because": null,
                     *         "rehearsal_job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *         "creation_job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *         "counts": {
                     *           "accounts": 12400,
                     *           "excluded": 3,
                     *           "pending": 12397,
                     *           "created": 0,
                     *           "rejected": 0,
                     *           "skipped": 0,
                     *           "quarantined": 0,
                     *           "invalid_lines": 0,
                     *           "failed_attachments": 0,
                     *           "not_rehearsed": 0,
                     *           "failed_rehearsal": 0,
                     *           "not_approved": 12397,
                     *           "switches": {
                     *             "pending": 0,
                     *             "in_progress": 0,
                     *             "rejected": 0,
                     *             "completed": 0
                     *           }
                     *         },
                     *         "supply_starts": {
                     *           "requests_from": "2026-12-13",
                     *           "before_requests": 0,
                     *           "within_lead_time": 0,
                     *           "earliest": null,
                     *           "examples": [],
                     *           "link": null
                     *         },
                     *         "counted_at": "2026-11-20T17:00:00.000Z",
                     *         "gate": "approved",
                     *         "accounts_per_second": 1180.5,
                     *         "estimated_end_at": null,
                     *         "workflow_id": "wave/019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *         "created_at": "2026-11-20T16:00:00.000Z",
                     *         "ended_at": null
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ListedWave"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    openWave: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 16384 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["OpenWaveRequest"];
            };
        };
        responses: {
            /** @description The wave is open. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "status": "PREPARING"
                     *     }
                     */
                    "application/json": components["schemas"]["OpenedWave"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findWave: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wave. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "import_supplier": "SUPPLIER_FR",
                     *       "name": "Brittany 3",
                     *       "operations_team_name": "Migration",
                     *       "plan": {
                     *         "create_from": "2026-12-12T22:00:00.000Z",
                     *         "create_until": "2026-12-13T05:00:00.000Z",
                     *         "supply_start_from": "2027-01-01",
                     *         "supply_start_to": "2027-01-01",
                     *         "expected_accounts": 12400
                     *       },
                     *       "options": {
                     *         "canary": 100,
                     *         "hold_switches_hours": 24
                     *       },
                     *       "status": "PREPARING",
                     *       "paused_because": null,
                     *       "rehearsal_job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "creation_job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *       "counts": {
                     *         "accounts": 12400,
                     *         "excluded": 3,
                     *         "pending": 12397,
                     *         "created": 0,
                     *         "rejected": 0,
                     *         "skipped": 0,
                     *         "quarantined": 0,
                     *         "invalid_lines": 0,
                     *         "failed_attachments": 0,
                     *         "not_rehearsed": 0,
                     *         "failed_rehearsal": 0,
                     *         "not_approved": 12397,
                     *         "switches": {
                     *           "pending": 0,
                     *           "in_progress": 0,
                     *           "rejected": 0,
                     *           "completed": 0
                     *         }
                     *       },
                     *       "supply_starts": {
                     *         "requests_from": "2026-12-13",
                     *         "before_requests": 0,
                     *         "within_lead_time": 0,
                     *         "earliest": null,
                     *         "examples": [],
                     *         "link": null
                     *       },
                     *       "counted_at": "2026-11-20T17:00:00.000Z",
                     *       "gate": "approved",
                     *       "accounts_per_second": 1180.5,
                     *       "estimated_end_at": null,
                     *       "workflow_id": "wave/019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "created_at": "2026-11-20T16:00:00.000Z",
                     *       "ended_at": null,
                     *       "gates": [
                     *         {
                     *           "name": "rehearsed",
                     *           "state": "passed",
                     *           "evidence": "The rehearsal tried all 12,397 accounts in their present revision.",
                     *           "link": "/v1/data-import/import-jobs/019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f/"
                     *         }
                     *       ],
                     *       "causes": [
                     *         {
                     *           "code": "invalid_choice",
                     *           "records": 12
                     *         }
                     *       ],
                     *       "jobs": [
                     *         {
                     *           "job_id": "019ac3f2-7c51-7c6e-9d1f-3a5b7c9d1e2f",
                     *           "kind": "accounts",
                     *           "goal": "STAGE",
                     *           "name": "Accounts of November",
                     *           "selection": "uploaded",
                     *           "status": "COMPLETED",
                     *           "paused_because": null,
                     *           "accepted": 12400,
                     *           "succeeded": 12397,
                     *           "failed": 3
                     *         }
                     *       ],
                     *       "approval": null,
                     *       "manifest": null
                     *     }
                     */
                    "application/json": components["schemas"]["Wave"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    changeWavePlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        /** @description At most 16384 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWavePlanRequest"];
            };
        };
        responses: {
            /** @description The plan is changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "status": "PREPARING",
                     *       "paused_because": null,
                     *       "changed": [
                     *         "plan.create_until"
                     *       ],
                     *       "approval_ended": false
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedPlan"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    addWaveAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        /** @description Lines of JSON, at most 67108864 bytes of them; may be compressed with gzip or zstd, which is said by the header Content-Encoding. application/ndjson and application/jsonl are accepted as well. */
        requestBody: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description The accounts are added. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "added": 12397,
                     *       "already_members": 0,
                     *       "rejected": 1,
                     *       "rejected_lines": [
                     *         {
                     *           "line": 17,
                     *           "external_account_number": "HOME-00004711",
                     *           "code": "import_process_does_not_exist",
                     *           "detail": "No account is staged with this number."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AddedMembers"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    putWaveManifest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        /** @description At most 1048576 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutWaveManifestRequest"];
            };
        };
        responses: {
            /** @description The manifest is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *     }
                     */
                    "application/json": components["schemas"]["StoredManifest"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    excludeFromWave: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        /** @description At most 2097152 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExcludeFromWaveRequest"];
            };
        };
        responses: {
            /** @description They are left out. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "excluded": 3
                     *     }
                     */
                    "application/json": components["schemas"]["ExcludedFromWave"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    moveToWave: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        /** @description At most 2097152 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveToWaveRequest"];
            };
        };
        responses: {
            /** @description They are moved. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "moved": 1,
                     *       "from": [
                     *         "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["MovedToWave"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    rehearseWave: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wave after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "status": "PREPARING",
                     *       "paused_because": null
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedWave"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createWave: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wave after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "status": "PREPARING",
                     *       "paused_because": null
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedWave"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    pauseWave: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wave after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "status": "PREPARING",
                     *       "paused_because": null
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedWave"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    resumeWave: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wave after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "status": "PREPARING",
                     *       "paused_because": null
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedWave"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    cancelWave: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wave after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wave_id": "019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f",
                     *       "status": "PREPARING",
                     *       "paused_because": null
                     *     }
                     */
                    "application/json": components["schemas"]["ChangedWave"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listWaveNumbers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The numbers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"external_account_number":"HOME-00004711","service_account_number":"A-7KQ2M9XDT"} */
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listEarlySupplyStarts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `wave_id` from the response that opened the wave.
                 * @example 019ac3f2-8b21-7d3c-9e4f-6a7b8c9d0e1f
                 */
                wave: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The accounts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"external_account_number":"HOME-00004711","supply_start_date":"2026-12-20","request_switch_on":"2026-12-06"} */
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createReconciliation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Identifies the request, so that it can be retried safely: the same key with the same request gets the first response for 30 days. 1 to 255 visible ASCII characters, preferably a random UUID; in double quotes it is the same key. More: [/docs/guide/rules/](/docs/guide/rules/)
                 * @example 0199f0de-7c1a-7000-8000-000000000001
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4096 bytes of JSON in UTF-8; may be compressed with gzip, deflate or br. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateReconciliationRequest"];
            };
        };
        responses: {
            /** @description It is running. If one with the same subject is already running, the response names that one. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reconciliation_id": "019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c",
                     *       "status": "RUNNING"
                     *     }
                     */
                    "application/json": components["schemas"]["StartedReconciliation"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findReconciliation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `reconciliation_id` from the response to its start.
                 * @example 019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c
                 */
                reconciliation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reconciliation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reconciliation_id": "019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c",
                     *       "import_supplier": "SUPPLIER_FR",
                     *       "job_id": null,
                     *       "status": "COMPLETED",
                     *       "counts": {
                     *         "accounts": 10000,
                     *         "without_copy": 0,
                     *         "by_hashes": 0,
                     *         "withdrawn": 0,
                     *         "businesses": 12,
                     *         "different": 1,
                     *         "values": 1412000,
                     *         "differences": {
                     *           "changed": 1,
                     *           "missing": 0,
                     *           "extra": 0
                     *         },
                     *         "reasons": {
                     *           "note_added": 4
                     *         },
                     *         "parties": {
                     *           "payment_instructions_in_force": 40,
                     *           "payment_instructions_unlike_verification": 0,
                     *           "supply_points": 14000,
                     *           "switches_asked": 9000,
                     *           "switches_asked_too_often": 0,
                     *           "switches_unanswered": 3,
                     *           "switches_accepted_too_often": 0,
                     *           "switches_told_without_request": 0
                     *         },
                     *         "differences_listed": 5
                     *       },
                     *       "payment_vendors": [
                     *         {
                     *           "vendor": "GOCARDLESS",
                     *           "in_force": 40,
                     *           "asked": 39,
                     *           "usable": 38,
                     *           "different": 1,
                     *           "not_asked": [
                     *             {
                     *               "reason": "not_verified",
                     *               "instructions": 1
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "accounts_in_all": null,
                     *       "estimated_end_at": null,
                     *       "sums": [
                     *         {
                     *           "name": "payment_schedules",
                     *           "accepted": "133650.5",
                     *           "stored": "133650.5"
                     *         }
                     *       ],
                     *       "workflow_id": "reconcile/019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c",
                     *       "created_at": "2026-11-22T14:00:00.000Z",
                     *       "compared_at": "2026-11-22T14:00:08.400Z",
                     *       "ended_at": "2026-11-22T14:00:11.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Reconciliation"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listDifferences: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `reconciliation_id` from the response to its start.
                 * @example 019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c
                 */
                reconciliation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One JSON line per difference. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"number":1,"subject":"account","key":"HOME-00004711","path":"customers.0.email","kind":"changed","table":"customer","column":"email","reason":null,"vendor_answer":null} */
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listBalances: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `reconciliation_id` from the response to its start.
                 * @example 019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c
                 */
                reconciliation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One JSON line per account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"external_account_number":"HOME-00004711","balance":"-62.00"} */
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listAccountDigests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `reconciliation_id` from the response to its start.
                 * @example 019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c
                 */
                reconciliation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One JSON line per account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"external_account_number":"HOME-00004711","digest":"5d41402abc4b2a76b9719d911017c592ae2b7f1c9d8e6f5a4b3c2d1e0f9a8b7c"} */
                    "application/x-ndjson": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findCertificate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `reconciliation_id` from the response to its start.
                 * @example 019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c
                 */
                reconciliation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The certificate. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "certificate": {
                     *         "type": "gangway-reconciliation/1",
                     *         "reconciliation_id": "019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c",
                     *         "import_supplier": "SUPPLIER_FR",
                     *         "job_id": null,
                     *         "gangway_version": "0.1.0",
                     *         "canonicalization": 1,
                     *         "checked_from": "2026-11-22T14:00:00.000Z",
                     *         "checked_until": "2026-11-22T14:00:11.000Z",
                     *         "is_equal": false,
                     *         "accounts": 10000,
                     *         "accounts_without_copy": 0,
                     *         "accounts_by_hashes": 0,
                     *         "accounts_withdrawn": 0,
                     *         "businesses": 12,
                     *         "different": 1,
                     *         "values_compared": 1412000,
                     *         "differences": {
                     *           "changed": 1,
                     *           "missing": 0,
                     *           "extra": 0
                     *         },
                     *         "differences_with_reason": {
                     *           "note_added": 4
                     *         },
                     *         "parties": {
                     *           "payment_instructions_in_force": 40,
                     *           "payment_instructions_unlike_verification": 0,
                     *           "supply_points": 14000,
                     *           "switches_asked": 9000,
                     *           "switches_asked_too_often": 0,
                     *           "switches_unanswered": 3,
                     *           "switches_accepted_too_often": 0,
                     *           "switches_told_without_request": 0
                     *         },
                     *         "payment_vendors": [
                     *           {
                     *             "vendor": "GOCARDLESS",
                     *             "in_force": 40,
                     *             "asked": 39,
                     *             "usable": 38,
                     *             "different": 1,
                     *             "not_asked": [
                     *               {
                     *                 "reason": "not_verified",
                     *                 "instructions": 1
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "parties_not_asked": [
                     *           {
                     *             "party": "industry_switch",
                     *             "reason": "It offers no read-only request."
                     *           }
                     *         ],
                     *         "sums": [
                     *           {
                     *             "name": "payment_schedules",
                     *             "accepted": "133650.5",
                     *             "stored": "133650.5"
                     *           }
                     *         ],
                     *         "balances": {
                     *           "accounts": 10000,
                     *           "accepted": "-15.5",
                     *           "stored": "-15.5",
                     *           "digest": {
                     *             "accepted": "5d41402abc4b2a76b9719d911017c592ae2b7f1c9d8e6f5a4b3c2d1e0f9a8b7c",
                     *             "stored": "5d41402abc4b2a76b9719d911017c592ae2b7f1c9d8e6f5a4b3c2d1e0f9a8b7c"
                     *           }
                     *         },
                     *         "manifests": [],
                     *         "fields": [
                     *           {
                     *             "name": "customers.*.email",
                     *             "accepted": "5d41402abc4b2a76b9719d911017c592ae2b7f1c9d8e6f5a4b3c2d1e0f9a8b7c",
                     *             "stored": "7c8b9a0f1e2d3c4b5a6f8e9d1c7f2bae592c01719d91b7766a4bbc2a40415dff"
                     *           }
                     *         ],
                     *         "not_compared": [
                     *           {
                     *             "table": "account",
                     *             "columns": [
                     *               {
                     *                 "column": "number",
                     *                 "reason": "Taken from a sequence."
                     *               }
                     *             ]
                     *           }
                     *         ],
                     *         "kept_without_copy": [
                     *           {
                     *             "kind": "businesses",
                     *             "reason": "Only the rows of a business and its contracts are kept: the comparison covers what these must agree on."
                     *           }
                     *         ]
                     *       },
                     *       "jws": "eyJhbGciOiJFZERTQSJ9.eyJ0eXBlIjoi.c2lnbmF0dXJl"
                     *     }
                     */
                    "application/json": components["schemas"]["SignedCertificate"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findAccountValues: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `reconciliation_id` from the response to its start.
                 * @example 019ac3f2-9a41-7f0e-8c1d-5b7d9e1f3a5c
                 */
                reconciliation: string;
                /**
                 * @description Your number of the account.
                 * @example HOME-00004711
                 */
                account: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hashes of its values. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "external_account_number": "HOME-00004711",
                     *       "values": [
                     *         {
                     *           "path": "customers.0.email",
                     *           "sha256": "7c8b9a0f1e2d3c4b5a6f8e9d1c7f2bae592c01719d91b7766a4bbc2a40415dff"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AccountValues"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listCertificateKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "OKP",
                     *           "crv": "Ed25519",
                     *           "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
                     *           "kid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
                     *           "alg": "EdDSA",
                     *           "use": "sig"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["CertificateKeys"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description The cursor of the last event that you have read. If omitted, the list starts with the oldest stored event.
                 * @example 4711-3f0c6f0e
                 */
                after?: string;
                /**
                 * @description Events per page, 100 by default. The header Link leads to the next page while there may be more.
                 * @example 100
                 */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "specversion": "1.0",
                     *         "id": "3f0c6f0e-5f0e-4f5c-9d3a-1f1f2b7a9c10",
                     *         "source": "/import-suppliers/SUPPLIER_FR",
                     *         "type": "import.account.created.v1",
                     *         "subject": "accounts/HOME-00000001",
                     *         "time": "2026-03-02T09:30:00.123Z",
                     *         "datacontenttype": "application/json",
                     *         "cursor": "4711-3f0c6f0e",
                     *         "data": {
                     *           "import_supplier": "SUPPLIER_FR",
                     *           "external_account_number": "HOME-00000001",
                     *           "service_account_number": "A-7KQ2M9XDT"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Event"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    receiveEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The `id` of the event.
                 * @example 3f0c6f0e-5f0e-4f5c-9d3a-1f1f2b7a9c10
                 */
                "webhook-id": string;
                /**
                 * @description Unix time of this delivery, in seconds. Reject deliveries that are older than five minutes.
                 * @example 1772443800
                 */
                "webhook-timestamp": string;
                /**
                 * @description One signature for each active secret, separated by blanks: `v1,` and the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64.
                 * @example v1,ZXhhbXBsZSBvZiBhIHNpZ25hdHVyZSwgbm90IG9uZQ==
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "specversion": "1.0",
                 *       "id": "3f0c6f0e-5f0e-4f5c-9d3a-1f1f2b7a9c10",
                 *       "source": "/import-suppliers/SUPPLIER_FR",
                 *       "type": "import.account.created.v1",
                 *       "subject": "accounts/HOME-00000001",
                 *       "time": "2026-03-02T09:30:00.123Z",
                 *       "datacontenttype": "application/json",
                 *       "cursor": "4711-3f0c6f0e",
                 *       "data": {
                 *         "import_supplier": "SUPPLIER_FR",
                 *         "external_account_number": "HOME-00000001",
                 *         "service_account_number": "A-7KQ2M9XDT"
                 *       }
                 *     }
                 */
                "application/cloudevents+json": components["schemas"]["Event"];
            };
        };
        responses: {
            /** @description Ends the deliveries to this address. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Received. Respond within 15 seconds, and process the event afterward. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Retried with growing pauses for a day, then daily. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}

/** The lines of responses in NDJSON, by path. */
export interface Lines {
  '/v1/data-import/import-jobs/{job}/results/': components['schemas']['ImportJobLine'];
  '/v1/data-import/withdrawals/{withdrawal}/kept/': components['schemas']['KeptAccount'];
  '/v1/data-import/withdrawals/{withdrawal}/businesses/': components['schemas']['BusinessOfWithdrawal'];
  '/v1/data-import/waves/{wave}/numbers/': components['schemas']['WaveNumber'];
  '/v1/data-import/waves/{wave}/early-starts/': components['schemas']['EarlySupplyStart'];
  '/v1/data-import/reconciliations/{reconciliation}/differences/': components['schemas']['Difference'];
  '/v1/data-import/reconciliations/{reconciliation}/balances/': components['schemas']['AccountBalance'];
  '/v1/data-import/reconciliations/{reconciliation}/accounts/': components['schemas']['AccountDigest'];
}

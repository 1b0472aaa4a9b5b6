type Meanings = Readonly<Record<string, string>>

/**
 * Every `reason` of a refused call, below its code, with what to do about it. A new reason of CONFLICT or FORBIDDEN does
 * not compile until it is listed here.
 */
export const REASONS = {
  INVALID_INPUT: {
    METHOD_NOT_ALLOWED: 'The path exists, but not with this method; the header `Allow` lists those it has.',
    UPLOAD_EMPTY: 'The uploaded archive has no content. Upload it again.',
    TOO_MANY_TOKENS: 'The GraphQL document is too long. Split it.',
    TOO_MANY_ALIASES: 'The GraphQL document has too many aliases. Split it.',
    TOO_DEEP: 'The GraphQL document selects too deep. Start from a nearer field.',
    TOO_COSTLY: 'The GraphQL document may ask for too many values. Ask for smaller pages, or less of each.',
  },
  FORBIDDEN: {
    NOT_A_MEMBER: 'You are not a member of the account. One of its admins can add you.',
    ROLE_MISSING: 'You lack the role in the account; the message names those that would do.',
    SCOPE_MISSING: 'The token lacks a scope. Create one with it.',
    OTHER_ENVIRONMENT: 'The token or the membership is restricted to other environments.',
    USER_TOKEN_REQUIRED: 'An environment token is not enough. Use the token of a user.',
    INSTALLATION_ADMIN_REQUIRED: 'Only the admin of the installation may do this.',
    ROLE_BEYOND_OWN: 'A role that you lack cannot be given or taken.',
    SCOPE_BEYOND_OWN: 'A scope that your token lacks cannot be given or taken.',
    ENVIRONMENTS_BEYOND_OWN: 'Access to environments that you lack cannot be given or taken.',
    LIFETIME_BEYOND_OWN: 'A token cannot outlive the token that creates it. Set an earlier `expiresAt`.',
    SANDBOX_NOT_READY:
      'The solution needs the entitlement SANDBOX of the account, and a region whose sandbox add-on and public gateway are ready; the message names what is missing.',
    FUNCTIONS_NOT_AVAILABLE: 'The plan, the account or the region does not include this type of app.',
    GIT_INSTALLATION_UNPROVED:
      'The account has not proved that the GitHub App installation is its own. Connect it first.',
    GIT_INSTALLATION_NOT_OWNED: 'The GitHub App installation belongs to somebody else on GitHub.',
  },
  NOT_FOUND: {
    NO_CURRENT_ACCOUNT: 'No `accountId` was sent, and you have no current account. Send one.',
  },
  CONFLICT: {
    NOT_A_SERVICE: 'Only managed services have backups.',
    BACKUP_NOT_AVAILABLE: 'The backup is being taken, has failed or is being deleted. List the backups.',
    BACKUP_IN_USE: 'An operation uses the backup. Wait until it has ended.',
    BACKUP_OF_NEWER_VERSION: 'A backup is restored into the same version or a newer one. Create a service of it.',
    BACKUP_IS_BASE: 'It is of use only with its log of changes. Restore it, or download a backup taken by hand.',
    BACKUP_OF_OTHER_VERSION: 'Files are restored into the same version. Take a backup by hand for another one.',
    BACKUP_OF_OTHER_ENGINE: 'The backup is one of another engine. Restore it into a service of that.',
    NO_VOLUME: 'The service keeps no data: it has no volume to restore into.',
    NEVER_DEPLOYED: 'Nothing was deployed yet, or that version never was. Deploy first.',
    INSTALLATION_UNFINISHED:
      'The installation goes on, or is incomplete. Wait, or repeat its request with `installationId`.',
    UPGRADE_REFUSED: 'The revision would lose data or replace a service; the message names what. Install it anew.',
    ALREADY_CURRENT: 'The version already serves. Redeploy to replace its containers.',
    ALREADY_RUNNING: 'The environment runs, or will when the open operation ends. Nothing to do.',
    ALREADY_STARTING: 'The environment is being started. Wait for its operation.',
    ALREADY_STOPPED: 'The environment is stopped. Nothing to do.',
    ALREADY_STOPPING: 'The environment is being stopped. Wait for its operation.',
    ENVIRONMENT_STOPPED: 'A stopped environment takes no changes. Start it first.',
    NO_EARLIER_VERSION: 'There is no earlier deployed version to roll back to.',
    IMAGE_NOT_ENABLED:
      'The app builds from source, or its preset decides the image. Set `useImage` on it, or build instead.',
    IMAGE_NOT_SET: 'The app runs images and has none. Set `image` on it, or deploy one.',
    IMAGE_REMOVED: 'The image of the version is no longer kept. Build or deploy it again.',
    VOLUME_DELETED: 'The volume that the version kept its data in is deleted. Deploy a new version.',
    NOT_BUILT: 'The version was not built from source, so there is no build to repeat.',
    SOURCE_NOT_CONFIGURED: 'The app has no source of this kind. Set a repository, or `isCliDeployment`.',
    BUILDER_NOT_AVAILABLE: 'This installation cannot build with that builder. Choose another one.',
    NOT_UPLOADED: 'Nothing was uploaded under the storage key. PUT the archive first.',
    ALREADY_BUILT: 'A build of the upload was already requested. Request a new storage key.',
    UPLOAD_EXPIRED: 'The upload address has expired or was revoked. Request a new one.',
    TOO_MANY_UPLOADS: 'The environment has too many open uploads. They expire within an hour.',
    OPERATION_IN_PROGRESS: 'Another operation of the environment is open. Wait for it, or cancel it.',
    OPERATION_ENDED: 'The operation has ended, so it cannot be cancelled.',
    NOT_CANCELLABLE: 'A deletion, or a rotation of credentials, cannot be cancelled.',
    NOT_FAILED: 'Only a failed operation can be retried.',
    NOT_RETRYABLE: 'The operation belongs to a backup. Repeat the call that asked for it.',
    NEWER_OPERATION: 'A newer operation exists, so the failed one is not retried. Repeat the call that you want.',
    NAME_TAKEN: 'The app already has an environment of that name. Choose another one.',
    PREVENT_DESTROY: '`preventDestroy` protects an environment. Turn it off before deleting.',
    PLAN_LIMIT: 'The plan does not allow more, or does not include it; the message names the limit.',
    ACCOUNT_LIMIT:
      'The account has used up its environments, containers or external ports; the message names the setting.',
    UPGRADE_NOT_IN_PLACE:
      'The data of the service cannot be used by that version. Back up, and restore into a new environment of it.',
    NO_CREDENTIALS: 'Only managed services have generated credentials.',
    NO_RUNS: 'Apps of this type have no job runs.',
    CONCURRENCY_LIMIT: 'As many runs as allowed are open (`concurrencyPolicy` REJECT). Repeat when one has ended.',
    QUEUE_FULL: 'Too many runs of the environment wait. Repeat when some have ended.',
    RUN_ENDED: 'The run has ended, so it cannot be cancelled.',
    RUN_NOT_ENDED: 'Only a run that has ended can be repeated. Wait for it, or cancel it.',
    NOT_ROUTED: 'Apps of this type have no hosts.',
    NOT_PROBED: 'Apps of this type have no health check.',
    HOST_TAKEN: 'The host is in use.',
    HOST_COOLING_DOWN: 'The host was another account’s a short time ago, and stays reserved for it.',
    EXTERNAL_ACCESS_OFF: 'The installation has no ports for external access (`BERTH_TCP_PORTS`). Use the internal URL.',
    EXTERNAL_PORTS_USED_UP:
      'Every port for external access is in use, or reserved for the account that had it. Ask for a larger `BERTH_TCP_PORTS`.',
    HOST_AUTOMATIC: 'The host came with the environment and cannot be removed or validated.',
    VOLUME_IN_USE: 'An environment uses the volume. Remove it there, and apply that, first.',
    INSTALLATION_CHANGED:
      'An installation is resumed with the request that began it. Send the same, or begin another installation.',
    CREDENTIAL_IN_USE: 'An app refers to the credential. Change the app first.',
    TOO_MANY_WEBHOOKS: 'The account has too many webhooks. Delete some.',
    MAIL_NOT_CONFIGURED: 'The installation sends no e-mail (`BERTH_SMTP_URL`). Use another kind.',
    NO_WEBHOOK_SECRET: 'Only webhooks of the kind WEBHOOK are signed.',
    WEBHOOK_DISABLED: 'The webhook is switched off. Enable it first.',
    EVENT_EXPIRED: 'The event of the delivery is no longer kept, so it cannot be sent again.',
    TOO_MANY_TOKENS: 'The owner has too many tokens. Revoke some.',
    ALREADY_MEMBER: 'The user is a member of the account already. Update the member instead.',
    LAST_ADMIN: 'An account keeps at least one ADMIN who is not restricted.',
    LAST_ACCOUNT: 'The last account of an installation cannot be deleted.',
    ACCOUNT_NOT_EMPTY: 'The account still has apps, volumes or backups. Delete them first.',
    ACCOUNT_BUSY: 'Environments of the account are still being removed. Repeat shortly.',
    GITHUB_APP_NOT_CONFIGURED: 'The installation has no GitHub App, or lacks its client secret.',
    IDEMPOTENCY_IN_PROGRESS: 'The first call with this Idempotency-Key still runs. Repeat later.',
  },
  CURSOR_EXPIRED: {
    EVENTS_EXPIRED: 'Read the present state, then follow from `continueAfter`.',
  },
  PRECONDITION_FAILED: {
    VERSION_MISMATCH: 'The resource has changed since you read it.',
    MALFORMED_IF_MATCH: 'If-Match is not one ETag of the resource, nor `*`.',
  },
  PAYLOAD_TOO_LARGE: {
    BACKUP_BUDGET: 'The account has used up its budget for backups (`BERTH_BACKUP_BUDGET_MB`). Delete some.',
    UPLOAD_BUDGET: 'The account has used up its budget for uploads (`BERTH_UPLOAD_BUDGET_MB`).',
  },
  RATE_LIMITED: {
    TOO_MANY_REQUESTS: 'The budget of the account or the address is used up.',
    TOO_MANY_OPERATIONS: 'The environment has had too many operations in a minute.',
    TOO_MANY_SUBSCRIPTIONS: 'The connection has too many subscriptions.',
    UPLOAD_IN_PROGRESS: 'The storage key takes one upload at a time.',
  },
  UNAVAILABLE: {
    REQUEST_TIMEOUT: 'The request took too long. It may still have been carried out.',
    STOPPING: 'This process is stopping. Connect again, and continue from the last cursor.',
    TOO_SLOW: 'The subscriber reads too slowly. Continue from the last cursor.',
  },
  RUNTIME_UNAVAILABLE: {
    ENGINE_UNREACHABLE: 'The container engine does not answer.',
  },
} as const satisfies Readonly<Record<string, Meanings>>

export type ReasonOf<Code extends keyof typeof REASONS> = keyof (typeof REASONS)[Code] & string

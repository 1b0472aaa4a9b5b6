/** What is set, beside ports, for the few scenarios that the defaults rule out. */
export const EXCEPTIONS = {
  // The git host and the receiver of webhooks are on this machine, whose addresses tenants may not name.
  BERTH_GIT_PRIVATE_HOSTS: 'true',
  BERTH_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1',
  // A container that sleeps is frozen for an hour, and then stopped for a day, before it is removed.
  BERTH_FROZEN_MB: '0',
  BERTH_STOPPED_SECONDS: '20',
}

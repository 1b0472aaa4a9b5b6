import { z } from 'zod'
import { GIT_HOOK_SETTINGS } from './git-hook-settings.ts'
import { count, registries, seconds, whole } from './setting-types.ts'

/** Settings of webhooks, notifications and deliveries from git hosts. */
export const WEBHOOK_SETTINGS = {
  BERTH_ACCOUNT_WEBHOOKS: count(20, 1000).describe('Webhooks and notifications per account.'),
  BERTH_WEBHOOK_CONCURRENCY: count(8, 256).describe('Webhooks that one worker delivers to at the same time.'),
  BERTH_WEBHOOK_TIMEOUT_SECONDS: seconds(15, 120).describe(
    'Timeout of one attempt of a delivery, from resolving the host to the answer.',
  ),
  BERTH_WEBHOOK_ATTEMPTS: count(40, 1000).describe('Attempts of a delivery before it is given up.'),
  BERTH_WEBHOOK_RETRY_SECONDS: seconds(5, 3600).describe(
    'Pause after the first failed attempt of a delivery. It doubles with each further one.',
  ),
  BERTH_WEBHOOK_LONGEST_RETRY_SECONDS: seconds(10_800, 86_400).describe(
    'Longest pause between two attempts of a delivery.',
  ),
  BERTH_WEBHOOK_FAILING_DAYS: count(3, 30).describe(
    'Days of nothing but failures after which a webhook is switched off.',
  ),
  BERTH_WEBHOOK_DELIVERIES: count(1000, 100_000).describe('Ended deliveries that are kept per webhook.'),
  BERTH_WEBHOOK_ANSWER_BYTES: whole(1024, 0, 2048).describe(
    'How much of a receiver’s last answer a delivery shows, in bytes.',
  ),
  BERTH_WEBHOOK_SECRET_HOURS: whole(24, 0, 720).describe(
    'How long deliveries are signed with the former secret, too, after a webhook’s secret was rotated.',
  ),
  BERTH_WEBHOOK_PRIVATE_HOSTS: registries().describe(
    'Hosts that webhooks may reach although they are on private addresses or on this machine, and by plain HTTP: hosts with or without a port, addresses or CIDR ranges, comma-separated.',
  ),
  BERTH_SMTP_URL: z
    .url({
      protocol: /^smtps?$/,
      error: 'must be an smtp or smtps URL, such as smtps://user:password@mail.example.com',
    })
    .optional()
    .describe(
      'SMTP server that sends notifications, and links to set a password, by e-mail. Without it there are none.',
    ),
  BERTH_SMTP_FROM: z
    .string()
    .regex(/^[^\s@<>]+@[^\s@<>]+$/, 'must be an e-mail address, such as berth@example.com')
    .default('berth@localhost')
    .describe('Sender of notifications by e-mail.'),
  ...GIT_HOOK_SETTINGS,
}

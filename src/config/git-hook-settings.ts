import { z } from 'zod'
import { count, whole } from './setting-types.ts'

const MIN_SECRET = 16

/** Settings of deliveries from git hosts. */
export const GIT_HOOK_SETTINGS = {
  BERTH_ACCOUNT_GIT_HOOKS: count(50, 1000).describe('Git hooks per account.'),
  BERTH_GIT_HOOK_LIMIT_KB: whole(5120, 16, 25_600).describe(
    'Largest body of a delivery of a git host in KB. Larger ones are refused with 413, and their push is not deployed.',
  ),
  BERTH_GIT_HOOK_SECRET_HOURS: whole(24, 0, 720).describe(
    'How long the former secret of a git hook proves deliveries, too, after it was rotated.',
  ),
  BERTH_GIT_DELIVERIES: count(1000, 100_000).describe('Deliveries of git hosts that are kept per account.'),
  BERTH_GITHUB_WEBHOOK_SECRET: z
    .string()
    .min(MIN_SECRET, `must have at least ${MIN_SECRET} characters`)
    .optional()
    .describe('Webhook secret of the GitHub App. Without it, deliveries of the App itself are refused.'),
}

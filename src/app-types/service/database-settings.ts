import { z } from 'zod'

/** Names and bounds depend on the preset: `engineProblems` checks them. */
export const databaseSettings = z
  .object({})
  .catchall(z.union([z.number(), z.boolean(), z.string().max(200)]))
  .describe('Settings of a managed service by name. Their types and bounds are in the database presets.')

import { z } from 'zod'
import { flag } from '../../calls/input.ts'
import { CIDR_RULE, canonicalCidr } from '../../domain/allow-list.ts'

const MAX_CIDRS = 100

const cidr = z
  .string()
  .max(100)
  .refine((text) => canonicalCidr(text) !== null, CIDR_RULE)

export const externalAccess = z
  .strictObject({
    enabled: flag('Let clients from outside connect, through a TCP port of the ingress.'),
    allowedCidrs: z
      .array(cidr)
      .max(MAX_CIDRS)
      .optional()
      .describe(
        'Addresses and CIDR ranges that may connect; 0.0.0.0/0 and ::/0 allow every address. Required the first time; left out, they stay as they are.',
      ),
    maxConnections: z
      .number()
      .int()
      .min(1)
      .nullable()
      .optional()
      .describe('Maximum number of connections from outside at a time, per ingress. Null: the default.'),
  })
  .describe('How clients from outside reach a managed service. Takes effect at once, without a redeployment.')

export type ExternalAccessInput = z.output<typeof externalAccess>

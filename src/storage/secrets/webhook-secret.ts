import { randomBytes } from 'node:crypto'

/** As Standard Webhooks writes secrets: 256 random bits after a prefix that scanners recognise. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

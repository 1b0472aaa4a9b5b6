import type { z } from 'zod'

/**
 * Fields of inputs that name what a call is about: ids, codes and secrets, each of a bounded length. A command finds its
 * target by these alone, because the caller's permission is only checked on the target: nothing else of an input is read
 * before that, and so no text that takes time to parse.
 */
export const ADDRESS_FIELDS = [
  'accountId',
  'appEnvId',
  'appId',
  'authorizationId',
  'backupKey',
  'clientId',
  'credentialId',
  'deliveryId',
  'envName',
  'gitHookId',
  'installationId',
  'invitationId',
  'jobRunId',
  'operationId',
  'plan',
  'region',
  'secret',
  'sessionId',
  'tokenId',
  'volumeId',
  'webhookId',
] as const

type AddressField = (typeof ADDRESS_FIELDS)[number]

/** The part of an input that names its target. */
export type AddressOf<Shape extends z.ZodRawShape> = Pick<
  z.output<z.ZodObject<Shape>>,
  Extract<keyof z.output<z.ZodObject<Shape>>, AddressField>
>

/** The address in an input; everything else is left out. */
export const addressIn = (input: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(ADDRESS_FIELDS.flatMap((field) => (Object.hasOwn(input, field) ? [[field, input[field]]] : [])))

import { z } from 'zod'
import { parseImageReference } from '../domain/image-reference.ts'
import { slugOf } from '../domain/names.ts'
import { isStorableTime, TIME_RULE } from '../domain/times.ts'
import { isVariableName, MAX_VARIABLE_NAME_LENGTH, VARIABLE_NAME_RULE } from '../domain/variable-name.ts'
import { atLeastOneOf } from './alternatives.ts'

/** The building blocks of inputs: one rule for each kind of value, and a message where the rule needs one. */

const MAX_NAME_LENGTH = 100
export const MAX_TEXT_LENGTH = 1000
const MAX_DOCKERFILE_LENGTH = 64 * 1024
const MAX_VARIABLES = 500
const MAX_VALUE_LENGTH = 32 * 1024
const MAX_HEADERS = 32

/** A value that is copied from elsewhere, such as an address or a token: blanks and line ends around it are not part of it. */
export const pasted = () => z.string().trim()

export const id = (noun: string) => z.string().min(1).max(100).describe(`Id of the ${noun}.`)

/** Of what a call creates. */
export const ownerAccountId = (about: string) =>
  z.string().min(1).max(100).optional().describe(`${about} Default: your current one.`)

export const regionCode = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe(
    'Code of the region to run in, as listed by regions. Default: the only one; required where there are several.',
  )

/** A display name; its slug becomes part of host names, so the slug must not be empty. */
export const name = (noun: string) =>
  z
    .string()
    .trim()
    .min(1)
    .max(MAX_NAME_LENGTH)
    .refine((text) => slugOf(text) !== '', 'must contain at least one letter or digit (a-z, 0-9)')
    .describe(`Name of the ${noun}.`)

export const text = (about: string) => z.string().max(MAX_TEXT_LENGTH).describe(about)

/** A point in time, such as 2026-11-30T12:00:00Z. */
export const instant = (about: string) =>
  z.iso.datetime({ offset: true }).refine(isStorableTime, TIME_RULE).describe(about)

export const flag = (about: string) => z.boolean().describe(about)

export const portNumber = (about: string) =>
  z.number().int().min(1, 'must be 1 to 65535').max(65535, 'must be 1 to 65535').describe(about)

export const image = pasted()
  .superRefine((value, context) => {
    const parsed = parseImageReference(value)
    if ('problem' in parsed) context.addIssue({ code: 'custom', message: parsed.problem })
  })
  .describe('Docker image reference, `registry/image:tag`.')

export const dockerfileContent = z.string().max(MAX_DOCKERFILE_LENGTH).describe('Inline Dockerfile content.')

/** A path below the source's root; never absolute, never outside it. */
export const relativePath = (about: string) =>
  z
    .string()
    .max(MAX_TEXT_LENGTH)
    .refine(
      (path) => !path.startsWith('/') && !path.split('/').includes('..') && !path.includes('\0'),
      'must be a path below the source folder',
    )
    .describe(about)

export const headers = z
  .record(
    z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'is not a header name'),
    z
      .string()
      .max(1000)
      .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII'),
  )
  .refine((all) => Object.keys(all).length <= MAX_HEADERS, `must be at most ${MAX_HEADERS} headers`)
  .describe('Headers of the health check request.')

/** The environment that a call is about. */
export const appEnvTarget = atLeastOneOf({
  appEnvId: z.string().min(1).max(100).optional().describe('Id of the app environment. Wins when envName is sent too.'),
  envName: z.string().min(1).max(100).optional().describe('CLI name of the app environment, `<account>-<app>-<env>`.'),
})

/** The same where it may be left out, because the call may be about more than one. */
export const appEnvFilter = {
  appEnvId: appEnvTarget.appEnvId.clone(),
  envName: appEnvTarget.envName.clone(),
}

export const variable = z.strictObject({
  name: z
    .string()
    .max(MAX_VARIABLE_NAME_LENGTH, VARIABLE_NAME_RULE)
    .refine(isVariableName, VARIABLE_NAME_RULE)
    .describe('Name of the variable. Builds read letters, digits and underscores only.'),
  value: z
    .string()
    .max(MAX_VALUE_LENGTH)
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character')
    .describe('Value of the variable; stored encrypted.'),
  type: z
    .enum(['DEPLOY', 'BUILD', 'BOTH'])
    .default('DEPLOY')
    .describe('Reader of the variable: containers, builds or both.'),
  isSecret: z
    .boolean()
    .default(false)
    .describe('Whether the value is a secret. It is shown only to admins who ask for it.'),
})

/** A list of variables of this shape, each name once. */
export const variablesOf = <Variable extends z.ZodType<{ name: string }>>(one: Variable) =>
  z
    .array(one)
    .max(MAX_VARIABLES, `must be at most ${MAX_VARIABLES} variables`)
    .superRefine((all, context) => {
      const seen = new Set<string>()
      for (const [index, { name }] of all.entries()) {
        if (seen.has(name))
          context.addIssue({ code: 'custom', path: [index, 'name'], message: `"${name}" is there twice` })
        seen.add(name)
      }
    })

export const variables = variablesOf(variable).describe('Environment variables.')

const commandFields = {
  args: z.array(z.string().max(4096)).max(100).default([]).describe('Arguments of the command.'),
  shell: z
    .boolean()
    .default(true)
    .describe('Whether /bin/sh -lc runs the command; otherwise command and args are executed as they are.'),
  workingDir: z
    .string()
    .max(1000)
    .startsWith('/', 'must be an absolute path')
    .nullable()
    .default(null)
    .describe('Working directory of the command.'),
}

export const startupConfig = z
  .strictObject({
    command: z
      .string()
      .min(1)
      .max(4096)
      .nullable()
      .default(null)
      .describe('Command that replaces the image’s entry point. Null: the entry point stays, and gets args.'),
    ...commandFields,
  })
  .refine(({ command, args }) => command !== null || args.length > 0, {
    path: ['command'],
    message: 'is required, unless args are sent for the entry point of the image',
  })
  .describe('Command that replaces the one of the image.')

export const releaseCommand = z
  .strictObject({
    command: z.string().min(1).max(4096).describe('Command that each new version runs before its containers start.'),
    ...commandFields,
    timeoutSeconds: z.int().min(1).max(3600).default(600).describe('Seconds after which the command is ended.'),
  })
  .describe(
    'Command, such as a migration, that each new version runs once before its containers start. It has a container of its own. When it fails, the deployment fails, and the old version keeps running. Null: none.',
  )

import { z } from 'zod'
import { BUILD_FAILURE_REASONS } from '../../domain/build-failure.ts'
import { MAX_ABSENT } from '../archive/source-tree.ts'
import { MAX_IMAGES } from '../dockerfile/base-images.ts'
import { MAX_PORTS, MAX_SHOWN } from '../inspect-tree.ts'
import { COMMIT, MAX_ADDRESS, MAX_PATH_LENGTH, MAX_SUBMODULES } from '../limits.ts'
import { MAX_MESSAGE_LENGTH } from './frames.ts'
import type { ReadingName, Readings } from './readings.ts'

/** What a message may have, of whichever answer: the process that sends it has read what a tenant wrote. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** A Dockerfile of 256 KB whose images are named in full, and whose stages have labels. */
const dockerfile = z.string().max(2 * 1024 * 1024)
const MAX_NAME_LENGTH = 512
const MAX_VARIABLES = 1_000

/** The answers that the worker accepts, each with a limit. */
export const answerShapes = {
  unpack: z
    .array(z.strictObject({ path: z.string().max(4 * MAX_PATH_LENGTH), reason: z.string().max(MAX_NAME_LENGTH) }))
    .max(MAX_ABSENT),
  checkListing: z.strictObject({
    files: z.int().min(0),
    bytes: z.int().min(0),
    submodules: z
      .array(z.strictObject({ path: z.string().max(4 * MAX_PATH_LENGTH), commit: z.string().regex(COMMIT) }))
      .max(MAX_SUBMODULES),
  }),
  submodules: z
    .array(
      z.strictObject({ path: z.string().max(4 * MAX_PATH_LENGTH), address: z.string().max(MAX_ADDRESS).nullable() }),
    )
    .max(MAX_SUBMODULES),
  checkLinks: z.null(),
  findContext: z.string().max(MAX_PATH_LENGTH),
  writeDockerfile: z.strictObject({
    text: dockerfile,
    origin: z.string().max(2 * MAX_PATH_LENGTH),
    path: z.string().max(MAX_PATH_LENGTH).nullable(),
    installs: z.boolean(),
  }),
  inspect: z.strictObject({
    preset: z.string().max(MAX_NAME_LENGTH).nullable(),
    presetVersion: z.string().max(MAX_NAME_LENGTH).nullable(),
    sign: z.string().max(MAX_SHOWN).nullable(),
    problem: z.string().max(MAX_SHOWN).nullable(),
    dockerfilePath: z.string().max(MAX_NAME_LENGTH).nullable(),
    composePath: z.string().max(MAX_NAME_LENGTH).nullable(),
    startCommand: z.string().max(MAX_SHOWN).nullable(),
    ports: z.array(z.int().min(1).max(65_535)).max(MAX_PORTS),
  }),
  exposedVariables: z.array(z.string().max(MAX_NAME_LENGTH)).max(MAX_VARIABLES),
  declaredVariables: z.array(z.string().max(MAX_NAME_LENGTH)).max(MAX_VARIABLES),
  mountSecrets: dockerfile,
  nixpacksPlan: z
    .record(z.string().max(MAX_NAME_LENGTH), z.string())
    .refine((all) => Object.keys(all).length <= MAX_VARIABLES),
  nixpacksDockerfile: dockerfile,
  forBuilder: z.strictObject({
    text: dockerfile,
    images: z.array(z.string().max(2 * MAX_NAME_LENGTH)).max(MAX_IMAGES),
  }),
  namedImages: z.array(z.string().max(2 * MAX_NAME_LENGTH)).max(MAX_IMAGES),
  pinImages: dockerfile,
  pack: z.null(),
} satisfies { [Name in ReadingName]: z.ZodType<Awaited<ReturnType<Readings[Name]>>> }

export type AnswerOf<Name extends ReadingName> = z.infer<(typeof answerShapes)[Name]>

/** How a reading ended: with an answer, with a reason why the source cannot be built, or with trouble on this machine. */
export const outcomeShape = z.union([
  z.strictObject({ answer: z.unknown() }),
  z.strictObject({ failure: z.enum(BUILD_FAILURE_REASONS), message: z.string().max(MAX_MESSAGE_LENGTH) }),
  z.strictObject({ trouble: z.string().max(MAX_MESSAGE_LENGTH) }),
])

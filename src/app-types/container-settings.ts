import { z } from 'zod'
import {
  ALL_CAPABILITIES,
  CAPABILITY_NAMES,
  DEFAULT_TMPFS_MB,
  MAX_STOP_GRACE_SECONDS,
  STOP_SIGNALS,
  type StopSignal,
  ULIMITS,
  UNLIMITED,
} from '../domain/container-settings.ts'
import { mountPath } from './container-path.ts'

const MAX_FOLDERS = 20
const MAX_MEMORY_MB = 65_536
/** Engines take no higher number of a user or a group. */
const MAX_ID = 2_147_483_647

const NAME = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}'
const USER = new RegExp(`^${NAME}(?::${NAME})?$`)

const memoryMb = (about: string) => z.int().min(1).max(MAX_MEMORY_MB).describe(about)

/** Each text once: the field that has it again is named. */
const eachOnce =
  <Item>(keyOf: (item: Item) => string, path: string[] = []) =>
  (all: Item[], context: z.RefinementCtx<Item[]>) => {
    const seen = new Set<string>()
    for (const [index, item] of all.entries()) {
      const key = keyOf(item)
      if (seen.has(key))
        context.addIssue({ code: 'custom', path: [index, ...path], message: `"${key}" is there twice` })
      seen.add(key)
    }
  }

export const tmpfsFolder = z
  .strictObject({
    path: mountPath.describe('Path of the folder in the container.'),
    sizeMb: memoryMb(`Size in MB at most. Default ${DEFAULT_TMPFS_MB}.`).optional(),
  })
  .describe('Folder in memory.')

const tmpfs = z
  .array(tmpfsFolder)
  .max(MAX_FOLDERS, `must be at most ${MAX_FOLDERS} folders`)
  .superRefine(eachOnce(({ path }) => path, ['path']))
  .describe(
    'Folders in memory, which can be written where the root is read-only too, and are empty at each start. What is in them counts towards the memory limit. They hold no programs: noexec, nosuid, nodev.',
  )

const limit = z.int().min(UNLIMITED)

export const ulimit = z
  .strictObject({
    name: z
      .string()
      .max(40)
      .refine((name) => Object.hasOwn(ULIMITS, name), `must be one of ${Object.keys(ULIMITS).join(', ')}`)
      .describe('Name of the limit, as ulimit and engines call it.'),
    soft: limit.describe('Limit that applies. A program may raise it up to the hard one. -1: none.'),
    hard: limit.describe('Limit that no program may exceed. -1: none.'),
  })
  .superRefine(({ name, soft, hard }, context) => {
    const rule = Object.hasOwn(ULIMITS, name) ? ULIMITS[name] : undefined
    if (!rule) return
    const problem = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    for (const [path, value] of Object.entries({ soft, hard })) {
      if (value === UNLIMITED && !rule.mayBeUnlimited)
        problem(path, `must be 0 to ${rule.max}: ${name} cannot be unlimited`)
      if (value > rule.max) problem(path, `must be at most ${rule.max} for ${name}`)
    }
    const isAbove = soft === UNLIMITED ? rule.mayBeUnlimited : soft > hard
    if (hard !== UNLIMITED && isAbove) problem('soft', `must not be above hard, ${hard}`)
  })
  .describe('Limit of the kernel for each process.')

const CAPABILITIES: ReadonlySet<string> = new Set([ALL_CAPABILITIES, ...CAPABILITY_NAMES])

/** What an owner may say of containers. Nothing of it gives them a right: it takes away, or is theirs anyway. */
export const containerSettings = z
  .strictObject({
    readOnlyRoot: z
      .boolean()
      .optional()
      .describe('Whether only volumes and folders in memory can be written. Default false.'),
    tmpfs: tmpfs.optional(),
    user: z
      .string()
      .max(129)
      .regex(USER, 'must be a user or user:group, by name or number')
      .refine(
        (user) => user.split(':').every((part) => !/^\d+$/.test(part) || Number(part) <= MAX_ID),
        `must have numbers up to ${MAX_ID}`,
      )
      .optional()
      .describe(
        'User that the program runs as, `user` or `user:group`, by name or number. Default: that of the image.',
      ),
    hostname: z
      .string()
      .max(63)
      .regex(
        /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/,
        'must be letters, digits, dots and dashes, with a letter or digit at both ends',
      )
      .optional()
      .describe('Name that the container knows itself by. Others reach it by the environment’s name.'),
    workingDir: z
      .string()
      .max(1000)
      .regex(/^\/[^\0]*$/, 'must be an absolute path')
      .optional()
      .describe('Working directory of a program whose command names none. Default: that of the image.'),
    ulimits: z
      .array(ulimit)
      .max(Object.keys(ULIMITS).length)
      .superRefine(eachOnce(({ name }) => name, ['name']))
      .optional()
      .describe('Limits of the kernel for each process.'),
    init: z
      .boolean()
      .optional()
      .describe(
        'Whether a small process of the engine is the first one, passes signals on and reaps orphans. False for an image with one of its own. Default true.',
      ),
    sharedMemoryMb: memoryMb('Size of /dev/shm in MB, which counts towards the memory limit. Default: 64.').optional(),
    dropCapabilities: z
      .array(
        z
          .string()
          .max(40)
          .refine(
            (name) => CAPABILITIES.has(name),
            `must be ${ALL_CAPABILITIES} or a capability of Linux without CAP_: ${CAPABILITY_NAMES.join(', ')}`,
          ),
      )
      .max(CAPABILITIES.size)
      .superRefine(eachOnce((name) => name))
      .optional()
      .describe(
        'Capabilities that the container shall not have, `ALL` or names without CAP_. It has CHOWN, SETUID, SETGID and KILL at most.',
      ),
    stopSignal: z
      .string()
      .max(20)
      .refine((name): name is StopSignal => STOP_SIGNALS.some((signal) => signal === name), {
        error: `must be one of ${STOP_SIGNALS.join(', ')}`,
      })
      .optional()
      .describe('Signal that asks the program to end. Default: that of the image, else SIGTERM.'),
    stopGraceSeconds: z
      .int()
      .min(1)
      .max(MAX_STOP_GRACE_SECONDS)
      .optional()
      .describe(
        'Seconds between the stop signal and SIGKILL when a container is stopped. Default: BERTH_STOP_GRACE_SECONDS.',
      ),
  })
  .describe('How containers are made, also those of job runs and release commands.')

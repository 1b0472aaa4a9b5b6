import { Readable } from 'node:stream'
import { z } from 'zod'
import { originOf } from '../../calls/command.ts'
import { enumeration } from '../../calls/enumeration.ts'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, text, time } from '../../calls/field.ts'
import { appEnvTarget, id, instant } from '../../calls/input.ts'
import { recordQuery } from '../../calls/query.ts'
import { resource } from '../../calls/resource.ts'
import type { Config } from '../../config/config.ts'
import { DomainError, notFound } from '../../domain/errors.ts'
import type { Database } from '../../storage/database/client.ts'
import { databaseTime } from '../../storage/database/time.ts'
import type { Vault } from '../../storage/secrets/vault.ts'
import { callerOfMaker } from '../links/maker-may.ts'
import { endOf, isSignature, makerOf, signatureOf, whileOpen } from '../links/signed-link.ts'
import { type LogFileFormat, logFileText, logSources, mayWatchAll } from './log-file.ts'
import { LOG_TYPES, type LogFilter } from './log-filter.ts'
import { logLevel, logStream } from './log-line-fields.ts'
import { manyAddress } from './log-queries.ts'
import { MAX_APP_ENVS } from './search-many.ts'

export const LOG_FILE_PATH = '/api/public/v1/logs/file'

const LINK_SECONDS = 900
/** Of one account, by one process: each keeps the database busy for as long as it runs. */
const MAX_AT_ONCE = 3
/** A client that reads nothing does not see that its time is over. */
const GRACE_SECONDS = 30

export const logFileFormat = enumeration<LogFileFormat>('LogFileFormat', 'Format of a file of log lines.', {
  ndjson: 'A JSON object on each line, with the fields of a line of a log.',
  text: 'Time, container, stream and message on each line.',
})

const input = {
  ...appEnvTarget,
  appEnvIds: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(MAX_APP_ENVS)
    .optional()
    .describe('Ids of app environments, in place of one: their lines in the order of time.'),
  appId: id('app').optional().describe('Id of an app: the lines of all its environments that you may see.'),
  accountId: id('account').optional().describe('Id of an account: the lines of all its environments that you may see.'),
  contentId: z.string().min(1).max(100).optional().describe('Id of a version: only lines of that version.'),
  containerName: z.string().min(1).max(200).optional().describe('Name of a container: only lines of that container.'),
  jobRunId: z.string().min(1).max(100).optional().describe('Id of a job run: only lines of that run.'),
  type: z
    .enum(LOG_TYPES)
    .optional()
    .describe('Kind of program that wrote the lines. BUILD takes builds in place of containers.'),
  stream: logStream.type.optional().describe('Stream: only lines that were written to that stream.'),
  level: z.array(logLevel.type).min(1).max(5).optional().describe('Levels: only lines that name one of them.'),
  search: z.string().min(1).max(500).optional().describe('Text that the lines contain, in any case.'),
  from: instant('Earliest time of the lines.').optional(),
  to: instant('Latest time of the lines.').optional(),
  format: logFileFormat.type.default('ndjson').describe('Format of the file.'),
  zipped: z.boolean().default(false).describe('Whether the file is compressed by gzip.'),
}

const schema = z.strictObject(input)
type Asked = z.output<typeof schema>

interface LogsDownload {
  url: string
  expiresAt: string
}

const field = fieldsOf<LogsDownload>()

export const logsDownload = resource({
  name: 'LogsDownload',
  id: 'LogsDownload',
  description: 'Address of a file of log lines.',
  examples: { url: 'https://berth.example.com/api/public/v1/logs/file?asked=…&expires=…&signature=…' },
  fields: {
    url: field.given(
      'url',
      text,
      'Address of the file. GET needs no token there: keep it secret. It ends with the token that asked for it.',
    ),
    expiresAt: field.given('expiresAt', time, 'Time until which a download can begin.'),
  },
})

export const getLogsDownload = recordQuery({
  name: 'getLogsDownload',
  path: '/logs/download',
  permission: 'appEnv:observe',
  about:
    'Request an address to download log lines from as a file, oldest first: the same lines that GET /logs finds, without pages. The address needs no token, and works for 15 minutes, as long as yours does and may see the lines. Over the limits of the installation the file ends with a line that says from where to continue.',
  example: { request: { appEnvId: exampleId('env'), from: '2026-11-20T00:00:00Z', zipped: true } },
  input,
  of: logsDownload,
  isSingle: false,
  async find(context, asked) {
    const { database, caller, vault } = context
    await sourcesOf(database, caller, asked)
    const expires = String(endOf(await databaseTime(database), LINK_SECONDS, caller.expiresAt))
    const packed = Buffer.from(JSON.stringify(asked)).toString('base64url')
    const signature = signatureOf(vault, signedText(packed, expires, caller.tokenId), caller.tokenId)
    const query = new URLSearchParams({ asked: packed, expires, signature })
    return {
      url: `${originOf(context)}${LOG_FILE_PATH}?${query}`,
      expiresAt: new Date(Number(expires) * 1000).toISOString(),
    }
  },
})

const signedText = (asked: string, expires: string, maker: string) => `logs ${asked} ${maker} ${expires}`

const filterOf = ({ type, contentId, containerName, jobRunId, stream, level, search, from, to }: Asked): LogFilter => ({
  type,
  contentId,
  containerName,
  jobRunId,
  stream,
  search,
  levels: level,
  from: from ? new Date(from) : undefined,
  to: to ? new Date(to) : undefined,
})

function sourcesOf(database: Database, caller: Parameters<typeof logSources>[1], asked: Asked) {
  const { appEnvId, envName, contentId, containerName, jobRunId } = asked
  const many = manyAddress(asked, { appEnvId, envName, contentId, containerName, jobRunId })
  return logSources(database, caller, { appEnvId, envName }, many, filterOf(asked))
}

export interface LogLink {
  asked: string
  expires: string
  signature: string
}

/** A file of log lines, which is read as fast as its reader takes it. */
export interface LogFile {
  name: string
  format: LogFileFormat
  isZipped: boolean
  content: Readable
}

/** What an address leads to. Throws NOT_FOUND for any other, and RATE_LIMITED while too many are read. */
export async function readLogsByLink(
  { database, config, vault }: { database: Database; config: Config; vault: Vault },
  { asked: packed, expires, signature }: LogLink,
): Promise<LogFile> {
  const gone = () => notFound('file of logs that this address leads to', packed.slice(0, 20), '')
  const maker = makerOf(signature)
  if (!isSignature(signature, signatureOf(vault, signedText(packed, expires, maker), maker))) throw gone()
  if ((await databaseTime(database)).getTime() >= Number(expires) * 1000) throw gone()
  // Berth signed it; another version of Berth may ask for something else.
  const { data: asked } = schema.safeParse(JSON.parse(Buffer.from(packed, 'base64url').toString()))
  if (!asked) throw gone()
  const caller = await callerOfMaker(database, maker, null)
  if (!caller) throw gone()
  const sources = await sourcesOf(database, caller, asked)
  const appEnvIds = sources.map(({ appEnvId }) => appEnvId)
  const isOpen = async () => {
    const now = await callerOfMaker(database, maker, null)
    return now !== null && mayWatchAll(database, now, appEnvIds)
  }
  const lines = logFileText(database, config, sources, filterOf(asked), asked.format)
  const content = takeTurn(maker, () => Readable.from(whileOpen(lines, isOpen, gone), { objectMode: false }))
  const late = setTimeout(() => content.destroy(gone()), (config.BERTH_LOG_DOWNLOAD_SECONDS + GRACE_SECONDS) * 1000)
  content.once('close', () => clearTimeout(late.unref()))
  return { name: await nameOf(database, appEnvIds, asked), format: asked.format, isZipped: asked.zipped, content }
}

const underWay = new Map<string, number>()

/** Counts what the token reads until it is closed. */
function takeTurn(maker: string, open: () => Readable): Readable {
  const count = underWay.get(maker) ?? 0
  if (count >= MAX_AT_ONCE) {
    const words = `${MAX_AT_ONCE} downloads of logs by this token are under way; wait for one to end`
    throw new DomainError('RATE_LIMITED', 'TOO_MANY_DOWNLOADS', words, { retryAfterSeconds: 10 })
  }
  underWay.set(maker, count + 1)
  return open().once('close', () => {
    const left = (underWay.get(maker) ?? 1) - 1
    if (left === 0) underWay.delete(maker)
    else underWay.set(maker, left)
  })
}

/** `<environment>-2026-11-28T1200.ndjson.gz` */
async function nameOf(database: Database, appEnvIds: readonly string[], { format, zipped }: Asked): Promise<string> {
  const [id = ''] = appEnvIds
  const of = appEnvIds.length === 1 ? await database.appEnv.findUnique({ where: { id } }) : null
  const at = (await databaseTime(database)).toISOString().replaceAll(':', '').slice(0, 15)
  return `${of?.cliEnvName ?? 'logs'}-${at}.${format === 'ndjson' ? 'ndjson' : 'log'}${zipped ? '.gz' : ''}`
}

import { z } from 'zod'
import { BackupFailed } from '../backup-failed.ts'

/** What a backup file says of itself. Every chunk is authenticated with it. */
export interface BackupHeader {
  backupId: string
  /** Version of the engine that wrote what is inside, `<PRESET>_<VERSION>`. */
  presetVersion: string
}

const MAGIC = Buffer.from('BERTHBK1')
const LENGTH_BYTES = 4
const MAX_HEADER_BYTES = 4096
export const PREAMBLE_BYTES = MAGIC.length + LENGTH_BYTES

const fields = z.object({
  backupId: z.string(),
  presetVersion: z.string(),
  compression: z.literal('zstd'),
  cipher: z.literal('aes-256-gcm'),
})

/** The first bytes of a file: magic, length, and the header as JSON. */
export function encodeHeader({ backupId, presetVersion }: BackupHeader): Buffer {
  const json = Buffer.from(JSON.stringify({ backupId, presetVersion, compression: 'zstd', cipher: 'aes-256-gcm' }))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(json.length)
  return Buffer.concat([MAGIC, length, json])
}

/** How long the header is that follows the first bytes of a file. */
export function headerBytes(preamble: Buffer): number {
  const bytes = preamble.length === PREAMBLE_BYTES ? preamble.readUInt32BE(MAGIC.length) : 0
  if (!preamble.subarray(0, MAGIC.length).equals(MAGIC)) throw damaged('it does not begin as a backup does')
  if (bytes === 0 || bytes > MAX_HEADER_BYTES) throw damaged('its header has an impossible length')
  return bytes
}

/** Throws unless the header is that of the backup that was asked for. */
export function checkHeader(json: Buffer, expected: BackupHeader): void {
  const found = fields.safeParse(parsed(json)).data
  if (!found) throw damaged('its header cannot be read')
  if (found.backupId !== expected.backupId)
    throw damaged(`the file is that of another backup, ${found.backupId}, not of ${expected.backupId}`)
  if (found.presetVersion !== expected.presetVersion)
    throw damaged(`its header says ${found.presetVersion}, and the backup is one of ${expected.presetVersion}`)
}

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'))
  } catch {
    return null
  }
}

export const damaged = (why: string) => new BackupFailed('BACKUP_DAMAGED', `The backup is damaged: ${why}`)

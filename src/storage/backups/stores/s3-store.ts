import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { BackupFailed } from '../backup-failed.ts'
import { ByteReader } from '../format/byte-reader.ts'
import type { BackupStore, Removal, WriteOptions } from './backup-store.ts'

/** An S3-compatible storage, at addresses that may be asked. */
export interface S3Place {
  endpoint: URL
  addresses: readonly string[]
  region: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
}

const FOLDER = 'berth-backups/'
const MB = 1024 * 1024
const FIRST_PART_BYTES = 8 * MB
/** The protocol allows 10,000 parts: they grow, so that 440 GB fit and small backups take little memory. */
const PARTS_OF_ONE_SIZE = 1_000
const MAX_PARTS = 10_000
const CONNECT_MS = 10_000
const SILENCE_MS = 60_000
const MAX_PAGES = 100

/** Objects in a bucket. A bucket may hold other things too, so keys have a folder of their own. */
export function s3Store(place: S3Place): BackupStore {
  const client = clientOf(place)
  const Bucket = place.bucket
  const upload = async (file: string, content: AsyncIterable<Uint8Array>, { signal, begun }: WriteOptions) => {
    const object = { Bucket, Key: FOLDER + file }
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(object), { abortSignal: signal })
    const all = { ...object, UploadId }
    try {
      await begun(`${file}/${UploadId}`)
      const Parts = await uploadParts(client, all, content, signal)
      signal.throwIfAborted()
      await client.send(new CompleteMultipartUploadCommand({ ...all, MultipartUpload: { Parts } }), {
        abortSignal: signal,
      })
    } catch (error) {
      // Not with the signal, which may have ended the upload. Housekeeping repeats it where this fails.
      await client.send(new AbortMultipartUploadCommand(all)).catch(() => {})
      throw error
    }
  }
  return {
    write: (file, content, options) => upload(file, content, options).catch(explained(place, options.signal)),
    async *read(file, signal) {
      const command = new GetObjectCommand({ Bucket, Key: FOLDER + file })
      try {
        const { Body } = await client.send(command, { abortSignal: signal })
        yield* Body as Readable
      } catch (error) {
        await explained(place, signal)(error)
      }
    },
    remove: (removal) => removeObjects(client, Bucket, removal).catch(explained(place, removal.signal)),
  }
}

type Upload = { Bucket: string; Key: string; UploadId: string | undefined }

/** One part is in memory at a time. */
async function uploadParts(
  client: S3Client,
  upload: Upload,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<{ ETag: string | undefined; PartNumber: number }[]> {
  const reader = new ByteReader(content)
  const parts: { ETag: string | undefined; PartNumber: number }[] = []
  while (parts.length === 0 || !(await reader.isAtEnd())) {
    const PartNumber = parts.length + 1
    if (PartNumber > MAX_PARTS) throw new BackupFailed('STORAGE_REFUSED', 'The backup is larger than 440 GB')
    const Body = await reader.read(FIRST_PART_BYTES * (1 + Math.floor(parts.length / PARTS_OF_ONE_SIZE)))
    const command = new UploadPartCommand({ ...upload, PartNumber, Body })
    const { ETag } = await client.send(command, { abortSignal: signal })
    parts.push({ ETag, PartNumber })
  }
  return parts
}

async function removeObjects(
  client: S3Client,
  Bucket: string,
  { prefix, except, unfinished, signal }: Removal,
): Promise<void> {
  const [file = '', UploadId] = unfinished?.split('/') ?? []
  const options = { abortSignal: signal }
  if (UploadId)
    await client
      .send(new AbortMultipartUploadCommand({ Bucket, Key: FOLDER + file, UploadId }), options)
      .catch((error: Error) => {
        if (error.name !== 'NoSuchUpload') throw error
      })
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const found = await client.send(new ListObjectsV2Command({ Bucket, Prefix: FOLDER + prefix }), options)
    const keys = (found.Contents ?? []).flatMap(({ Key }) => (Key && Key !== FOLDER + except ? [Key] : []))
    for (const Key of keys) await client.send(new DeleteObjectCommand({ Bucket, Key }), options)
    if (!found.IsTruncated) return
  }
}

function clientOf({ endpoint, addresses, region, accessKeyId, secretAccessKey }: S3Place): S3Client {
  const agent = { lookup: pinned(addresses), keepAlive: true, maxSockets: 4 }
  return new S3Client({
    region,
    endpoint: endpoint.href,
    credentials: { accessKeyId, secretAccessKey },
    // A bucket as part of the host would be another name, whose addresses were not checked.
    forcePathStyle: true,
    // Servers other than Amazon's know the newer checksums only in part; each chunk has its own anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    followRegionRedirects: false,
    maxAttempts: 3,
    requestHandler: {
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
      connectionTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
    },
  })
}

/** Whatever the name resolves to by now, connections go to the addresses that were checked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, callback) => {
    const [first] = found
    if (options.all || !first) callback(null, found)
    else callback(null, first.address, first.family)
  }
}

/** An answer of the storage is final, unless it is about its own state; no answer may be another one later. */
const explained =
  ({ bucket, endpoint }: S3Place, signal: AbortSignal) =>
  (error: unknown): never => {
    signal.throwIfAborted()
    const { name, $metadata, code } = error as Error & { $metadata?: { httpStatusCode?: number }; code?: string }
    const status = $metadata?.httpStatusCode
    const where = `The object storage ${endpoint.host}`
    if (name === 'NoSuchKey') throw new BackupFailed('BACKUP_MISSING', `${where} has no such file in "${bucket}"`)
    if (status !== undefined && status < 500 && status !== 429)
      throw new BackupFailed('STORAGE_REFUSED', `${where} refuses, with the bucket "${bucket}": ${name} (${status})`)
    const isNetwork = status !== undefined || code !== undefined || name === 'TimeoutError'
    if (isNetwork) throw new BackupFailed('STORAGE_UNREACHABLE', `${where} does not answer: ${code ?? name}`)
    throw error
  }

import { ListObjectsV2Command, S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { startFauxqs } from 'fauxqs'

/** A stand-in for object storage: fauxqs, a server of the S3 protocol in Node.js, in memory. It checks no signatures. */
export async function startS3(bucket = 'backups') {
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false })
  server.createBucket(bucket)
  const login = {
    endpoint: `http://127.0.0.1:${server.port}`,
    region: 'us-east-1',
    bucket,
    accessKeyId: 'canary-access-key',
    secretAccessKey: 'canary-secret-access-key',
  }
  const client = new S3Client({ ...login, credentials: { ...login }, forcePathStyle: true })
  return {
    login,
    client,
    async keys(): Promise<string[]> {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
      return Contents.flatMap(({ Key }) => Key ?? [])
    },
    /** Whether a multipart upload is still open. */
    async takesParts(unfinished: string): Promise<boolean> {
      const [file, UploadId] = unfinished.split('/')
      const part = { Bucket: bucket, Key: `berth-backups/${file}`, UploadId, PartNumber: 9, Body: 'x' }
      return client.send(new UploadPartCommand(part)).then(
        () => true,
        () => false,
      )
    },
    async [Symbol.asyncDispose]() {
      client.destroy()
      await server.stop()
    },
  }
}

import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { command, originOf } from '../../calls/command.ts'
import { EXAMPLE_HOST, exampleId } from '../../calls/examples.ts'
import { appEnvTarget } from '../../calls/input.ts'
import { conflict } from '../../domain/errors.ts'
import { newId } from '../../domain/ids.ts'
import { publicUrl } from '../../domain/public-url.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { type AppEnvAddress, type AppEnvTarget, lockAppEnv } from '../targets/load-app-env.ts'
import { storageKeyAnswer } from './upload-fields.ts'

/** Where archives are PUT. The secret in the query is the authorization, as with any presigned URL. */
export const UPLOAD_PATH = '/api/public/v1/app-env/upload'

const URL_SECONDS = 3600
const SECRET_BYTES = 32
/** Each key may become a file as large as a source may be. */
const MAX_OPEN = 10

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export const requestStorageKey = command({
  name: 'requestStorageKey',
  rest: { method: 'POST', path: '/app-env/request-storage-key', answer: storageKeyAnswer },
  versioned: true,
  about:
    'Request an address to upload source code to. PUT the archive to uploadUrl within an hour, then call notifyCodeUpload.',
  example: {
    request: { fileExtension: '.tgz' },
    answer: {
      storageKey: exampleId('upl'),
      uploadUrl: `http://127.0.0.1:4000/api/public/v1/app-env/upload?storageKey=${exampleId('upl')}&secret=<secret>`,
      envUrl: `http://${EXAMPLE_HOST}:8080`,
    },
  },
  input: z.strictObject({
    ...appEnvTarget,
    fileExtension: z
      .string()
      .regex(/^\.?(zip|tgz|tar\.gz)$/, 'must be .zip, .tgz or .tar.gz, with or without the first dot')
      .default('.tgz')
      .describe('Kind of the archive: .zip, .tgz or .tar.gz. The first dot may be left out.'),
  }),
  permission: 'appEnv:operate',
  target: ({ tx }, input) => lockAppEnv(tx, input as AppEnvAddress),
  async execute(context, { fileExtension }, { appEnv }: AppEnvTarget) {
    const { tx, caller } = context
    if (!appEnv.app.isCliDeployment) {
      throw conflict(
        'SOURCE_NOT_CONFIGURED',
        'The app is not deployed by uploads: it was created without isCliDeployment',
      )
    }
    const now = await databaseTime(tx)
    const open = { appEnvId: appEnv.id, notifiedAt: null, expiresAt: { gt: now } }
    if ((await tx.upload.count({ where: open })) >= MAX_OPEN) {
      throw conflict(
        'TOO_MANY_UPLOADS',
        `${MAX_OPEN} uploads of this environment have been asked for and not built; they lapse within an hour`,
      )
    }
    const storageKey = newId('upl')
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    await tx.upload.create({
      data: {
        id: storageKey,
        appEnvId: appEnv.id,
        fileExtension: withDot(fileExtension),
        secretHash: hashOf(secret),
        requestedBy: caller.userId ?? caller.tokenId,
        tokenId: caller.tokenId,
        // The URL alone permits the upload: it is passed on, and ends with the token that created it.
        expiresAt: new Date(Math.min(now.getTime() + URL_SECONDS * 1000, caller.expiresAt?.getTime() ?? Infinity)),
      },
    })
    const host = await tx.host.findFirst({ where: { appEnvId: appEnv.id, status: 'VALID' }, orderBy: { id: 'asc' } })
    context.auditDetails({ storageKey, fileExtension: withDot(fileExtension) })
    context.created(storageKey, secret)
    return {
      uploadUrl: `${originOf(context)}${UPLOAD_PATH}?${new URLSearchParams({ storageKey, secret })}`,
      storageKey,
      envUrl: host ? publicUrl(context.config, host.host) : null,
    }
  },
})

const withDot = (extension: string): string => (extension.startsWith('.') ? extension : `.${extension}`)

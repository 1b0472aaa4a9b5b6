import { z } from 'zod'
import { command } from '../../calls/command.ts'
import { exampleId } from '../../calls/examples.ts'
import { appEnvTarget, id } from '../../calls/input.ts'
import { conflict, notFound } from '../../domain/errors.ts'
import { databaseTime } from '../../storage/database/time.ts'
import { beginOperation } from '../lifecycle/begin-operation.ts'
import { nextBuild } from '../lifecycle/build.ts'
import { type LifecycleResult, withOutcome } from '../lifecycle/lifecycle-operation.ts'
import { acceptedExample, lifecycleAnswer } from '../targets/accepted.ts'
import { type AppEnvAddress, lockAppEnv } from '../targets/load-app-env.ts'

export const notifyCodeUpload = command({
  name: 'notifyCodeUpload',
  rest: {
    method: 'POST',
    path: '/app-env/notify-code-upload',
    answer: lifecycleAnswer,
    isLifecycle: true,
    // CI clients know the second one.
    alias: { path: '/app-env/upload-storage-event', name: 'uploadStorageEvent' },
  },
  versioned: true,
  waits: true,
  about: 'Report that the archive is uploaded, so that the source is built and deployed.',
  example: { request: { storageKey: exampleId('upl') }, answer: acceptedExample('Build of the uploaded code started') },
  input: z.strictObject({ ...appEnvTarget, storageKey: id('upload, from request-storage-key') }),
  permission: 'appEnv:operate',
  refresh: withOutcome,
  target: ({ tx }, input) => lockAppEnv(tx, input as AppEnvAddress),
  async execute(context, { storageKey }, { appEnv }): Promise<LifecycleResult> {
    const { tx } = context
    const upload = await tx.upload.findFirst({ where: { id: storageKey, appEnvId: appEnv.id } })
    if (!upload) throw notFound('upload', storageKey)
    if (!upload.uploadedAt) throw conflict('NOT_UPLOADED', 'Nothing has been uploaded under that storage key yet')
    await tx.upload.update({ where: { id: storageKey }, data: { notifiedAt: await databaseTime(tx) } })
    const content = await nextBuild(context, appEnv, false)
    const operation = await beginOperation(context, appEnv, { kind: 'BUILD', content })
    return {
      success: true,
      message: 'Build of the uploaded code started',
      appEnv: { appEnvId: appEnv.id, name: appEnv.name, status: 'UPDATING' },
      operationId: operation.id,
    }
  },
})

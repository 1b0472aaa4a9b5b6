import { expect } from 'vitest'
import type { ChecklistProof } from '../checklist-proof.ts'

const OPERATION = `import { conflict } from '../../domain/errors.ts'
import { acceptedExample } from '../targets/accepted.ts'
import { lifecycleOperation } from './lifecycle-operation.ts'
import { z } from 'zod'

export const pauseAppEnv = lifecycleOperation({
  name: 'pauseAppEnv',
  path: '/app-env/pause',
  about: 'Stop the containers of an environment for a while.',
  example: { request: { reason: 'Holidays' }, answer: acceptedExample('The environment is being paused') },
  accepted: 'The environment is being paused',
  input: { reason: z.string().min(1).max(100).describe('Why the environment is paused.').optional() },
  async plan(_context, appEnv) {
    if (appEnv.status === 'PENDING') throw conflict('NEVER_DEPLOYED', 'Nothing was ever deployed here')
    return { intent: { kind: 'PAUSE' } }
  },
})
`
const LIST = 'src/services/lifecycle/operations.ts'
const HANDLERS = 'src/worker/operations/run-operation.ts'
const WORDS = 'src/services/operation/operation-fields.ts'
const CASES = 'test/parity/lifecycle-cases.ts'

export const lifecycleOperation: ChecklistProof = {
  heading: 'A lifecycle operation',
  follow(copy) {
    copy.write('src/services/lifecycle/pause.ts', OPERATION)
    copy.addLine(LIST, 'applyChanges,', '  pauseAppEnv,', ["import { pauseAppEnv } from './pause.ts'"])
    copy.addLine('prisma/schema.prisma', 'APPLY_CHANGES', '  PAUSE')
    copy.addLine(WORDS, 'APPLY_CHANGES:', "  PAUSE: 'Stops the containers for a while.',")
    copy.addLine(HANDLERS, 'APPLY_CHANGES:', '  PAUSE: stop,')
    copy.addLine(
      CASES,
      "simple('applyChanges with nothing pending'",
      "  simple('pauseAppEnv of one that runs', pauseAppEnv, 'accepted', running, { reason: 'Holidays' }),",
      ["import { pauseAppEnv } from '../../src/services/lifecycle/pause.ts'"],
    )
  },
  edits: ['prisma/schema.prisma', WORDS, LIST, 'src/services/lifecycle/pause.ts', HANDLERS, CASES],
  expectOutcome({ sdl, openapi, migration }) {
    expect(migration).toContain(`ALTER TYPE "public"."OperationKind" ADD VALUE 'PAUSE'`)
    const { post } = openapi.paths['/app-env/pause']
    expect(post).toMatchObject({
      operationId: 'pauseAppEnv',
      description: 'Stop the containers of an environment for a while.',
      tags: ['Deployments'],
    })
    expect(post.requestBody.content['application/json'].example).toMatchObject({ reason: 'Holidays' })
    expect(post.requestBody.content['application/json'].schema.$ref).toBe('#/components/schemas/PauseAppEnvInput')
    expect(Object.keys(openapi.components.schemas.PauseAppEnvInput.properties)).toEqual([
      'appEnvId',
      'envName',
      'reason',
    ])
    const shared = post.parameters.map(({ $ref }: { $ref: string }) => $ref.split('/').at(-1))
    expect(shared).toEqual(['DryRun', 'IdempotencyKey', 'IfMatch', 'Prefer', 'RequestId'])
    expect(openapi.components.schemas.OperationKind.enum).toContain('PAUSE')
    expect(sdl).toMatch(/^ {2}pauseAppEnv\(\n.*\n {4}input: PauseAppEnvInput!/m)
    const input = /^input PauseAppEnvInput \{(.*?)^\}/ms.exec(sdl)?.[1]
    for (const field of ['reason', 'idempotencyKey', 'dryRun', 'expectedVersion', 'waitSeconds']) {
      expect(input).toContain(`\n  ${field}: `)
    }
    expect(sdl).toMatch(/^type PauseAppEnvPayload \{/m)
    expect(sdl).toMatch(/^enum OperationKind \{[^}]*"""Stops the containers for a while\."""\n {2}PAUSE\n/m)
  },
  forgotten: [
    {
      step: 'what the worker does for it',
      forget: (copy) => copy.replace(HANDLERS, '  PAUSE: stop,\n', ''),
      check: 'types',
      says: /run-operation\.ts.*Property 'PAUSE' is missing/,
    },
    {
      step: 'its description',
      forget: (copy) => copy.replace(WORDS, "  PAUSE: 'Stops the containers for a while.',\n", ''),
      check: 'types',
      says: /operation-fields\.ts.*'PAUSE' is missing/,
    },
  ],
}

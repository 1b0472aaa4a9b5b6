import type { z } from 'zod'
import { exampleId } from '../../calls/examples.ts'
import { fieldsOf, flag, text } from '../../calls/field.ts'
import { answer } from '../../calls/resource.ts'
import { appEnvReference } from './app-env-reference.ts'

interface Accepted {
  success: boolean
  message: string
  appEnv: z.output<typeof appEnvReference.type>
}

const field = fieldsOf<Accepted>()

/** §2.5, the shared shape. */
export const accepted = {
  success: field.given(
    'success',
    flag,
    'Whether the call was accepted; after a wait, false when its operation failed or was cancelled.',
  ),
  message: field.given(
    'message',
    text,
    'What was accepted; after a wait, the outcome of the operation and, if it failed, the version that serves now.',
  ),
  appEnv: field.given('appEnv', appEnvReference.type, 'Environment, with the status that the call gave it.', {
    inGraphQL: { isResolvedThere: true },
  }),
}

export const lifecycleAnswer = answer(accepted, { id: 'Lifecycle', description: 'An accepted lifecycle call.' })

/** What the documentation shows of a call that has begun an operation. */
export const acceptedExample = (message: string) => ({
  message,
  appEnv: {
    appEnvId: exampleId('env'),
    name: 'production',
    status: 'UPDATING',
  },
})

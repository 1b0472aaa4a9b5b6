import { z } from 'zod'
import { appEnvTarget } from '../../services/kernel/input.ts'
import { read, Versioned } from '../protocol/route.ts'
import { appEnvStatus, applied, variable } from './app-envs.ts'

/** Contract §3, PATCH /app-env/resources and its like. */
export const changedSetting = z.object({
  success: z.boolean().describe('The change was accepted.'),
  message: z.string().describe('The same, in words.'),
  appEnv: z.object({
    appEnvId: z.string().describe('Environment id.'),
    name: z.string().describe('Its name.'),
    status: appEnvStatus,
  }),
  ...applied,
})

const all = { variables: z.array(variable).describe('Environment variables, by name.') }

export const changedVariables = z.object({ ...all, ...applied })

export const getVariables = read({
  name: 'getVariables',
  about: 'The environment variables of an environment.',
  query: z.strictObject({
    ...appEnvTarget,
    showSecrets: z
      .boolean()
      .default(false)
      .describe('Show the values of secret variables. Admins only; leaves an audit entry.'),
  }),
  answer: z.object(all),
  isSingle: true,
  async run({ services, caller, requestId }, { showSecrets, ...address }) {
    const { variables, version } = await services.appEnvs.variables(caller, address, { showSecrets, requestId })
    return new Versioned({ variables }, version)
  },
})

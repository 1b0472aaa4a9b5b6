import { z } from 'zod'
import { serviceCredentials } from '../../resources/service-credentials.ts'
import { appEnvTarget } from '../../services/kernel/input.ts'
import { read } from '../protocol/route.ts'

export const getServiceCredentials = read({
  name: 'getServiceCredentials',
  permission: 'credentials:reveal',
  about: 'The generated credentials of a managed service. Admins only; leaves an audit entry.',
  query: z.strictObject(appEnvTarget),
  answer: serviceCredentials.answer.type,
  run: ({ services, caller, requestId }, address) => services.appEnvs.credentials(caller, address, { requestId }),
})

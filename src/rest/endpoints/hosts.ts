import { z } from 'zod'
import { host } from '../../resources/host.ts'
import { appEnvTarget, id } from '../../services/kernel/input.ts'
import { read } from '../protocol/route.ts'

export const getHost = read({
  name: 'getHost',
  permission: 'appEnv:read',
  about: 'A host of an environment, by hostId or host, with the DNS records that prove its ownership.',
  query: z.strictObject({
    ...appEnvTarget,
    hostId: id('host').optional(),
    host: z.string().min(1).max(300).optional().describe('Host name, such as www.example.com.'),
  }),
  answer: host.answer.type,
  isSingle: true,
  run: ({ services, caller }, { hostId, host: name, ...address }) =>
    services.hosts.get(caller, address, { hostId, host: name }),
})

export const listHosts = read({
  name: 'listHosts',
  permission: 'appEnv:read',
  about: 'The hosts of an environment, the automatic one first.',
  query: z.strictObject(appEnvTarget),
  answer: z.object({ hosts: z.array(host.answer.type).describe('Hosts of the environment.') }),
  run: async ({ services, caller }, address) => ({ hosts: await services.hosts.list(caller, address) }),
})

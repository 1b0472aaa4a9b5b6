import { buildCache } from '../../resources/build-cache.ts'
import { appEnvTarget } from '../../services/kernel/input.ts'
import { getOne } from '../protocol/resource-reads.ts'

export const getBuildCache = getOne({
  name: 'getBuildCache',
  permission: 'appEnv:read',
  about: 'Size of the build cache that builds of an environment use, and whether it is going to be cleared.',
  query: appEnvTarget,
  answer: buildCache.answer,
  find: ({ services, caller }, address) => services.buildCaches.get(caller, address),
  show: (record) => record,
})

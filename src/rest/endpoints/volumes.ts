import { volume } from '../../resources/volume.ts'
import { id } from '../../services/kernel/input.ts'
import { getList } from '../protocol/resource-reads.ts'

export const listVolumes = getList({
  name: 'listVolumes',
  permission: 'appEnv:read',
  about: 'The volumes of an account, also those whose environment was deleted.',
  query: { accountId: id('account').optional() },
  items: 'volumes',
  answer: volume.answer,
  find: ({ services, caller }, filter, page, wanted) => services.volumes.list(caller, filter, page, wanted),
})

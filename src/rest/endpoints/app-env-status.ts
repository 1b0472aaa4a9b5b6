import { z } from 'zod'
import { historyAnswer } from '../../resources/activity.ts'
import { appEnvStatusAnswer } from '../../resources/app-env-status.ts'
import { appEnvTarget, instant } from '../../services/kernel/input.ts'
import { read } from '../protocol/route.ts'

export const getAppEnvStatus = read({
  name: 'getAppEnvStatus',
  permission: 'appEnv:observe',
  about: 'Desired and observed state of an environment.',
  query: z.strictObject(appEnvTarget),
  answer: appEnvStatusAnswer.type,
  isSingle: true,
  run: ({ services, caller }, address) => services.appEnvs.status(caller, address),
})

export const getAppEnvHistory = read({
  name: 'getAppEnvHistory',
  permission: 'appEnv:observe',
  about: 'The versions of an environment and the changes of its number of containers, newest first.',
  query: z.strictObject({
    ...appEnvTarget,
    limit: z.int().min(1).max(200).default(50).describe('Maximum number of items in the answer.'),
    offset: z.int().min(0).max(1_000_000).default(0).describe('Number of items to skip.'),
    fromDate: instant('Earliest time at which the items were requested.').optional(),
    toDate: instant('Latest time at which the items were requested.').optional(),
  }),
  answer: historyAnswer.type,
  run: ({ services, caller }, { appEnvId, envName, ...request }) =>
    services.appEnvs.history(caller, { appEnvId, envName }, request),
})

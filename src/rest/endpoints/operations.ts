import { z } from 'zod'
import { operation } from '../../resources/operation.ts'
import { appEnvTarget, id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'

export const getOperation = getOne({
  name: 'getOperation',
  permission: 'operation:read',
  about: 'An operation: what was asked, its progress, and why it failed if it did.',
  query: { operationId: id('operation') },
  answer: operation.answer,
  isVersioned: true,
  find: ({ services, caller }, { operationId }, wanted) => services.operations.get(caller, operationId, wanted),
})

export const listOperations = getList({
  name: 'listOperations',
  permission: 'operation:read',
  about: 'The operations of an environment, newest first.',
  query: {
    ...appEnvTarget,
    isDeadLetter: z
      .boolean()
      .optional()
      .describe('Whether to list only operations that used up every attempt, or only the others.'),
  },
  items: 'operations',
  answer: operation.answer,
  find: ({ services, caller }, filter, page, wanted) => services.operations.list(caller, filter, page, wanted),
})

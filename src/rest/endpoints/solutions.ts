import { z } from 'zod'
import { solution } from '../../resources/solution.ts'
import { solutionInstallation } from '../../resources/solution-installation.ts'
import { id } from '../../services/kernel/input.ts'
import { getList, getOne } from '../protocol/resource-reads.ts'
import { read } from '../protocol/route.ts'

export const listSolutions = read({
  name: 'listSolutions',
  permission: 'catalogue:read',
  about: 'The solutions that can be installed, with their inputs and the graph of their components.',
  query: z.strictObject({ accountId: id('account that a solution is to be installed in').optional() }),
  answer: z.object({
    solutions: z.array(solution.answer.type).describe('Solutions, in the order of the catalogue.'),
  }),
  async run({ services, caller }, filter) {
    const found = await services.solutions.list(caller, filter)
    return { solutions: found.map((one) => solution.answer.record(one)) }
  },
})

export const getInstallation = getOne({
  name: 'getInstallation',
  permission: 'app:read',
  about: 'An installation: the state of each of its components, and why those failed that did.',
  query: { installationId: id('installation') },
  answer: solutionInstallation.answer,
  isVersioned: true,
  find: ({ services, caller }, { installationId }, wanted) =>
    services.solutions.installation(caller, installationId, wanted),
})

export const listInstallations = getList({
  name: 'listInstallations',
  permission: 'app:read',
  about: 'The installations of an account, newest first.',
  query: { accountId: id('account').optional() },
  items: 'installations',
  answer: solutionInstallation.answer,
  find: ({ services, caller }, filter, page, wanted) => services.solutions.installations(caller, filter, page, wanted),
})

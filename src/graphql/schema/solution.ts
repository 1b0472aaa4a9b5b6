import type { RecordOf } from '../../resources/resource.ts'
import { solution } from '../../resources/solution.ts'
import { installed, solutionInstallation, upgraded } from '../../resources/solution-installation.ts'
import { installCompose } from '../../services/solution/install-compose.ts'
import { installSolution } from '../../services/solution/install-solution.ts'
import { removeInstallation } from '../../services/solution/remove-installation.ts'
import { upgradeInstallation } from '../../services/solution/upgrade-installation.ts'
import { builder } from '../builder.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { recordType, rowFields } from '../derive/resource-fields.ts'
import { ROOT_PAGE } from '../limits/sizes.ts'
import { findableAsNode, Node } from './node.ts'
import { messageField, outcomeFields } from './payload-fields.ts'

const Solution = recordType<RecordOf<typeof solution.answer>>(solution)

export const SolutionInstallation = builder.prismaObject('SolutionInstallation', {
  description: solutionInstallation.description,
  interfaces: [Node],
  select: { id: true },
  fields: (t) => rowFields(t, solutionInstallation),
})

findableAsNode('inst', 'SolutionInstallation', ({ services, caller }, id, queryOf) =>
  services.solutions.installation(caller, id, queryOf()),
)

builder.queryFields((t) => ({
  solutions: t.field({
    type: [Solution],
    description: 'The solutions that can be installed.',
    args: { accountId: t.arg.id({ description: 'Id of the account that a solution is to be installed in.' }) },
    resolve: async (_root, { accountId }, { services, caller }) => {
      const found = await services.solutions.list(caller, { accountId: accountId ?? undefined })
      return found.map((one) => solution.answer.record(one))
    },
  }),
  installation: t.prismaField({
    type: SolutionInstallation,
    nullable: true,
    description: 'An installed solution, by the id of its installation.',
    args: { id: t.arg.id({ required: true, description: 'Id of the installation.' }) },
    resolve: (query, _root, { id }, { services, caller }) => services.solutions.installation(caller, id, query),
  }),
  installations: t.prismaConnection({
    type: SolutionInstallation,
    cursor: 'id',
    defaultSize: ROOT_PAGE,
    extensions: { pageSize: ROOT_PAGE },
    description: 'The installed solutions of an account, newest first.',
    args: { accountId: t.arg.id({ description: 'Id of the account. Default: your current account.' }) },
    resolve: (query, _root, { accountId }, { services, caller }) =>
      services.solutions.slice(caller, { accountId: accountId ?? undefined }, query),
  }),
}))

const { installationId: _installed, ...installedFields } = installed.fields
const { installationId: _upgraded, revision: _revision, ...upgradedFields } = upgraded.fields

const installationField = <Result extends { installationId: string }>(t: PayloadBuilder<Result>) =>
  t.prismaField({
    type: SolutionInstallation,
    nullable: true,
    description: 'Installation, as it is now; null after a dry run.',
    resolve: (query, answer, _args, { services, caller }) => {
      const { result, dryRun } = answer as Answer<Result>
      return dryRun ? null : services.solutions.installation(caller, result.installationId, query)
    },
  })

for (const command of [installSolution, installCompose])
  commandMutation(command, {
    waits: true,
    payload: (t) => ({ ...outcomeFields(t, installedFields), installation: installationField(t) }),
  })

commandMutation(upgradeInstallation, {
  versioned: true,
  waits: true,
  payload: (t) => ({ ...outcomeFields(t, upgradedFields), installation: installationField(t) }),
})

commandMutation(removeInstallation, {
  versioned: true,
  waits: true,
  payload: (t) => ({ message: messageField(t) }),
})

import { installCompose } from '../../../services/solution/install-compose.ts'
import { installSolution } from '../../../services/solution/install-solution.ts'
import { installed, solutionInstallation, upgraded } from '../../../services/solution/solution-installation-fields.ts'
import { getInstallation } from '../../../services/solution/solution-queries.ts'
import { upgradeInstallation } from '../../../services/solution/upgrade-installation.ts'
import { builder } from '../builder.ts'
import { type Answer, commandMutation, type PayloadBuilder } from '../derive/command-mutation.ts'
import { rowFields, rowType } from '../derive/resource-fields.ts'
import { Node } from './node.ts'
import { outcomeFields } from './payload-fields.ts'

export const SolutionInstallation = rowType(
  solutionInstallation,
  builder.prismaObject('SolutionInstallation', {
    description: solutionInstallation.description,
    interfaces: [Node],
    select: { id: true },
    fields: (t) => rowFields(t, solutionInstallation),
  }),
)

const { installationId: _installed, ...installedFields } = installed.fields
const { installationId: _upgraded, revision: _revision, ...upgradedFields } = upgraded.fields

const installationField = <Result extends { installationId: string }>(t: PayloadBuilder<Result>) =>
  t.prismaField({
    type: SolutionInstallation,
    nullable: true,
    description: 'Installation, as it is now; null after a dry run.',
    resolve: (query, answer, _args, context) => {
      const { result, dryRun } = answer as Answer<Result>
      return dryRun
        ? null
        : context.services.find(getInstallation, context, { installationId: result.installationId }, query)
    },
  })

for (const command of [installSolution, installCompose])
  commandMutation(command, (t) => ({ ...outcomeFields(t, installedFields), installation: installationField(t) }))

commandMutation(upgradeInstallation, (t) => ({
  ...outcomeFields(t, upgradedFields),
  installation: installationField(t),
}))

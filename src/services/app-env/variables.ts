import type { z } from 'zod'
import type { CommandContext } from '../command.ts'
import type { variables } from '../input.ts'
import { MASK } from './configured.ts'

/** Replaces the environment's variables by those given. A secret sent back masked keeps its value. */
export async function replaceVariables(
  { tx, vault }: CommandContext,
  account: { id: string; dataKey: string },
  appEnvId: string,
  given: z.output<typeof variables>,
): Promise<void> {
  const accountVault = vault.forAccount(account)
  const before = new Map(
    (await tx.variable.findMany({ where: { appEnvId } })).map((variable) => [variable.name, variable]),
  )
  await tx.variable.deleteMany({ where: { appEnvId } })
  const rows = given.map((variable) => {
    const kept = before.get(variable.name)
    if (variable.value === MASK && kept?.isSecret) return { ...kept, type: variable.type, isSecret: variable.isSecret }
    return { ...accountVault.sealVariable(variable), appEnvId }
  })
  if (rows.length > 0) await tx.variable.createMany({ data: rows })
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  execute,
  type GraphQLNamedType,
  type GraphQLType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { printedSchema } from '../../../src/api/graphql/print-schema.ts'
import { schema } from '../../../src/api/graphql/schema.ts'
import { lifecycleOperations } from '../../../src/services/lifecycle/operations.ts'

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
)

/** Everything in a type that can have a description, with a name to find it by. */
function describable(type: GraphQLNamedType): [string, string | null | undefined][] {
  const all: [string, string | null | undefined][] = [[type.name, type.description]]
  if (isEnumType(type)) {
    for (const value of type.getValues()) all.push([`${type.name}.${value.name}`, value.description])
  }
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return all
  for (const field of Object.values(type.getFields())) {
    all.push([`${type.name}.${field.name}`, field.description])
    for (const argument of 'args' in field ? field.args : []) {
      all.push([`${type.name}.${field.name}(${argument.name}:)`, argument.description])
    }
  }
  return all
}

describe('the schema', () => {
  test('describes every type, field, argument and enum value', () => {
    const all = types.flatMap(describable)
    expect(all.length).toBeGreaterThan(500)
    expect(all.filter(([, description]) => !description?.trim()).map(([name]) => name)).toEqual([])
  })

  test('writes enum values in upper case', () => {
    const values = types.filter(isEnumType).flatMap((type) => type.getValues().map((value) => value.name))
    expect(values.filter((value) => !/^[A-Z][A-Z0-9_]*$/.test(value))).toEqual([])
  })

  test('gives every node a plain id', () => {
    const nodes = types.filter(isObjectType).filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'))
    expect(nodes.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Account', 'App', 'AppEnv', 'Deployment', 'Operation']),
    )
    for (const node of nodes) expect(String(node.getFields().id?.type)).toBe('ID!')
  })

  test('gives every mutation one input of its own, with an idempotency key and a dry run', () => {
    for (const field of Object.values(schema.getMutationType()?.getFields() ?? {})) {
      const name = field.name.charAt(0).toUpperCase() + field.name.slice(1)
      expect(field.args.map((argument) => `${argument.name}: ${argument.type}`)).toEqual([`input: ${name}Input!`])
      expect(String(field.type)).toBe(`${name}Payload`)
      const input = schema.getType(`${name}Input`)
      expect(isInputObjectType(input) && Object.keys(input.getFields())).toEqual(
        expect.arrayContaining(['idempotencyKey', 'dryRun']),
      )
    }
  })

  test('has every lifecycle operation, with expectedVersion and waitSeconds', () => {
    for (const { name } of lifecycleOperations) {
      const input = schema.getMutationType()?.getFields()[name]?.args[0]?.type
      const named = input && isNonNullType(input) ? input.ofType : input
      expect(isInputObjectType(named) && Object.keys(named.getFields())).toEqual(
        expect.arrayContaining(['appEnvId', 'envName', 'expectedVersion', 'waitSeconds']),
      )
    }
  })

  test('bounds every list: it is a connection, or short by nature', () => {
    const isList = (type: GraphQLType): boolean => isListType(type) || (isNonNullType(type) && isListType(type.ofType))
    const lists = types.filter(isObjectType).flatMap((type) =>
      Object.values(type.getFields())
        .filter((field) => isList(field.type) && !/(Connection|edges|nodes)$/.test(type.name + field.name))
        .map((field) => `${type.name}.${field.name}`),
    )
    expect(lists.filter((name) => !/Connection\./.test(name))).toMatchInlineSnapshot(`
      [
        "AcceptInvitationPayload.appEnvIds",
        "AcceptInvitationPayload.roles",
        "Account.entitlements",
        "AddMemberPayload.appEnvIds",
        "AddMemberPayload.roles",
        "App.healthCheckHeaders",
        "App.labels",
        "AppEnv.hosts",
        "AppEnv.labels",
        "AppEnv.networkAliases",
        "AppEnv.pods",
        "AppEnv.variables",
        "AppEnv.warnings",
        "AppEnvHealthCheck.command",
        "AppEnvHealthCheck.headers",
        "AppEnvReferences.appEnvs",
        "AppEnvReferrer.variables",
        "AuditEntry.changes",
        "Authorization.scopes",
        "AutoDeploy.watchPaths",
        "Budget.alerts",
        "BuildLogsMessage.lines",
        "BuildUse.steps",
        "ChangeVariablesPayload.variables",
        "CommandSnapshot.args",
        "CommandSnapshot.envVars",
        "ContainerSettings.dropCapabilities",
        "ContainerSettings.tmpfs",
        "ContainerSettings.ulimits",
        "Credential.data",
        "DatabasePreset.metrics",
        "DatabasePreset.ports",
        "DatabasePreset.settings",
        "DatabasePreset.versions",
        "DatabaseSetting.options",
        "DeleteVariablePayload.variables",
        "Difference.changes",
        "DnsAnswers.a",
        "DnsAnswers.aaaa",
        "DnsAnswers.cname",
        "DnsAnswers.txt",
        "ExternalAccess.allowedCidrs",
        "GitBranches.branches",
        "GitDelivery.environments",
        "GitRepositories.repositories",
        "HealthCheck.command",
        "HealthCheck.headers",
        "HostDns.records",
        "InstallComposePayload.appEnvIds",
        "InstallComposePayload.appIds",
        "InstallComposePayload.components",
        "InstallSolutionPayload.appEnvIds",
        "InstallSolutionPayload.appIds",
        "InstallSolutionPayload.components",
        "Invitation.appEnvIds",
        "Invitation.roles",
        "JobConfig.args",
        "JobRun.attempts",
        "JobSchedule.nextRuns",
        "LogLine.fields",
        "LogLinesMessage.lines",
        "Machine.regions",
        "Member.appEnvIds",
        "Member.roles",
        "MetricSeries.points",
        "Metrics.serviceMetrics",
        "Operation.steps",
        "PendingChanges.changes",
        "Probe.command",
        "Probe.headers",
        "PullRequestEnvs.targetBranches",
        "Query.credentialUsages",
        "Query.databasePresets",
        "Query.machines",
        "Query.metricSeriesList",
        "Query.metricsSeries",
        "Query.plans",
        "Query.pods",
        "Query.regionEngines",
        "Query.regions",
        "Query.search",
        "Query.solutions",
        "Query.webhookAttempts",
        "ReleaseCommand.args",
        "RequestCost.parts",
        "SetVariablesPayload.variables",
        "Solution.components",
        "Solution.inputs",
        "SolutionComponent.dependsOn",
        "SolutionInstallation.components",
        "SourceInspection.ports",
        "StartupConfig.args",
        "Token.scopes",
        "TransferAccountPayload.kept",
        "TransferAccountPayload.roles",
        "UpdateAppPayload.notApplied",
        "UpdateMemberPayload.appEnvIds",
        "UpdateMemberPayload.roles",
        "UpgradeInstallationPayload.changed",
        "UpgradeInstallationPayload.kept",
        "Usage.byLabel",
        "Usage.totals",
        "UsageOfLabel.totals",
        "UsageStatement.lines",
        "User.memberships",
        "UserToken.scopes",
        "VersionConfiguration.variables",
        "Webhook.eventTypes",
      ]
    `)
  })

  test('has a type that takes exactly one field, where a call asks for one of two', async () => {
    const type = schema.getType('GitInstallationProofInput')
    expect(isInputObjectType(type) && type.isOneOf).toBe(true)
    expect(printedSchema()).toContain('input GitInstallationProofInput @oneOf {')
    const query =
      'mutation ($input: ConnectGitInstallationInput!) { connectGitInstallation(input: $input) { message } }'
    const document = parse(query)
    const errors: string[] = []
    for (const proof of [{}, { code: 'a', userToken: 'b' }, { code: null }]) {
      const variableValues = { input: { accountId: 'a', gitInstallationId: '1', proof } }
      const result = await execute({ schema, document, variableValues, contextValue: {} })
      errors.push(...(result.errors ?? []).map(({ message }) => message))
    }
    expect(errors).toHaveLength(3)
    for (const message of errors) expect(message).toMatch(/GitInstallationProofInput/)
  })

  test('says in words which of several arguments is needed, with their names', () => {
    const { deployments, appEnv } = schema.getQueryType()?.getFields() ?? {}
    expect(deployments?.description).toMatch(/One of `appEnvId` and `envName` is required\.$/)
    expect(appEnv?.description).toMatch(/`id`/)
    const inEnv = schema.getType('AppEnv')
    expect(isObjectType(inEnv) && inEnv.getFields().jobSchedule?.description).not.toMatch(/is required/)
    expect(schema.getType('DeployImageInput')?.description).toBe(
      'Input of `deployImage`. One of `appEnvId` and `envName` is required.',
    )
  })

  test('marks dangerous mutations', () => {
    const marked = [...printedSchema().matchAll(/\): (\w+)Payload @dangerous/g)].map(([, name]) => name)
    expect(marked).toEqual(expect.arrayContaining(['RollbackAppEnv', 'StopAppEnv', 'DeleteApp', 'DeleteAppEnv']))
    expect(marked).not.toContain('DeployImage')
  })

  test('equals schema.graphql', () => {
    expect(readFileSync(join(import.meta.dirname, '../../../schema.graphql'), 'utf8')).toBe(printedSchema())
  })
})

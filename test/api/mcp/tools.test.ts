import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { ServerEnv } from '../../../src/api/http/context.ts'
import { OWN_TOOLS } from '../../../src/api/mcp/own-tools.ts'
import { ToolDirectory } from '../../../src/api/mcp/tool-directory.ts'
import { CORE, SETS, setNameOf } from '../../../src/api/mcp/tool-sets.ts'
import { describeTool, type Tool, toolNameOf, tools } from '../../../src/api/mcp/tools.ts'
import { writeOptions } from '../../../src/api/mcp/write-options.ts'
import { mountUploads } from '../../../src/api/rest/endpoints/uploads.ts'
import { openApiDocument } from '../../../src/api/rest/openapi/openapi.ts'
import { BASE_PATH } from '../../../src/api/rest/protocol/route.ts'
import { mountRest } from '../../../src/api/rest/router.ts'
import { routes } from '../../../src/api/rest/routes.ts'
import { readConfig } from '../../../src/config/config.ts'
import { COMMANDS } from '../../../src/services/catalogue.ts'
import type { Services } from '../../../src/services/services.ts'
import { UPLOAD_PATH } from '../../../src/services/upload/request-storage-key.ts'
import { callerWith } from '../../support/mcp.ts'

type Node = Record<string, unknown>

const options = writeOptions(readConfig({}))
const directory = new ToolDirectory(options)
const admin = callerWith({ isInstallationAdmin: true })
const list = (sets: string[], isReadOnly = false) => directory.list({ caller: admin, sets: new Set(sets), isReadOnly })

/** Every tool, whole. */
const described = [...tools.values()].map(describeTool)
const names = described.map(({ name }) => name)
const named = (name: string) => described.find((tool) => tool.name === name)
const namesOf = (listed: readonly { name: string }[]) => listed.map(({ name }) => name)

/** What REST has and MCP has not. */
const NOT_TOOLS: Record<string, string> = {
  [`PUT ${UPLOAD_PATH}`]: 'takes an archive as a stream, and its address is the permission: any HTTP client sends it',
}

/** Every method and path that REST answers. */
function mounted(): string[] {
  const app = new Hono<ServerEnv>()
  const dependencies = { services: {} as Services, config: readConfig({}), draining: new AbortController().signal }
  mountRest(app, dependencies, [])
  mountUploads(app, dependencies)
  const calls = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`)
  return [...new Set(calls)]
}

describe('the tools', () => {
  test('are all calls of REST, but for a short list', () => {
    const operations = new Map(
      routes.map((route) => [
        `${route.method} ${BASE_PATH}${route.path}`,
        'read' in route ? route.read.name : route.command.name,
      ]),
    )
    const without = mounted().filter((call) => !names.includes(toolNameOf(operations.get(call) ?? '')))
    expect(without).toEqual(Object.keys(NOT_TOOLS))
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBe(new Set(operations.values()).size)
    console.info(`mcp: ${names.length} tools for ${mounted().length} calls of REST`)
    for (const [call, reason] of Object.entries(NOT_TOOLS)) console.info(`mcp: ${call} is no tool: it ${reason}`)
  })

  test.each(['get-app-env-status', 'get-logs', 'get-app-env-pods', 'apply-app-env-changes', 'notify-code-upload'])(
    'have the name %s, which existing clients call',
    (name) => {
      expect(names).toContain(name)
    },
  )

  test('have names in kebab case, and a description', () => {
    for (const { name, description } of described) {
      expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(description.length, name).toBeGreaterThan(10)
    }
  })

  test('have schemas that stand alone, refuse unknown fields and describe each field', () => {
    const ajv = new Ajv2020({ strict: false })
    for (const { name, inputSchema } of described) {
      expect(ajv.validateSchema(inputSchema), name).toBe(true)
      expect(JSON.stringify(inputSchema), name).not.toContain('"$ref"')
      expect([inputSchema.type, inputSchema.additionalProperties], name).toEqual(['object', false])
      for (const [field, schema] of Object.entries((inputSchema.properties ?? {}) as Node))
        expect((schema as Node).description, `${name} ${field}`).toBeTruthy()
    }
  })

  test('are annotated: what only reads, what destroys, what may be repeated', () => {
    expect(named('get-app-env-status')?.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    })
    expect(named('deploy-image')?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    })
    expect(named('set-variables')?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    })
    expect(named('create-token')?.annotations.openWorldHint).toBe(false)
    const destructive = described.filter(({ annotations }) => annotations.destructiveHint).map(({ name }) => name)
    expect(destructive.sort()).toEqual([
      'clear-build-cache',
      'delete-account',
      'delete-app',
      'delete-app-env',
      'delete-auto-deploy',
      'delete-backup',
      'delete-budget',
      'delete-credential',
      'delete-git-hook',
      'delete-job-schedule',
      'delete-pull-request-envs',
      'delete-variable',
      'delete-volume',
      'delete-webhook',
      'leave-account',
      'remove-host',
      'remove-installation',
      'remove-member',
      'restore-backup',
      'revoke-authorization',
      'revoke-invitation',
      'revoke-token',
      'rollback-app-env',
      'rotate-credentials',
      'rotate-git-hook-secret',
      'rotate-token',
      'rotate-webhook-secret',
      'stop-app-env',
      'transfer-account',
    ])
  })

  test('have titles that tell them apart', () => {
    const titles = described.map(({ title }) => title)
    expect(named('get-app-env-status')?.title).toBe('Get environment status')
    expect(titles.filter((title) => !/^[A-Z][a-z ]+$/.test(title))).toEqual([])
    expect(new Set(titles).size).toBe(titles.length)
  })

  test('that write take the options of every write; those that read do not', () => {
    for (const { name, inputSchema, annotations } of described) {
      const has = 'options' in ((inputSchema.properties ?? {}) as Node)
      expect(has, name).toBe(!annotations.readOnlyHint)
    }
  })

  test('have no argument of their own that an option of writes would hide', () => {
    const taken = ['options', ...Object.keys(options.shape)]
    const hidden = COMMANDS.flatMap(({ name, input }) =>
      Object.keys(input.shape).flatMap((field) => (taken.includes(field) ? [`${name}.${field}`] : [])),
    )
    expect(hidden).toEqual([])
  })
})

type Documented = {
  requestBody?: { content: { 'application/json': { example: unknown } } }
  responses: { 200: { content: { 'application/json': { example: unknown } } } }
}

const paths = openApiDocument().paths as Record<string, Record<string, Documented>>

/** What the documentation of REST says of a tool's call. */
const documented = ({ route }: Tool): Documented | undefined => paths[route.path]?.[route.method.toLowerCase()]

describe('the schemas of answers', () => {
  const listed = new Map(list(['all']).map((tool) => [tool.name, tool]))

  test.each([...tools.values()].map((tool) => [tool.name, tool] as const))('of %s fit its example', (name, tool) => {
    const { outputSchema } = describeTool(tool)
    const example = documented(tool)?.responses[200].content['application/json'].example
    expect(example).toBeTypeOf('object')
    expect(outputSchema?.type).toBe('object')
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    const validate = ajv.compile(outputSchema ?? false)
    expect(validate(example) ? [] : validate.errors).toEqual([])
    expect(validate([]), 'something else').toBe(false)
    expect(ajv.validate(listed.get(name)?.outputSchema ?? false, example), 'the outline').toBe(true)
  })
})

describe('tools/list', () => {
  const tokensOf = (listed: unknown) => countTokens(JSON.stringify({ tools: listed }))

  test('has a core of a few tools in less than 7,000 tokens', () => {
    const core = list(['core'])
    expect(namesOf(core)).toEqual([...OWN_TOOLS, ...CORE])
    expect(core.length).toBeLessThanOrEqual(26)
    const tokens = tokensOf(core)
    const whole = described.map(({ outputSchema: _, ...tool }) => tool)
    console.info(`mcp: the core, ${core.length} tools: ${tokens} tokens`)
    console.info(`mcp: /mcp/readonly: ${tokensOf(list(['core'], true))} tokens`)
    console.info(`mcp: ?tools=jobs,hosts: ${tokensOf(list(['jobs', 'hosts']))} tokens`)
    console.info(`mcp: ?tools=all, ${list(['all']).length} tools: ${tokensOf(list(['all']))} tokens`)
    console.info(`mcp: all ${whole.length} tools without answers: ${tokensOf(whole)} tokens`)
    expect(tokens).toBeLessThan(7000)
  })

  test('describes the options of writes once', () => {
    const holders = list(['all']).filter((tool) => JSON.stringify(tool).includes('idempotencyKey'))
    expect(namesOf(holders)).toEqual(['call-tool'])
  })

  test('in short has every argument, and allows what the documentation sends', () => {
    const ajv = new Ajv2020({ strict: false })
    for (const { name, inputSchema } of list(['core']).filter((tool) => !OWN_TOOLS.has(tool.name))) {
      const whole = named(name)?.inputSchema
      expect(Object.keys(inputSchema.properties as Node), name).toEqual(Object.keys(whole?.properties as Node))
      expect(inputSchema.required ?? [], name).toEqual(whole?.required ?? [])
      const { requestBody } = documented(tools.get(name) as Tool) ?? {}
      const example = requestBody?.content['application/json'].example
      if (example) expect([name, ajv.validate(inputSchema, example)]).toEqual([name, true])
    }
  })

  test('has whole sets, each of which is a group of calls, and the core beside them', () => {
    for (const [set] of SETS) {
      const expected = [...tools.values()].filter(({ route }) => setNameOf(route.group) === set)
      expect(namesOf(list([set])), set).toEqual([...OWN_TOOLS, ...namesOf(expected)])
    }
    const both = namesOf(list(['core', 'jobs']))
    expect(both).toEqual(expect.arrayContaining([...CORE, 'set-job-schedule', 'create-job-run']))
    expect(new Set(both).size).toBe(both.length)
    expect(namesOf(list(['all'])).sort()).toEqual([...OWN_TOOLS, ...names].sort())
    expect(list(['jobs']).find(({ name }) => name === 'create-job-run')?.inputSchema).toEqual(
      named('create-job-run')?.inputSchema,
    )
  })

  test('at the address that only reads has nothing that writes', () => {
    const reading = list(['all'], true)
    expect(reading.filter(({ annotations }) => !annotations.readOnlyHint)).toEqual([])
    expect(namesOf(reading).sort()).toEqual(
      [...OWN_TOOLS, ...namesOf(described.filter(({ annotations }) => annotations.readOnlyHint))].sort(),
    )
  })
})

import { Ajv2020 } from 'ajv/dist/2020.js'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import type { ServerEnv } from '../../../src/api/http/context.ts'
import { callOptions } from '../../../src/api/mcp/call-tool.ts'
import { describeTools, toolNameOf } from '../../../src/api/mcp/tools.ts'
import { mountUploads } from '../../../src/api/rest/endpoints/uploads.ts'
import { BASE_PATH } from '../../../src/api/rest/protocol/route.ts'
import { mountRest } from '../../../src/api/rest/router.ts'
import { routes } from '../../../src/api/rest/routes.ts'
import { readConfig } from '../../../src/config/config.ts'
import type { Services } from '../../../src/services/services.ts'
import { UPLOAD_PATH } from '../../../src/services/upload/request-storage-key.ts'

type Node = Record<string, unknown>

const described = describeTools(callOptions(readConfig({})))
const names = described.map(({ name }) => name)
const named = (name: string) => described.find((tool) => tool.name === name)

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
    })
    expect(named('deploy-image')?.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    })
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

  test('that write take the options of every write; those that read do not', () => {
    const options = ['dryRun', 'idempotencyKey', 'expectedVersion', 'waitSeconds']
    for (const { name, inputSchema, annotations } of described) {
      const fields = Object.keys(inputSchema.properties ?? {})
      const has = options.filter((option) => fields.includes(option))
      expect(has, name).toEqual(annotations.readOnlyHint ? [] : options)
    }
  })
})

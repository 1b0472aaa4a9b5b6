// npm run check compares; npm run schema prints the permissions into docs/permissions.md
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { permissionOf } from '../src/api/graphql/field-permissions.ts'
import { schema } from '../src/api/graphql/schema.ts'
import { routes } from '../src/api/rest/routes.ts'
import { type Permission, RULES, type Rule, rolesFor, scopesNeeded } from '../src/domain/permissions.ts'

const PAGE = join(import.meta.dirname, '../docs/permissions.md')
const BLOCK = /<!-- permissions -->.*<!-- \/permissions -->/s

const row = (...cells: string[]) => `| ${cells.join(' | ')} |`

function roles(permission: Permission, rule: Rule): string {
  if (rule.roles === 'anyone') return 'any user'
  if (permission === 'installation:manage') return 'none: the installation’s admin'
  return rule.roles === 'member' ? 'any role' : rolesFor(permission)
}

const kinds = ({ environmentToken, invitation }: Rule): string =>
  ['user', 'scoped', environmentToken ? 'environment' : '', invitation ? 'invitation' : ''].filter(Boolean).join(', ')

const scopes = (rule: Rule): string =>
  scopesNeeded(rule)
    .map((scope) => `\`${scope}\``)
    .join(' and ')

const rules = (Object.entries(RULES) as [Permission, Rule][]).map(([permission, rule]) =>
  row(`\`${permission}\``, roles(permission, rule), scopes(rule), kinds(rule)),
)

const byRoute = routes.map((route) => {
  const { permission } = 'read' in route ? route.read : route.command
  return row(`\`${route.method} ${route.path}\``, `\`${permission}\``)
})

const byField = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
  Object.values(type?.getFields() ?? {}).map((field) => {
    const permission = permissionOf(field) ?? ''
    return row(`\`${type?.name}.${field.name}\``, permission.includes(':') ? `\`${permission}\`` : permission)
  }),
)

const printed = [
  ['| Permission | Roles | Scope of a scoped token | Kinds of token |', '|---|---|---|---|', ...rules].join('\n'),
  '## REST and MCP',
  ['| Call | Permission |', '|---|---|', ...byRoute].join('\n'),
  '## GraphQL',
  ['| Field | Permission |', '|---|---|', ...byField].join('\n'),
].join('\n\n')

const page = readFileSync(PAGE, 'utf8')
if (!BLOCK.test(page)) throw new Error(`${PAGE} has no <!-- permissions --> … <!-- /permissions --> to print into`)
const current = page.replace(BLOCK, () => `<!-- permissions -->\n${printed}\n<!-- /permissions -->`)
if (!process.argv.includes('--check')) {
  writeFileSync(PAGE, current)
} else if (current !== page) {
  console.error('docs/permissions.md is out of date; run: npm run schema')
  process.exitCode = 1
}

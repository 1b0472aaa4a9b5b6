import { SCOPES, type Scope } from '../../../../src/domain/permissions.ts'
import { scopeText } from '../../account/permission-words.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import type { Tokens } from './documents.ts'
import styles from './tokens.module.css'

type Listed = NonNullable<ResultOf<typeof Tokens>['tokens']>['nodes'][number]
export type TokenKind = Listed['kind']
type SentScope = Listed['scopes'][number]

export const KINDS: Readonly<Record<TokenKind, { label: string; help: string }>> = {
  SCOPED: { label: 'Some of what I may do', help: 'Your rights, narrowed to the scopes that you choose.' },
  ENVIRONMENT: {
    label: 'Operate one environment',
    help: 'Deploys, restarts and follows it, and nothing else. Not tied to you.',
  },
  USER: { label: 'All that I may do', help: 'In every account that you are a member of, also of tomorrow.' },
}

const LABELS: Readonly<Record<Scope, string>> = {
  'svc:read': 'Read',
  'svc:read:secrets': 'Read secrets',
  'svc:write:config': 'Change settings',
  'svc:write:deploy': 'Deploy and operate',
  'svc:admin': 'Administer',
}

/** As GraphQL names it: `svc:read:secrets` is SVC_READ_SECRETS there. */
const sentAs = (scope: Scope) => scope.replaceAll(':', '_').toUpperCase() as SentScope

export const SCOPE_OPTIONS = SCOPES.map((scope) => ({
  value: sentAs(scope),
  label: LABELS[scope],
  help: scopeText(scope),
}))

export const scopeNames = (scopes: readonly SentScope[]): string =>
  scopes.map((scope) => SCOPE_OPTIONS.find(({ value }) => value === scope)?.label ?? scope).join(', ')

/** Each scope, from the rules that the API follows. */
export function ScopeWords() {
  return (
    <dl className={styles.scopes}>
      {SCOPE_OPTIONS.map(({ value, label, help }) => (
        <div key={value}>
          <dt>{label}</dt>
          <dd>{help}</dd>
        </div>
      ))}
    </dl>
  )
}

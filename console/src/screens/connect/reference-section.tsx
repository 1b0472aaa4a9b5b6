import { holdsCredentials, type UrlKind } from '../../../../src/domain/references.ts'
import { programsOf } from '../../../../text/connection-snippets.ts'
import { Facts, Section } from '../../ui/page.tsx'
import styles from './connect.module.css'
import { Snippets } from './snippets.tsx'

/** What programs read; any name does. */
const VARIABLE = 'DATABASE_URL'

const ABOUT: Readonly<Record<UrlKind, string>> = {
  internalUrl: 'connection URL on the account’s network',
  readOnlyUrl: 'connection URL of the replicas, which may be a little behind',
  externalUrl: 'connection URL from outside',
  host: 'host name',
  port: 'port',
  user: 'user',
  password: 'password',
  database: 'database',
}

interface ReferenceSectionProps {
  env: string
  scheme: string
  port: number | null
  hasReplicas: boolean
  isReachable: boolean
}

/** How other environments of the account refer to it, without a secret in their variables. */
export function ReferenceSection({ env, scheme, port, hasReplicas, isReachable }: ReferenceSectionProps) {
  const kinds = (Object.keys(ABOUT) as UrlKind[]).filter(
    (kind) => (kind !== 'readOnlyUrl' || hasReplicas) && (kind !== 'externalUrl' || isReachable),
  )
  return (
    <Section title="From another environment">
      <div className="stack">
        <p>
          Give the other environment this variable. Berth fills in the address and the password when its containers are
          created; after a rotation, its next deployment has the new ones.
        </p>
        <Snippets of={[{ tool: 'Variable', code: `${VARIABLE}=\${${env}.internalUrl}` }]} />
        <Facts
          of={[
            ['Host, on the account’s network', <code key="host">{env}</code>],
            ['Port', port],
            ['Scheme', scheme && <code key="scheme">{scheme}</code>],
          ]}
        />
        <details className={styles.more}>
          <summary>All that can be referred to</summary>
          <ul className="stack tight">
            {kinds.map((kind) => (
              <li key={kind} className="row">
                <code>{`\${${env}.${kind}}`}</code>
                <span className="soft">
                  {ABOUT[kind]}
                  {holdsCredentials(kind) && ', secret'}
                </span>
              </li>
            ))}
          </ul>
        </details>
        <details className={styles.more}>
          <summary>How programs connect with it</summary>
          <Snippets of={programsOf(scheme, VARIABLE)} />
        </details>
      </div>
    </Section>
  )
}

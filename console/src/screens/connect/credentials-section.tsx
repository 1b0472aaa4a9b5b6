import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { commandsOf } from '../../../../text/connection-snippets.ts'
import { useMissing } from '../../account/session.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { SECRET_SHOWN_MS, useSecret } from '../../graphql/read-secret.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Credentials } from './documents.ts'
import { Snippets } from './snippets.tsx'

type Shown = NonNullable<NonNullable<ResultOf<typeof Credentials>['appEnv']>['credentials']>

/** The user and password, once a person reveals them, and for half a minute. */
export function CredentialsSection({ env, account }: { env: string; account: string }) {
  const missing = useMissing('credentials:reveal')
  const { value, refusal, isReading, show, hide } = useSecret(Credentials, { env })
  const credentials = value?.appEnv?.credentials ?? null
  return (
    <Section
      title="User and password"
      actions={
        credentials ? (
          <Button icon="eyeOff" onClick={hide}>
            Hide them
          </Button>
        ) : (
          <Button icon="eye" missing={missing} isBusy={isReading} onClick={show}>
            Show them
          </Button>
        )
      }
    >
      <div className="stack">
        <p className="soft">
          That you have looked at them is recorded in the{' '}
          <Link href={pathTo('activity', { account })}>activity of the account</Link>. They are hidden after{' '}
          {SECRET_SHOWN_MS / 1_000} seconds, and when you leave the tab.
        </p>
        {refusal && <Refused refusal={refusal} onRetry={show} />}
        {credentials && <Revealed credentials={credentials} />}
      </div>
    </Section>
  )
}

const PLACES = [
  { field: 'internalUrl', label: 'Another environment' },
  { field: 'externalUrl', label: 'Outside' },
  { field: 'readOnlyUrl', label: 'Another environment, reads only' },
] as const

function Revealed({ credentials }: { credentials: Shown }) {
  const { username, password, database } = credentials
  const places = PLACES.filter(({ field }) => credentials[field])
  // From where a person connects by hand: from outside, if that is possible.
  const [chosen, setChosen] = useState<(typeof PLACES)[number]['field']>(
    credentials.externalUrl ? 'externalUrl' : 'internalUrl',
  )
  const url = credentials[chosen] ?? credentials.internalUrl
  return (
    <div className="stack">
      <p className="soft" role="status">
        <Countdown />
      </p>
      <Snippets
        of={[
          { tool: 'User', code: username },
          { tool: 'Password', code: password },
          ...(database ? [{ tool: 'Database', code: database }] : []),
        ]}
      />
      {places.length > 1 && (
        <label className="row">
          <span>You connect from</span>
          <select
            className="control"
            value={chosen}
            onChange={(event) => setChosen(event.target.value as typeof chosen)}
          >
            {places.map(({ field, label }) => (
              <option key={field} value={field}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {!credentials.externalUrl && (
        <p className="soft">These work on the account’s network only: access from outside is off.</p>
      )}
      <Snippets of={[{ tool: 'URL', code: url }, ...commandsOf(url)]} />
    </div>
  )
}

const SECOND_MS = 1_000

function Countdown() {
  const [left, setLeft] = useState(SECRET_SHOWN_MS / SECOND_MS)
  useEffect(() => {
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <>
      Shown, and recorded. <span aria-hidden="true">Hidden again in {left} s.</span>
    </>
  )
}

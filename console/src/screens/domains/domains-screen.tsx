import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { useMissing } from '../../account/session.tsx'
import { EnvironmentPage, type Head } from '../../environment/environment-page.tsx'
import { linkable } from '../../environment/environment-text.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Form, FormActions, TextField } from '../../ui/form.tsx'
import { useKeys } from '../../ui/keys.ts'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { type Shown, Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { AddHost, HostRecords, type HostState, Hosts, RemoveHost, ValidateHost } from './documents.ts'
import styles from './domains.module.css'

type Host = ResultOf<typeof HostState>
type Dns = NonNullable<ResultOf<typeof HostRecords>['hostDns']>

/** The names under which an environment is reached: what to set at the DNS, what it answers, when it is asked next. */
export default function DomainsScreen() {
  const [isAdding, setAdding] = useState(false)
  const missing = useMissing('appEnv:change')
  useKeys([{ keys: 'a', about: 'Add a domain', run: () => missing === null && setAdding(true) }])
  return (
    <EnvironmentPage
      title="Domains"
      actions={() => (
        <Button kind="primary" icon="plus" missing={missing} onClick={() => setAdding(true)}>
          Add a domain
        </Button>
      )}
    >
      {(environment) => <List environment={environment} isAdding={isAdding} onAdding={setAdding} />}
    </EnvironmentPage>
  )
}

interface ListProps {
  environment: Head
  isAdding: boolean
  onAdding: (isAdding: boolean) => void
}

function List({ environment, isAdding, onAdding }: ListProps) {
  const { id, cliEnvName: env } = environment
  const [parameters, setParameters] = useSearchParams()
  const { data, refusals, refetch } = useData(Hosts, {
    variables: { env },
    readAgainOn: (event) => event.appEnvId === id && event.type === 'HOST_CHANGED',
  })
  const hosts = data?.appEnv?.hosts
  const chosen = parameters.get('host')
  const open = (hostId: string | null) => setParameters(hostId ? { host: hostId } : {}, { replace: true })
  return (
    <>
      {isAdding && (
        <Adding
          appEnvId={id}
          onClose={() => onAdding(false)}
          onAdded={(hostId) => {
            onAdding(false)
            open(hostId)
          }}
        />
      )}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {!hosts && !refusals[0] && <Skeleton />}
      {hosts && (
        <Section title="Domains" isFlush>
          {hosts.length === 0 && (
            <Empty title="It has no domain">
              <p>Hosts are for apps that listen on a port. Add one of your own, and set a record at its DNS.</p>
            </Empty>
          )}
          <ul className={styles.hosts}>
            {hosts.map((host) => (
              <HostRow
                key={host.id}
                appEnvId={id}
                host={host}
                isOpen={chosen === host.id}
                onToggle={() => open(chosen === host.id ? null : host.id)}
                onRemoved={() => {
                  open(null)
                  refetch()
                }}
              />
            ))}
          </ul>
        </Section>
      )}
    </>
  )
}

function Adding({
  appEnvId,
  onClose,
  onAdded,
}: {
  appEnvId: string
  onClose: () => void
  onAdded: (hostId: string | null) => void
}) {
  const { send, isSending, refusal } = useWrite(AddHost)
  return (
    <Section title="Add a domain">
      <Form
        draftKey={`host.${appEnvId}`}
        refusal={refusal}
        onSend={async ({ host = '' }) => {
          const answer = await send({ appEnvId, host })
          if (!answer?.addHost) return false
          say(`${answer.addHost.host} is added: set its record`)
          onAdded(answer.addHost.hostId)
          return true
        }}
      >
        <TextField
          name="host"
          label="Host name"
          required
          autoFocus
          placeholder="www.example.com"
          help="Without http:// and without a path. The record to set is shown next."
        />
        <FormActions>
          <Button kind="primary" type="submit" isBusy={isSending}>
            Add it
          </Button>
          <Button onClick={onClose}>Close</Button>
        </FormActions>
      </Form>
    </Section>
  )
}

const STATUS: Readonly<Record<Host['status'], Shown>> = {
  VALID: { icon: 'circleCheck', word: 'Leads here', tone: 'good' },
  INVALID: { icon: 'circleX', word: 'Does not lead here', tone: 'bad' },
  VALIDATING: { icon: 'clock', word: 'Not checked yet', tone: 'warn' },
}

interface HostRowProps {
  appEnvId: string
  host: Host
  isOpen: boolean
  onToggle: () => void
  onRemoved: () => void
}

function HostRow({ appEnvId, host, isOpen, onToggle, onRemoved }: HostRowProps) {
  const href = linkable(host.url)
  return (
    <li>
      <div className={styles.host}>
        <span className={styles.hostName}>
          {href ? (
            <a href={href} target="_blank" rel="noopener noreferrer">
              {visibleText(host.host)}
            </a>
          ) : (
            visibleText(host.host)
          )}
        </span>
        <Status {...STATUS[host.status]} />
        <span className="soft">
          {host.isAutoGenerated ? (
            'made with the environment'
          ) : (
            <>checked {host.lastValidationAt ? <Time at={host.lastValidationAt} /> : 'never'}</>
          )}
        </span>
        <span className={styles.hostActions}>
          <Copy text={host.url} label={`Copy the address of ${host.host}`} />
          <Button aria-expanded={isOpen} onClick={onToggle} aria-label={`Records of ${host.host}`}>
            {isOpen ? 'Hide' : host.isAutoGenerated ? 'Certificate' : 'Records'}
          </Button>
        </span>
      </div>
      {host.reason && host.status !== 'VALID' && <p className={styles.reason}>{visibleText(host.reason)}</p>}
      {isOpen && <HostDetail appEnvId={appEnvId} host={host} onRemoved={onRemoved} />}
    </li>
  )
}

function HostDetail({ appEnvId, host, onRemoved }: { appEnvId: string; host: Host; onRemoved: () => void }) {
  const { data, refusals, refetch, isStale } = useData(HostRecords, {
    variables: { appEnvId, hostId: host.id },
    readAgainOn: (event) => event.appEnvId === appEnvId && event.type === 'HOST_CHANGED',
  })
  const missing = useMissing('appEnv:change')
  const validate = useWrite(ValidateHost)
  const remove = useWrite(RemoveHost)
  const [isRemoving, setRemoving] = useState(false)
  const dns = data?.hostDns
  return (
    <div className={styles.detail}>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {!dns && !refusals[0] && <Skeleton />}
      {dns && dns.records.length > 0 && <Records dns={dns} />}
      {dns && !host.isAutoGenerated && <Answers dns={dns} />}
      {dns && <Certificate dns={dns} />}
      {!host.isAutoGenerated && (
        <div className="stack tight">
          {dns?.nextValidationAt && (
            <p className="soft">
              Berth asks the DNS again <Time at={dns.nextValidationAt} />. Records may take a while until every DNS
              server has them.
            </p>
          )}
          <div className="row">
            <Button
              icon="refreshCw"
              missing={missing}
              isBusy={validate.isSending || isStale}
              onClick={async () => {
                const answer = await validate.send({ appEnvId, hostId: host.id })
                if (answer?.validateHost) say(STATUS[answer.validateHost.status].word)
                refetch()
              }}
            >
              Check now
            </Button>
            <Button kind="danger" icon="trash" missing={missing} onClick={() => setRemoving(true)}>
              Remove…
            </Button>
          </div>
          {validate.refusal && <Refused refusal={validate.refusal} />}
        </div>
      )}
      <Confirm
        title={`Remove ${host.host}`}
        isOpen={isRemoving}
        onClose={() => {
          setRemoving(false)
          remove.reset()
        }}
        name={host.host}
        action="Remove it"
        isSending={remove.isSending}
        refusal={remove.refusal}
        onConfirm={async () => {
          const answer = await remove.send({ appEnvId, hostId: host.id })
          if (!answer?.removeHost) return
          setRemoving(false)
          say(answer.removeHost.message)
          onRemoved()
        }}
      >
        <p>
          Requests to it find nothing here any more, and its certificate is not renewed. Its DNS records stay as they
          are.
        </p>
      </Confirm>
    </div>
  )
}

const WAYS: Readonly<Record<Dns['records'][number]['way'], string>> = {
  ALIAS: 'An alias, for a name that is not the domain itself',
  ADDRESSES: 'Addresses and a proof, also for the domain itself',
}

function Records({ dns }: { dns: Dns }) {
  const ways = Object.keys(WAYS) as (keyof typeof WAYS)[]
  const present = ways.filter((way) => dns.records.some((record) => record.way === way))
  return (
    <div className="stack tight">
      <h3>{present.length > 1 ? 'Set the records of one of these ways' : 'Set this at the DNS of the domain'}</h3>
      {present.map((way) => (
        <div key={way} className={styles.scroll}>
          <table className={styles.records}>
            <caption>{WAYS[way]}</caption>
            <thead>
              <tr>
                <th scope="col">Type</th>
                <th scope="col">Name</th>
                <th scope="col">Value</th>
                <th scope="col">DNS has it</th>
              </tr>
            </thead>
            <tbody>
              {dns.records
                .filter((record) => record.way === way)
                .map(({ type, name, value, isFound }) => (
                  <tr key={`${type} ${name} ${value}`}>
                    <td>{type}</td>
                    <td>
                      <span className={styles.copied}>
                        <code>{name}</code>
                        <Copy text={name} label={`Copy the name of the ${type} record`} />
                      </span>
                    </td>
                    <td>
                      <span className={styles.copied}>
                        <code>{value}</code>
                        <Copy text={value} label={`Copy the value of the ${type} record`} />
                      </span>
                    </td>
                    <td>
                      {isFound === null ? (
                        <span className="soft">no answer</span>
                      ) : isFound ? (
                        <span className="good">yes</span>
                      ) : (
                        <span className="bad">no</span>
                      )}
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      ))}
    </div>
  )
}

function Answers({ dns: { answers, leadsHere } }: { dns: Dns }) {
  const lines = [
    ['CNAME', answers.cname],
    ['A', answers.a],
    ['AAAA', answers.aaaa],
    ['TXT', answers.txt],
  ] as const
  return (
    <div className="stack tight">
      <h3>What DNS answers now</h3>
      <dl className={styles.answers}>
        {lines.map(([type, values]) => (
          <div key={type}>
            <dt>{type}</dt>
            <dd>
              {values === null ? (
                <span className="soft">no answer in time</span>
              ) : values.length === 0 ? (
                <span className="soft">nothing</span>
              ) : (
                values.map((value) => <code key={value}>{visibleText(value)}</code>)
              )}
            </dd>
          </div>
        ))}
      </dl>
      {leadsHere === false && answers.a !== null && answers.a.length > 0 && (
        <p className="soft">
          None of its addresses is one of this installation: a proxy of another provider may stand before it.
        </p>
      )}
    </div>
  )
}

const CERTIFICATES: Readonly<Record<Dns['certificate']['state'], Shown>> = {
  VALID: { icon: 'circleCheck', word: 'Valid', tone: 'good' },
  REFUSED: { icon: 'circleX', word: 'Clients refuse it', tone: 'bad' },
  MISSING: { icon: 'circleX', word: 'None yet', tone: 'warn' },
  AWAITS_HOST: { icon: 'clock', word: 'Waits until the host leads here', tone: 'soft' },
  NOT_USED: { icon: 'circleDashed', word: 'Not used: plain HTTP', tone: 'soft' },
  UNKNOWN: { icon: 'unknown', word: 'Not known: its server did not answer', tone: 'warn' },
}

function Certificate({ dns: { certificate } }: { dns: Dns }) {
  const { state, issuer, reason, expiresAt } = certificate
  return (
    <div className="stack tight">
      <h3>Certificate</h3>
      <p className="row">
        <Status {...CERTIFICATES[state]} />
        {issuer && <span className="soft">by {visibleText(issuer)}</span>}
        {expiresAt && (
          <span className="soft">
            expires <Time at={expiresAt} />
          </span>
        )}
      </p>
      {reason && <p className="soft">{visibleText(reason)}</p>}
    </div>
  )
}

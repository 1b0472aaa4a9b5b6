import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { Session } from '../../account/documents.ts'
import { buildText, includedText, pricesOf } from '../../account/plan-facts.tsx'
import { useAccount, useMissing, useSession } from '../../account/session.tsx'
import { client } from '../../graphql/client.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { ConfirmWrite } from '../../ui/confirm-write.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, FormActions, TextField } from '../../ui/form.tsx'
import { Facts, Page, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Status, wordsOf } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import styles from './account.module.css'
import { AccountDetail, DeleteAccount, RenameAccount, SetCurrentAccount } from './documents.ts'
import { VolumeList } from './volumes.tsx'

type Detail = ResultOf<typeof AccountDetail>
type Account = NonNullable<Detail['account']>
type Plan = NonNullable<Detail['plans']>[number]

const readSessionAgain = () => client.query(Session, {}, { requestPolicy: 'network-only' }).toPromise()

/** What the account is and may, what is left over in it, and its end. */
export default function AccountScreen() {
  const { id: accountId, name, slug } = useAccount()
  const { me } = useSession()
  const { data, refusals, isLoading, refetch } = useData(AccountDetail, {
    variables: { accountId },
    readAgainOn: ({ type }) => type.startsWith('ACCOUNT_'),
  })
  const [open, setOpen] = useState<'rename' | 'delete' | null>(null)
  const missing = useMissing('account:change')
  const missingAudit = useMissing('audit:read')
  const current = useWrite(SetCurrentAccount)
  const account = data?.account
  const plan = data?.plans?.find(({ code }) => code === account?.plan)
  const close = () => setOpen(null)
  return (
    <Page
      title="Account"
      within={name}
      actions={
        <>
          <LinkButton
            icon="history"
            href={`${pathTo('activity', { account: slug })}?target=${accountId}`}
            missing={missingAudit}
          >
            Who changed it
          </LinkButton>
          <Button icon="pencil" missing={missing} onClick={() => setOpen('rename')}>
            Rename
          </Button>
        </>
      }
    >
      {isLoading && <Skeleton lines={8} />}
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {account && (
        <Section
          title={visibleText(account.name)}
          actions={
            !account.isCurrent && (
              <Button
                isBusy={current.isSending}
                missing={
                  me.memberships.some((each) => each.account.id === accountId) ? null : 'Only for a member of it'
                }
                onClick={async () => {
                  const answer = await current.send({ accountId })
                  if (!answer?.setCurrentAccount) return
                  say(answer.setCurrentAccount.message)
                  void readSessionAgain()
                  refetch()
                }}
              >
                Make it my current account
              </Button>
            )
          }
        >
          {current.refusal && <Refused refusal={current.refusal} />}
          <AccountFacts account={account} />
        </Section>
      )}
      {account && plan && <PlanSection account={account} plan={plan} usage={data?.usage ?? null} />}
      {data?.regions && <Regions regions={data.regions} />}
      <VolumeList accountId={accountId} />
      <Section title="Delete the account">
        <div className={styles.danger}>
          <p>Its apps have to be deleted first. Its name and its activity are gone with it.</p>
          <Button kind="danger" icon="trash" missing={missing} onClick={() => setOpen('delete')}>
            Delete it…
          </Button>
        </div>
      </Section>
      <Dialog title="Rename the account" isOpen={open === 'rename'} onClose={close}>
        {account && <RenameForm account={account} onClose={close} />}
      </Dialog>
      <ConfirmWrite
        title={`Delete ${visibleText(name)}`}
        isOpen={open === 'delete'}
        onClose={close}
        mutation={DeleteAccount}
        input={{ accountId }}
        messageOf={({ deleteAccount }) => deleteAccount?.message}
        name={name}
        action="Delete the account"
        onDone={() => location.assign('/console/')}
      >
        <p>It cannot be undone.</p>
      </ConfirmWrite>
    </Page>
  )
}

function AccountFacts({ account: { id, slug, createdAt, isCurrent, isVerified, entitlements } }: { account: Account }) {
  return (
    <Facts
      of={[
        ['Id', <Copyable key="id" text={id} label="Copy the id" />],
        ['In host names and the command line', <code key="slug">{slug}</code>],
        ['Created', <Time key="created" at={createdAt} />],
        ['Your current account', isCurrent ? 'Yes: commands without an account mean it' : 'No'],
        ['Verified', isVerified ? 'Yes' : 'No'],
        ...(entitlements.length > 0
          ? [['Entitled besides its plan to', entitlements.map(wordsOf).join(', ')] as const]
          : []),
      ]}
    />
  )
}

interface PlanProps {
  account: Account
  plan: Plan
  usage: Detail['usage']
}

function PlanSection({ account, plan, usage }: PlanProps) {
  const buildSeconds = Number(usage?.totals.find(({ kind }) => kind === 'BUILD')?.quantity ?? 0)
  const prices = pricesOf(plan, usage?.currency ?? null)
  return (
    <Section title={`Plan: ${visibleText(plan.name)}`}>
      <div className="stack">
        <Facts
          of={[
            ['Apps', <Used key="apps" used={account.apps.totalCount} of={plan.maxApps} />],
            [
              'Minutes of builds this month',
              <Used key="builds" used={Math.ceil(buildSeconds / 60)} of={plan.maxBuildMinutes} />,
            ],
            ['Environments', `${account.appEnvs.totalCount}, at most ${plan.maxAppEnvs} of an app`],
            ['Containers of an environment', `at most ${plan.maxContainers}`],
            ['zClouds of a container', `at most ${plan.maxZClouds}`],
            ['A build', buildText(plan.maxBuildResources)],
            ['Includes', includedText(plan)],
            [
              'This account may use',
              [account.allowFunctions && 'functions', account.allowAutoScaling && 'autoscaling']
                .filter(Boolean)
                .join(', ') || null,
            ],
            ['Logs are kept for', `${plan.logDays} days`],
            ['Measurements are kept for', `${plan.metricDays} days`],
          ]}
        />
        {prices.length > 0 && <Facts of={prices} />}
        {prices.length === 0 && <p className="soft">Nothing has a price on this plan.</p>}
      </div>
    </Section>
  )
}

function Used({ used, of }: { used: number; of: number }) {
  const text = `${used.toLocaleString('en')} of ${of.toLocaleString('en')}`
  return (
    <>
      {text}
      <progress className={styles.meter} value={Math.min(used, of)} max={of} aria-label={text} />
    </>
  )
}

function Regions({ regions }: { regions: NonNullable<Detail['regions']> }) {
  return (
    <Section title="Regions" isFlush>
      <Table
        label="Regions"
        rows={regions}
        keyOf={({ code }) => `region-${code}`}
        columns={[
          { name: 'Name', kind: 'header', cell: ({ name }) => visibleText(name) },
          { name: 'Code', cell: ({ code }) => <code>{code}</code> },
          { name: 'Hosts end with', cell: ({ domain }) => <code>{visibleText(domain)}</code> },
          { name: 'Functions', cell: ({ functionsSupported }) => (functionsSupported ? 'Yes' : 'No') },
          {
            name: 'Engine',
            cell: ({ engineReachable }) =>
              engineReachable === null ? (
                <Status icon="unknown" word="Not asked yet" tone="soft" />
              ) : engineReachable ? (
                <Status icon="circleCheck" word="Answers" tone="good" />
              ) : (
                <Status icon="circleX" word="Does not answer" tone="bad" />
              ),
          },
        ]}
      />
    </Section>
  )
}

function RenameForm({ account, onClose }: { account: Account; onClose: () => void }) {
  const { send, isSending, refusal } = useWrite(RenameAccount)
  // What it was when the form was opened: a later change must not pass for this one.
  const [before] = useState(account)
  return (
    <Form
      refusal={refusal}
      onSend={async ({ name = '' }) => {
        const answer = await send({ accountId: before.id, expectedVersion: before.version, name })
        if (!answer?.renameAccount) return false
        say('The account is renamed')
        void readSessionAgain()
        onClose()
        return true
      }}
    >
      <TextField
        name="name"
        label="Name"
        required
        autoFocus
        defaultValue={before.name}
        help={`Host names and the command line keep “${before.slug}”.`}
      />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Rename it
        </Button>
        <Button onClick={onClose}>Leave it</Button>
      </FormActions>
    </Form>
  )
}

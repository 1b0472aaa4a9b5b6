import { useState } from 'react'
import { Link } from 'wouter'
import { visibleText } from '../../../../text/visible-text.ts'
import { Accounts } from '../../account/documents.ts'
import { client } from '../../graphql/client.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { pathTo } from '../../routes.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Filters, TextFilter } from '../../ui/filters.tsx'
import { CheckField, ChecksField, checkedOf, Form, FormActions, SelectField, TextField } from '../../ui/form.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { wordsOf } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { useParameters } from '../../ui/use-parameters.ts'
import { CreateAccount, InstallationAccounts, UpdateAccount } from './documents.ts'

type Answer = ResultOf<typeof InstallationAccounts>
type Account = NonNullable<Answer['accounts']>['nodes'][number]
type Entitlement = Account['entitlements'][number]

/** Complete by type: a new entitlement does not compile until it is listed. */
const ENTITLEMENTS: Readonly<Record<Entitlement, string>> = { SANDBOX: 'Solutions that need a sandbox' }

/** All accounts, with their plans. */
export function AccountsView() {
  const [parameters, set] = useParameters()
  const name = parameters.get('name') || null
  return (
    <>
      <Filters>
        <TextFilter label="Name" value={name ?? ''} onChange={(value) => set({ name: value })} />
      </Filters>
      <List key={name} name={name} />
    </>
  )
}

function List({ name }: { name: string | null }) {
  const [after, setAfter] = useState<string | null>(null)
  const [open, setOpen] = useState<Account | 'new' | null>(null)
  const { data, refusals, isLoading, isStale, refetch } = useData(InstallationAccounts, { variables: { name, after } })
  const list = data?.accounts
  const plans = data?.plans ?? []
  const planName = (code: string) => plans.find((plan) => plan.code === code)?.name ?? code
  const close = () => setOpen(null)
  // The menu of accounts in the bar has a list of its own.
  const readAgain = () => {
    refetch()
    void client.query(Accounts, { name: undefined }, { requestPolicy: 'network-only' }).toPromise()
  }
  if (isLoading) return <Skeleton lines={8} />
  return (
    <Section
      title={list ? `Accounts: ${list.totalCount}` : 'Accounts'}
      isFlush
      actions={
        <Button kind="primary" icon="plus" onClick={() => setOpen('new')}>
          New account
        </Button>
      }
    >
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {list && list.nodes.length === 0 && <Empty title="No account has such a name" />}
      {list && list.nodes.length > 0 && (
        <Table
          label="Accounts"
          rows={list.nodes}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Account',
              kind: 'header',
              cell: ({ name: title, slug }) => (
                <Link href={pathTo('overview', { account: slug })}>{visibleText(title)}</Link>
              ),
            },
            { name: 'Slug', cell: ({ slug }) => <code>{slug}</code> },
            { name: 'Plan', cell: ({ plan }) => visibleText(planName(plan)) },
            {
              name: 'May use',
              cell: ({ allowFunctions, allowAutoScaling, entitlements }) =>
                [allowFunctions && 'functions', allowAutoScaling && 'autoscaling', ...entitlements.map(wordsOf)]
                  .filter(Boolean)
                  .join(', '),
            },
            { name: 'Apps', kind: 'number', cell: ({ apps }) => apps.totalCount },
            { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: 'Actions',
              kind: 'actions',
              cell: (account) => <Button onClick={() => setOpen(account)}>Plan and rights…</Button>,
            },
          ]}
          more={{
            hasMore: list.pageInfo.hasNextPage,
            isLoading: isStale,
            onMore: () => setAfter(list.pageInfo.endCursor ?? null),
          }}
        />
      )}
      <Dialog title="New account" isOpen={open === 'new'} onClose={close}>
        <CreateForm onClose={close} onDone={readAgain} />
      </Dialog>
      <Dialog
        title={`What ${open && open !== 'new' ? visibleText(open.name) : ''} may`}
        isOpen={open !== null && open !== 'new'}
        onClose={close}
      >
        {open && open !== 'new' && <UpdateForm account={open} plans={plans} onClose={close} />}
      </Dialog>
    </Section>
  )
}

function CreateForm({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const { send, isSending, refusal } = useWrite(CreateAccount)
  const [hasRegistry, setRegistry] = useState(false)
  return (
    <Form
      draftKey="new-account"
      refusal={refusal}
      onSend={async ({ name = '', ...fields }) => {
        const login = ['registryServer', 'registryUsername', 'registryPassword', 'registryEmail'] as const
        const registry = Object.fromEntries(login.flatMap((key) => (fields[key] ? [[key, fields[key]]] : [])))
        const answer = await send({ name, ...registry })
        if (!answer?.createAccount) return false
        const slug = answer.createAccount.account?.slug
        say(`“${name}” is created`, slug && pathTo('members', { account: slug }))
        onDone()
        onClose()
        return true
      }}
    >
      <TextField
        name="name"
        label="Name"
        required
        autoFocus
        placeholder="Bakery"
        help="Its slug, the part of host names and commands, is made of it and stays. You become its admin; invite others."
      />
      <CheckField
        name="hasRegistry"
        label="With the login of a registry"
        checked={hasRegistry}
        onChange={(event) => setRegistry(event.target.checked)}
      />
      {hasRegistry && (
        <>
          <TextField name="registryServer" label="Registry" placeholder="ghcr.io" />
          <TextField name="registryUsername" label="User name" />
          <TextField name="registryPassword" label="Password" type="password" autoComplete="new-password" />
          <TextField name="registryEmail" label="E-mail" type="email" />
        </>
      )}
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Create it
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

interface UpdateFormProps {
  account: Account
  plans: NonNullable<Answer['plans']>
  onClose: () => void
}

function UpdateForm({ account, plans, onClose }: UpdateFormProps) {
  const { send, isSending, refusal } = useWrite(UpdateAccount)
  // What it was when the form was opened: a later change must not pass for this one.
  const [{ id: accountId, version: expectedVersion, plan, allowFunctions, allowAutoScaling, entitlements }] =
    useState(account)
  return (
    <Form
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({
          accountId,
          expectedVersion,
          plan: fields.plan ?? plan,
          allowFunctions: fields.allowFunctions === 'true',
          allowAutoScaling: fields.allowAutoScaling === 'true',
          entitlements: checkedOf(fields, 'entitlements') as Entitlement[],
        })
        if (!answer?.updateAccount) return false
        say('It is changed')
        onClose()
        return true
      }}
    >
      <SelectField
        name="plan"
        label="Plan"
        defaultValue={plan}
        options={plans.map(({ code, name }) => ({ value: code, label: visibleText(name) }))}
      />
      <CheckField
        name="allowFunctions"
        label="Functions"
        defaultChecked={allowFunctions}
        help="If its plan includes them."
      />
      <CheckField name="allowAutoScaling" label="Autoscaling" defaultChecked={allowAutoScaling} />
      <ChecksField
        name="entitlements"
        label="Entitled besides its plan to"
        chosen={entitlements}
        options={Object.entries(ENTITLEMENTS).map(([value, label]) => ({ value, label }))}
      />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Change it
        </Button>
        <Button onClick={onClose}>Leave it</Button>
      </FormActions>
    </Form>
  )
}

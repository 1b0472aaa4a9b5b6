import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import { includedText, PRICE_NAMES, priceLabel, pricesOf } from '../../account/plan-facts.tsx'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, Form, FormActions, TextField } from '../../ui/form.tsx'
import { Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Table } from '../../ui/table.tsx'
import { say } from '../../ui/toast.tsx'
import { CreatePlan, type PlanState, Plans, UpdatePlan } from './documents.ts'
import styles from './installation.module.css'

type Plan = ResultOf<typeof PlanState>

const LIMITS = {
  maxApps: 'Apps of an account',
  maxAppEnvs: 'Environments of an app',
  maxContainers: 'Containers of an environment',
  maxZClouds: 'zClouds of a container',
  maxBuildMinutes: 'Minutes of builds in a month',
  logDays: 'Days for which logs are kept',
  metricDays: 'Days for which measurements are kept',
} as const satisfies Partial<Record<keyof Plan, string>>

type Limit = keyof typeof LIMITS
const LIMIT_NAMES = Object.keys(LIMITS) as Limit[]

/** What accounts may use, and what it costs. */
export function PlansView() {
  const { data, refusals, isLoading, refetch } = useData(Plans, { variables: {} })
  const [open, setOpen] = useState<Plan | 'new' | null>(null)
  const close = () => setOpen(null)
  if (isLoading) return <Skeleton lines={6} />
  return (
    <Section
      title="Plans"
      isFlush
      actions={
        <Button kind="primary" icon="plus" onClick={() => setOpen('new')}>
          New plan
        </Button>
      }
    >
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      <Table
        label="Plans"
        rows={data?.plans ?? []}
        keyOf={({ code }) => `plan-${code}`}
        columns={[
          {
            name: 'Plan',
            kind: 'header',
            cell: ({ name, isDefault }) => (
              <>
                {visibleText(name)} {isDefault && <span className="soft">(of new accounts)</span>}
              </>
            ),
          },
          { name: 'Code', cell: ({ code }) => <code>{code}</code> },
          {
            name: 'At most',
            cell: ({ maxApps, maxAppEnvs, maxContainers, maxZClouds }) =>
              `${maxApps} apps, ${maxAppEnvs} environments of each, ${maxContainers} containers of ${maxZClouds} zClouds`,
          },
          { name: 'Includes', cell: (plan) => includedText(plan) },
          {
            name: 'Prices',
            cell: (plan) =>
              pricesOf(plan, null)
                .map(([label, amount]) => `${label}: ${amount}`)
                .join('; ') || <span className="soft">none</span>,
          },
          {
            name: 'Actions',
            kind: 'actions',
            cell: (plan) => <Button onClick={() => setOpen(plan)}>Change…</Button>,
          },
        ]}
      />
      <Dialog title={open === 'new' ? 'New plan' : 'Change the plan'} isOpen={open !== null} onClose={close}>
        {open && <PlanForm plan={open === 'new' ? null : open} onClose={close} onDone={refetch} />}
      </Dialog>
    </Section>
  )
}

interface PlanFormProps {
  plan: Plan | null
  onClose: () => void
  onDone: () => void
}

function PlanForm({ plan, onClose, onDone }: PlanFormProps) {
  const create = useWrite(CreatePlan)
  const update = useWrite(UpdatePlan)
  const { isSending, refusal } = plan ? update : create
  return (
    <Form
      {...(plan ? {} : { draftKey: 'new-plan' })}
      refusal={refusal}
      onSend={async (fields) => {
        const numbers = Object.fromEntries(
          [...LIMIT_NAMES, ...PRICE_NAMES].map((name) => [name, Number(fields[name] ?? '')]),
        ) as Record<Limit | (typeof PRICE_NAMES)[number], number>
        const given = {
          plan: plan?.code ?? fields.plan ?? '',
          name: fields.name ?? '',
          functionsIncluded: fields.functionsIncluded === 'true',
          autoscalingIncluded: fields.autoscalingIncluded === 'true',
          ...numbers,
        }
        const answer = plan ? (await update.send(given))?.updatePlan : (await create.send(given))?.createPlan
        if (!answer) return false
        say(`The plan ${answer.name} is ${plan ? 'changed' : 'created'}`)
        onDone()
        onClose()
        return true
      }}
    >
      {!plan && <TextField name="plan" label="Code" required autoFocus placeholder="team" />}
      <TextField name="name" label="Name" required defaultValue={plan?.name} placeholder="Team" />
      <div className={styles.prices}>
        {LIMIT_NAMES.map((name) => (
          <TextField
            key={name}
            name={name}
            label={LIMITS[name]}
            type="number"
            min={0}
            required
            defaultValue={plan?.[name] ?? DEFAULTS[name]}
          />
        ))}
      </div>
      <CheckField name="functionsIncluded" label="Functions" defaultChecked={plan?.functionsIncluded ?? true} />
      <CheckField name="autoscalingIncluded" label="Autoscaling" defaultChecked={plan?.autoscalingIncluded ?? true} />
      <h3>Prices, in millionths of the currency</h3>
      <div className={styles.prices}>
        {PRICE_NAMES.map((name) => (
          <TextField
            key={name}
            name={name}
            label={priceLabel(name)}
            type="number"
            min={0}
            required
            defaultValue={plan?.[name] ?? 0}
          />
        ))}
      </div>
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          {plan ? 'Change it' : 'Create it'}
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

/** A beginning for a new plan; each is in its field, to be changed. */
const DEFAULTS: Readonly<Record<Limit, number>> = {
  maxApps: 20,
  maxAppEnvs: 10,
  maxContainers: 10,
  maxZClouds: 8,
  maxBuildMinutes: 1_000,
  logDays: 7,
  metricDays: 30,
}

import { useState } from 'react'
import { moneyText } from '../../../../text/decimal.ts'
import { useMissing } from '../../account/session.tsx'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmWrite } from '../../ui/confirm-write.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form, FormActions, TextField } from '../../ui/form.tsx'
import { Empty, Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { say } from '../../ui/toast.tsx'
import { AccountBudget, DeleteBudget, SetBudget } from './documents.ts'
import styles from './usage.module.css'

/** The budget of each month, and how much of it is spent. It warns; it stops nothing. */
export function Budget({ accountId }: { accountId: string }) {
  const { data, refusals, isLoading, refetch } = useData(AccountBudget, {
    variables: { accountId },
    readAgainOn: ({ type }) => type === 'BUDGET_CHANGED' || type === 'BUDGET_REACHED',
  })
  const [open, setOpen] = useState<'set' | 'delete' | null>(null)
  const missing = useMissing('budget:manage')
  const budget = data?.budget ?? null
  // That there is none is no failure.
  const refusal = refusals.find(({ code }) => code !== 'NOT_FOUND')
  const close = () => setOpen(null)
  const set = (
    <Button icon={budget ? 'pencil' : 'plus'} missing={missing} onClick={() => setOpen('set')}>
      {budget ? 'Change' : 'Set a budget'}
    </Button>
  )
  return (
    <Section
      title="Budget"
      actions={
        budget && (
          <>
            {set}
            <Button icon="trash" missing={missing} onClick={() => setOpen('delete')}>
              Remove…
            </Button>
          </>
        )
      }
    >
      {isLoading && <Skeleton lines={2} />}
      {refusal && <Refused refusal={refusal} onRetry={refetch} />}
      {!isLoading && !budget && !refusal && (
        <Empty title="No budget is set" actions={set}>
          <p>
            With one, Berth tells by events and webhooks when 50, 80 and 100 percent of it are spent. It stops nothing.
          </p>
        </Empty>
      )}
      {budget && <Spent budget={budget} />}
      <Dialog title="Budget of each month" isOpen={open === 'set'} onClose={close}>
        <BudgetForm accountId={accountId} amount={budget?.amount ?? ''} onClose={close} onDone={refetch} />
      </Dialog>
      <ConfirmWrite
        title="Remove the budget"
        isOpen={open === 'delete'}
        onClose={close}
        mutation={DeleteBudget}
        input={{ accountId }}
        messageOf={({ deleteBudget }) => deleteBudget?.message}
        action="Remove it"
        onDone={refetch}
      >
        <p>Alerts about what is spent end.</p>
      </ConfirmWrite>
    </Section>
  )
}

function Spent({
  budget: { amount, spent, currency, alerts },
}: {
  budget: { amount: string; spent: string; currency: string; alerts: readonly number[] }
}) {
  const percent = Number(amount) > 0 ? Math.round((Number(spent) / Number(amount)) * 100) : 0
  return (
    <div className={styles.budget}>
      <p>
        {moneyText(spent, currency)} of {moneyText(amount, currency)} this month, {percent} %
      </p>
      <progress
        className={styles.meter}
        value={Math.min(percent, 100)}
        max={100}
        aria-label="Part of the budget that is spent"
      />
      {alerts.length > 0 && <p className="warn">Reached this month: {alerts.map((each) => `${each} %`).join(', ')}</p>}
    </div>
  )
}

interface BudgetFormProps {
  accountId: string
  amount: string
  onClose: () => void
  onDone: () => void
}

function BudgetForm({ accountId, amount, onClose, onDone }: BudgetFormProps) {
  const { send, isSending, refusal } = useWrite(SetBudget)
  return (
    <Form
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({ accountId, amount: fields.amount ?? '' })
        if (!answer?.setBudget) return false
        say(`The budget is ${moneyText(answer.setBudget.amount, answer.setBudget.currency)} a month`)
        onDone()
        onClose()
        return true
      }}
    >
      <TextField
        name="amount"
        label="Amount for each month"
        inputMode="decimal"
        required
        autoFocus
        defaultValue={amount}
        placeholder="250.50"
        help="In the currency of the installation."
      />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          Set it
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

import { useState } from 'react'
import { visibleText } from '../../../../text/visible-text.ts'
import type { Head } from '../../environment/environment-page.tsx'
import { nameOf } from '../../environment/environment-text.tsx'
import type { VariablesOf } from '../../graphql/graphql.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, Form, FormActions, TextAreaField, TextField } from '../../ui/form.tsx'
import { say } from '../../ui/toast.tsx'
import { CreateJobRun } from './documents.ts'
import { argumentsOf, type Command, commandText } from './run-text.ts'
import styles from './runs.module.css'

/** What a run begins with: what is configured, or what an earlier run did. */
export interface Prefilled extends Command {
  workingDir: string | null
  timeoutSeconds: number | null
  /** Those that the run had besides; values are not known, so they are typed again. */
  envVars?: readonly { name: string; isSecret: boolean }[]
}

interface RunDialogProps {
  environment: Head
  configured: Prefilled | null
  /** A job has a command; other apps need one for each run. */
  isJob: boolean
  isOpen: boolean
  onClose: () => void
  onCreated: (runId: string) => void
}

/** A run as it is configured, or with changes for this run alone. */
export function RunDialog({ environment, configured, isJob, isOpen, onClose, onCreated }: RunDialogProps) {
  return (
    <Dialog title={`Run ${nameOf(environment)}`} isOpen={isOpen} onClose={onClose}>
      <RunForm
        appEnvId={environment.id}
        configured={configured}
        isChanged={!isJob || configured?.envVars !== undefined}
        isJob={isJob}
        onClose={onClose}
        onCreated={onCreated}
      />
    </Dialog>
  )
}

interface RunFormProps extends Omit<RunDialogProps, 'environment' | 'isOpen'> {
  appEnvId: string
  isChanged: boolean
}

type Input = Omit<VariablesOf<typeof CreateJobRun>['input'], 'idempotencyKey'>

function RunForm({ appEnvId, configured, isJob, isChanged, onClose, onCreated }: RunFormProps) {
  const { send, isSending, refusal } = useWrite(CreateJobRun)
  const [hasChanges, setChanges] = useState(isChanged)
  return (
    <Form
      refusal={refusal}
      onSend={async (fields) => {
        const answer = await send({ appEnvId, ...(hasChanges ? changesOf(fields, configured) : {}) })
        const run = answer?.createJobRun?.jobRun
        if (!run) return false
        const position = run.queuePosition ?? 1
        say(position === 1 ? 'The run begins' : `The run is number ${position} in the queue`)
        onClose()
        onCreated(run.id)
        return true
      }}
    >
      {isJob && configured && (
        <p>
          Runs <code>{visibleText(commandText(configured) ?? 'the command of the image')}</code> in the version that is
          deployed.
        </p>
      )}
      {isJob && (
        <label className="row">
          <input type="checkbox" checked={hasChanges} onChange={(event) => setChanges(event.target.checked)} />
          With changes for this run alone
        </label>
      )}
      {hasChanges && <Changes configured={configured} isJob={isJob} />}
      <FormActions>
        <Button kind="primary" type="submit" icon="play" isBusy={isSending}>
          Run it
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

function Changes({ configured, isJob }: { configured: Prefilled | null; isJob: boolean }) {
  const [rows, setRows] = useState(() => (configured?.envVars ?? []).map((variable, key) => ({ ...variable, key })))
  const add = () => setRows([...rows, { name: '', isSecret: false, key: (rows.at(-1)?.key ?? -1) + 1 }])
  return (
    <>
      <TextField
        name="command"
        label="Command"
        className="mono"
        required={!isJob}
        defaultValue={configured?.command ?? ''}
        help={isJob ? 'Empty: the one that is configured.' : undefined}
      />
      <TextAreaField
        name="args"
        label="Arguments"
        rows={3}
        defaultValue={(configured?.args ?? []).join('\n')}
        help="One in each line, as it is."
      />
      <CheckField
        name="shell"
        label="By /bin/sh, which fills in variables and knows pipes"
        defaultChecked={configured?.shell ?? true}
        help="An image without a shell needs this off."
      />
      <fieldset className={styles.variables}>
        <legend>Variables besides those of the version</legend>
        {configured?.envVars && configured.envVars.length > 0 && (
          <p className="soft">Their values are not shown again: type them, or leave them out.</p>
        )}
        {rows.map(({ key, name, isSecret }, at) => (
          <div key={key} className={styles.variable}>
            <TextField name={`envVars.${at}.name`} label="Name" className="mono" defaultValue={name} />
            <TextField
              name={`envVars.${at}.value`}
              label="Value"
              type={isSecret ? 'password' : 'text'}
              className="mono"
            />
            <input type="hidden" name={`envVars.${at}.isSecret`} value={isSecret ? 'true' : ''} />
            <IconButton
              icon="x"
              label={`Leave out ${name || 'this variable'}`}
              onClick={() => setRows(rows.filter((row) => row.key !== key))}
            />
          </div>
        ))}
        <Button icon="plus" onClick={add}>
          Add a variable
        </Button>
      </fieldset>
      <TextField
        name="timeoutSeconds"
        label="Longest time, in seconds"
        inputMode="numeric"
        defaultValue={configured?.timeoutSeconds ?? ''}
      />
      <TextField
        name="workingDir"
        label="Folder that it runs in"
        className="mono"
        defaultValue={configured?.workingDir ?? ''}
      />
      <TextAreaField name="stdin" label="Standard input" rows={2} help="The image needs /bin/sh for it. Empty: none." />
    </>
  )
}

/** Only what was filled in, so that the rest stays as it is configured. */
function changesOf(fields: Record<string, string>, configured: Prefilled | null): Input {
  const { command, args = '', shell, timeoutSeconds, workingDir, stdin } = fields
  const envVars = Object.keys(fields)
    .flatMap((name) => /^envVars\.(\d+)\.name$/.exec(name)?.[1] ?? [])
    .map((at) => ({
      name: fields[`envVars.${at}.name`] ?? '',
      value: fields[`envVars.${at}.value`] ?? '',
      isSecret: fields[`envVars.${at}.isSecret`] === 'true',
    }))
  const words = argumentsOf(args)
  const isShell = shell === 'true'
  return {
    ...(command ? { command } : {}),
    ...(words.length > 0 ? { args: words } : {}),
    ...(isShell === (configured?.shell ?? true) && !command ? {} : { shell: isShell }),
    ...(envVars.length > 0 ? { envVars } : {}),
    ...(timeoutSeconds ? { timeoutSeconds: Number(timeoutSeconds) } : {}),
    ...(workingDir ? { workingDir } : {}),
    ...(stdin ? { stdin } : {}),
  }
}

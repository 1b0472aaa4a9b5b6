import { useState } from 'react'
import { megabytesText } from '../../../../text/decimal.ts'
import { visibleText } from '../../../../text/visible-text.ts'
import type { ResultOf } from '../../graphql/graphql.ts'
import { useData } from '../../graphql/use-data.ts'
import { useWrite } from '../../graphql/use-write.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, Form, FormActions, TextField } from '../../ui/form.tsx'
import { Section, Skeleton } from '../../ui/page.tsx'
import { Refused } from '../../ui/refused.tsx'
import { Status } from '../../ui/status.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'
import { CreateRegion, Machines, UpdateRegion } from './documents.ts'
import styles from './installation.module.css'

type Answer = ResultOf<typeof Machines>
type Machine = NonNullable<Answer['machines']>[number]
type Engine = NonNullable<Answer['regionEngines']>[number]
type Region = NonNullable<Answer['regions']>[number]

/** On what environments run: load and disk of each machine, and the engine of each region. */
export function MachinesView() {
  const { data, refusals, isLoading, isStale, refetch } = useData(Machines, { variables: {} })
  const [open, setOpen] = useState<Region | 'new' | null>(null)
  const close = () => setOpen(null)
  const engines = new Map((data?.regionEngines ?? []).map((engine) => [engine.region, engine]))
  if (isLoading) return <Skeleton lines={8} />
  return (
    <>
      {refusals[0] && <Refused refusal={refusals[0]} onRetry={refetch} />}
      {data?.machines && (
        <Section
          title="Machines"
          isFlush
          actions={
            <Button icon="refreshCw" isBusy={isStale} onClick={refetch}>
              Measure again
            </Button>
          }
        >
          <MachineTable machines={data.machines} />
        </Section>
      )}
      {data?.regions && (
        <Section
          title="Regions"
          isFlush
          actions={
            <Button icon="plus" onClick={() => setOpen('new')}>
              New region
            </Button>
          }
        >
          <Table
            label="Regions"
            rows={data.regions}
            keyOf={({ code }) => `region-${code}`}
            columns={[
              { name: 'Region', kind: 'header', cell: ({ name }) => visibleText(name) },
              { name: 'Code', cell: ({ code }) => <code>{code}</code> },
              { name: 'Hosts end with', cell: ({ domain }) => <code>{visibleText(domain)}</code> },
              { name: 'Engine', cell: ({ code }) => <EngineState engine={engines.get(code)} /> },
              { name: 'Version', cell: ({ code }) => engines.get(code)?.engineVersion },
              {
                name: 'Actions',
                kind: 'actions',
                cell: (region) => <Button onClick={() => setOpen(region)}>Change…</Button>,
              },
            ]}
          />
        </Section>
      )}
      <Dialog title={open === 'new' ? 'New region' : 'Change the region'} isOpen={open !== null} onClose={close}>
        {open && (
          <RegionForm
            region={open === 'new' ? null : open}
            engine={open === 'new' ? undefined : engines.get(open.code)}
            onClose={close}
            onDone={refetch}
          />
        )}
      </Dialog>
    </>
  )
}

function EngineState({ engine }: { engine: Engine | undefined }) {
  if (!engine) return null
  const { engineReachable, engineReason, engineObservedAt, engine: address } = engine
  return (
    <div className="row">
      {engineReachable === null && <Status icon="unknown" word="Not asked yet" tone="soft" />}
      {engineReachable && <Status icon="circleCheck" word="Answers" tone="good" />}
      {engineReachable === false && <Status icon="circleX" word="Does not answer" tone="bad" />}{' '}
      <span className="soft">
        {address ? visibleText(address) : 'that of the installation'} <Time at={engineObservedAt} />
      </span>
      {engineReason && <p className="bad">{visibleText(engineReason)}</p>}
    </div>
  )
}

function MachineTable({ machines }: { machines: readonly Machine[] }) {
  return (
    <Table
      label="Machines"
      rows={machines}
      keyOf={({ engine }) => `machine-${engine ?? ''}`}
      columns={[
        {
          name: 'Engine',
          kind: 'header',
          cell: ({ engine }) => (engine ? visibleText(engine) : 'That of the installation'),
        },
        { name: 'Regions', cell: ({ regions }) => regions.join(', ') },
        {
          name: 'Load',
          cell: ({ loadAverage, cpus }) => (
            <Part used={loadAverage} of={cpus} text={`${loadAverage?.toFixed(2)} of ${cpus} processors`} />
          ),
        },
        {
          name: 'Memory',
          cell: ({ memoryUsedMb, memoryMb }) => (
            <Part
              used={memoryUsedMb}
              of={memoryMb}
              text={`${megabytesText(memoryUsedMb ?? 0)} of ${megabytesText(memoryMb ?? 0)}`}
            />
          ),
        },
        {
          name: 'Disk',
          cell: ({ diskFreeMb, diskMb }) => (
            <Part
              used={diskMb === null || diskFreeMb === null ? null : diskMb - diskFreeMb}
              of={diskMb}
              text={`${megabytesText(diskFreeMb ?? 0)} free of ${megabytesText(diskMb ?? 0)}`}
            />
          ),
        },
        {
          name: 'Measured',
          cell: ({ measuredAt, reachable }) => (
            <>
              {measuredAt ? <Time at={measuredAt} /> : 'Not yet'}
              {reachable === false && <span className="bad"> does not answer</span>}
            </>
          ),
        },
      ]}
    />
  )
}

function Part({ used, of, text }: { used: number | null; of: number | null; text: string }) {
  if (used === null || of === null || of === 0) return <span className="soft">unknown</span>
  return (
    <>
      {text}
      <progress className={styles.meter} value={Math.min(used, of)} max={of} aria-label={text} />
    </>
  )
}

interface RegionFormProps {
  region: Region | null
  engine: Engine | undefined
  onClose: () => void
  onDone: () => void
}

function RegionForm({ region, engine, onClose, onDone }: RegionFormProps) {
  const create = useWrite(CreateRegion)
  const update = useWrite(UpdateRegion)
  const { isSending, refusal } = region ? update : create
  return (
    <Form
      refusal={refusal}
      onSend={async (fields) => {
        const given = {
          region: region?.code ?? fields.region ?? '',
          name: fields.name ?? '',
          functionsSupported: fields.functionsSupported === 'true',
          publicGatewayReady: fields.publicGatewayReady === 'true',
          sandboxAddonReady: fields.sandboxAddonReady === 'true',
        }
        const places = { engine: fields.engine || null, reachAddress: fields.reachAddress || null }
        const isMoved =
          places.engine !== (engine?.engine ?? null) || places.reachAddress !== (engine?.reachAddress ?? null)
        const answer = region
          ? (await update.send({ ...given, ...(isMoved ? places : {}) }))?.updateRegion
          : (await create.send({ ...given, domain: fields.domain ?? '', ...places }))?.createRegion
        if (!answer) return false
        say(`The region ${answer.name} is ${region ? 'changed' : 'created'}`)
        onDone()
        onClose()
        return true
      }}
    >
      {!region && <TextField name="region" label="Code" required autoFocus placeholder="eu-2" />}
      <TextField name="name" label="Name" required defaultValue={region?.name} placeholder="Europe 2" />
      {!region && (
        <TextField
          name="domain"
          label="Domain"
          required
          placeholder="eu-2.example.com"
          help="Environments of the region get their automatic host below it."
        />
      )}
      <TextField
        name="engine"
        label="Address of its container engine"
        defaultValue={engine?.engine ?? ''}
        placeholder="ssh://berth@10.0.0.7"
        help="Empty: the engine of the installation. It cannot change while the region has environments or volumes."
      />
      <TextField
        name="reachAddress"
        label="IP address on which containers are published"
        defaultValue={engine?.reachAddress ?? ''}
        placeholder="10.0.0.7"
        help="Needed with an engine at tcp:// or ssh://."
      />
      <CheckField
        name="functionsSupported"
        label="Functions run in the region"
        defaultChecked={region?.functionsSupported ?? true}
      />
      <CheckField
        name="publicGatewayReady"
        label="Its public gateway is ready"
        defaultChecked={region?.publicGatewayReady ?? false}
      />
      <CheckField
        name="sandboxAddonReady"
        label="Its sandbox add-on is ready"
        defaultChecked={region?.sandboxAddonReady ?? false}
      />
      <FormActions>
        <Button kind="primary" type="submit" isBusy={isSending}>
          {region ? 'Change it' : 'Create it'}
        </Button>
        <Button onClick={onClose}>Close</Button>
      </FormActions>
    </Form>
  )
}

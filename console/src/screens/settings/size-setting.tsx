import { Z_CLOUD_SIZES, ZCLOUD, zCloudsOf } from '../../../../src/domain/resources.ts'
import { money } from '../../../../src/domain/usage-price.ts'
import { useData } from '../../graphql/use-data.ts'
import { CheckField, SelectField, TextField } from '../../ui/form.tsx'
import styles from '../../ui/setting.module.css'
import { type Fields, isTrue, numberIn, shown } from '../../ui/setting.tsx'
import { ChangeResources, ChangeScaling, Prices, UpdateEnvironment } from './documents.ts'
import { EnvironmentSetting, type SettingsOf } from './setting.tsx'

interface GroupProps {
  env: string
  settings: SettingsOf
}

const HOURS_OF_MONTH = 720
const OWN = 'own'

/** How large each container is, and what that costs. */
export function SizeSetting({ env, settings, accountId }: GroupProps & { accountId: string }) {
  const hasDisk = settings.volume !== null
  return (
    <EnvironmentSetting
      title="Size"
      env={env}
      settings={settings}
      mutation={ChangeResources}
      warningOf={(answer) => answer.changeResources?.warning}
      fieldsOf={({ resources: { zClouds, cpu, memory }, volume }) => {
        const isPlain =
          Z_CLOUD_SIZES.some((size) => size === zClouds) &&
          cpu === zClouds * ZCLOUD.cpu &&
          memory === zClouds * ZCLOUD.memoryMb
        return {
          zClouds: isPlain ? String(zClouds) : OWN,
          cpu: shown(cpu),
          memory: shown(memory),
          ...(volume ? { disk: shown(volume.disk) } : {}),
        }
      }}
      inputOf={(fields) => ({
        ...(fields.zClouds === OWN
          ? { cpu: numberIn(fields.cpu), memory: numberIn(fields.memory) }
          : { zClouds: Number(fields.zClouds) }),
        ...(hasDisk && fields.disk !== shown(settings.volume?.disk) ? { disk: numberIn(fields.disk) } : {}),
      })}
    >
      {(fields) => (
        <>
          <SelectField
            name="zClouds"
            label="CPU and memory of each container"
            defaultValue={fields.zClouds}
            options={[
              ...Z_CLOUD_SIZES.map((size) => ({
                value: String(size),
                label: `${size} zCloud${size === 1 ? '' : 's'}: ${size * ZCLOUD.cpu} CPU, ${size * ZCLOUD.memoryMb} MB`,
              })),
              { value: OWN, label: 'Of its own' },
            ]}
          />
          {fields.zClouds === OWN && (
            <div className={styles.columns}>
              <TextField name="cpu" label="CPU" type="number" step="any" defaultValue={fields.cpu} required />
              <TextField name="memory" label="Memory in MB" type="number" defaultValue={fields.memory} required />
            </div>
          )}
          {hasDisk && (
            <TextField
              name="disk"
              label="Size of the volume in MB"
              type="number"
              defaultValue={fields.disk}
              help={settings.volume?.used ? `${settings.volume.used} MB of it are used.` : undefined}
            />
          )}
          <Cost fields={fields} settings={settings} accountId={accountId} />
        </>
      )}
    </EnvironmentSetting>
  )
}

/** Of the size that is chosen, for 30 days of as many containers as there are to be. */
function Cost({ fields, settings, accountId }: { fields: Fields; settings: SettingsOf; accountId: string }) {
  const { data } = useData(Prices, { variables: { accountId } })
  const plan = data?.plans?.find(({ code }) => code === data.account?.plan)
  const currency = data?.usage?.currency
  if (!plan || !currency) return null
  const { zCloudHourPrice, volumeGbMonthPrice, maxZClouds, name } = plan
  const cpu = numberIn(fields.cpu) ?? 0
  const memoryMb = numberIn(fields.memory) ?? 0
  const zClouds = fields.zClouds === OWN ? zCloudsOf({ cpu, memoryMb }) : Number(fields.zClouds)
  const { containers } = settings.resources
  const { autoScaling, functionConfig } = settings
  const most = functionConfig?.maxScale ?? (autoScaling?.enabled ? autoScaling.max : containers)
  const least = functionConfig?.minScale ?? (autoScaling?.enabled ? autoScaling.min : containers)
  const disk = numberIn(fields.disk) ?? 0
  const costOf = (count: number) => {
    const micros = zClouds * count * HOURS_OF_MONTH * zCloudHourPrice + (disk / 1024) * volumeGbMonthPrice
    return `${money(BigInt(Math.round(micros)), currency)} ${currency}`
  }
  if (zCloudHourPrice === 0 && volumeGbMonthPrice === 0)
    return (
      <p className="soft">
        The plan {name} charges nothing for it. A container may have {maxZClouds} zClouds at most.
      </p>
    )
  return (
    <p>
      <span className={styles.cost}>
        {least === most ? costOf(most) : `${costOf(least)} to ${costOf(most)}`} for 30 days
      </span>{' '}
      <span className="soft">
        of {least === most ? most : `${least} to ${most}`} container{most === 1 ? '' : 's'}
        {disk > 0 && ' and the volume'}, by the plan {name}.
      </span>
    </p>
  )
}

/** How many containers there are. */
export function ScalingSetting({ env, settings }: GroupProps) {
  const at = (field: string) => `autoScaling.${field}`
  return (
    <EnvironmentSetting
      title="Number of containers"
      env={env}
      settings={settings}
      mutation={ChangeScaling}
      warningOf={(answer) => answer.changeScaling?.warning}
      fieldsOf={({ resources, autoScaling: one }) => ({
        containers: shown(resources.containers),
        [at('enabled')]: shown(one?.enabled),
        [at('min')]: shown(one?.min ?? 1),
        [at('max')]: shown(one?.max ?? 3),
        [at('cpuPercent')]: shown(one?.cpuPercent ?? 70),
        [at('memoryPercent')]: shown(one?.memoryPercent),
        [at('upWindowSeconds')]: shown(one?.upWindowSeconds ?? 60),
        [at('downWindowSeconds')]: shown(one?.downWindowSeconds ?? 300),
      })}
      inputOf={(fields) => {
        const number = (field: string) => {
          const value = numberIn(fields[at(field)])
          return value === null ? {} : { [field]: value }
        }
        return isTrue(fields[at('enabled')])
          ? {
              autoScaling: {
                enabled: true,
                ...number('min'),
                ...number('max'),
                ...number('cpuPercent'),
                ...number('memoryPercent'),
                ...number('upWindowSeconds'),
                ...number('downWindowSeconds'),
              },
            }
          : {
              containers: numberIn(fields.containers),
              ...(settings.autoScaling?.enabled ? { autoScaling: { enabled: false } } : {}),
            }
      }}
    >
      {(fields) => (
        <>
          <CheckField name={at('enabled')} label="It follows the load" defaultChecked={isTrue(fields[at('enabled')])} />
          {isTrue(fields[at('enabled')]) ? (
            <div className={styles.columns}>
              <TextField name={at('min')} label="At least" type="number" defaultValue={fields[at('min')]} />
              <TextField name={at('max')} label="At most" type="number" defaultValue={fields[at('max')]} />
              <TextField
                name={at('cpuPercent')}
                label="CPU use to aim at, in percent"
                type="number"
                defaultValue={fields[at('cpuPercent')]}
              />
              <TextField
                name={at('memoryPercent')}
                label="Memory use to aim at, in percent"
                type="number"
                placeholder="not watched"
                defaultValue={fields[at('memoryPercent')]}
              />
              <TextField
                name={at('upWindowSeconds')}
                label="Seconds above it before containers are added"
                type="number"
                defaultValue={fields[at('upWindowSeconds')]}
              />
              <TextField
                name={at('downWindowSeconds')}
                label="Seconds below it before containers are removed"
                type="number"
                defaultValue={fields[at('downWindowSeconds')]}
              />
            </div>
          ) : (
            <TextField
              name="containers"
              label="Containers"
              type="number"
              min={1}
              defaultValue={fields.containers}
              required
            />
          )}
        </>
      )}
    </EnvironmentSetting>
  )
}

/** How a function grows, shrinks and sleeps. */
export function FunctionSetting({ env, settings }: GroupProps) {
  const NAMES = {
    minScale: 'Containers kept while idle',
    maxScale: 'Containers at most',
    concurrency: 'Requests that one container handles at a time',
    idleSeconds: 'Idle seconds before it scales down',
    timeoutSeconds: 'Seconds in which an answer must begin',
  } as const
  const names = Object.keys(NAMES) as (keyof typeof NAMES)[]
  return (
    <EnvironmentSetting
      title="Function"
      env={env}
      settings={settings}
      mutation={UpdateEnvironment}
      fieldsOf={({ functionConfig }) =>
        Object.fromEntries(names.map((name) => [`functionConfig.${name}`, shown(functionConfig?.[name])]))
      }
      inputOf={(fields) => ({
        functionConfig: Object.fromEntries(names.map((name) => [name, numberIn(fields[`functionConfig.${name}`])])),
      })}
    >
      {(fields) => (
        <div className={styles.columns}>
          {names.map((name) => (
            <TextField
              key={name}
              name={`functionConfig.${name}`}
              label={NAMES[name]}
              type="number"
              required
              defaultValue={fields[`functionConfig.${name}`]}
              help={name === 'minScale' ? '0: it sleeps until a request wakes it.' : undefined}
            />
          ))}
        </div>
      )}
    </EnvironmentSetting>
  )
}

import { visibleText } from '../../../../text/visible-text.ts'
import { computeMicros, type Prices, priceText } from '../../account/monthly-price.ts'
import { wordsOf } from '../../ui/status.tsx'
import { Graph } from './graph.tsx'
import { type Planned, zCloudsOfPlan } from './planned.ts'

/** What will be installed: apps with their images, sizes and addresses, and what waits for what. */
export function PlanGraph({ components, presets }: { components: readonly Planned[]; presets: PresetNames }) {
  return (
    <Graph components={components} nameOf={({ name }) => visibleText(name)} height={104}>
      {({ name, appName, image, build, dockerPreset, port, size, containers, hosts }) => (
        <>
          <p>
            <b>{visibleText(name)}</b>
          </p>
          <p className="soft">App {visibleText(appName)}</p>
          <p title={image ?? undefined}>
            {image ? (
              <code>{visibleText(image)}</code>
            ) : build ? (
              'Built from the repository'
            ) : (
              presetName(dockerPreset, presets)
            )}
          </p>
          <p className="soft">
            {[
              size && `${size.cpu} CPU, ${size.memoryMb} MB`,
              containers > 1 && `${containers} containers`,
              port && `port ${port}`,
            ]
              .filter(Boolean)
              .join(', ')}
          </p>
          {hosts[0] && <p title={hosts[0]}>{visibleText(hosts[0])}</p>}
        </>
      )}
    </Graph>
  )
}

type PresetNames = readonly { dockerPreset: string; name: string }[] | null

/** `PostgreSQL`, as the API calls it. */
export const presetName = (preset: string, presets: PresetNames): string =>
  presets?.find(({ dockerPreset }) => dockerPreset === preset)?.name ?? wordsOf(preset)

interface Costs {
  account: { plan: string } | null
  plans: readonly (Prices & { code: string; name: string })[] | null
  usage: { currency: string } | null
}

/** Of the containers; what volumes and backups come to depends on what they hold. */
export function costOfPlan(components: readonly Planned[], { account, plans, usage }: Costs): string {
  const plan = plans?.find(({ code }) => code === account?.plan)
  if (!plan) return 'The plan of the account is not known'
  const micros = computeMicros(plan, Math.ceil(zCloudsOfPlan(components)))
  if (micros === 0n) return `Nothing, on the plan ${plan.name}`
  return `${priceText(micros, usage?.currency ?? null)} a month for containers; volumes come on top`
}

import { SECRET } from './secret-files.ts'
import { SETTINGS } from './settings.ts'

/** Names that settings had before. */
const FORMER: Readonly<Record<string, string>> = {
  BERTH_KEEP_VERSIONS: 'BERTH_IMAGES_KEPT',
  BERTH_LABORATORY: 'BERTH_FAULT_INJECTION',
}

/** Of the compose file, of the set-up, of the apps that Berth runs (one of them may be a Berth), and of the tests. */
const OF_OTHERS = /^BERTH_(IMAGE|SUBNET|GATEWAY|IGNORE_MEMORY|APP_ENV_ID|ENV_NAME|CONTENT_ID|VERSION|TEST_\w+)$/

/** What Kubernetes puts into containers beside a service that is named berth, and Docker into linked ones. */
const OF_A_SERVICE = /^BERTH_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?)$/
const ADDRESS_OF_A_SERVICE = /^(tcp|udp):\/\//

/** How scripts that call the API name their token. They look like BERTH_ADMIN_TOKEN, and yet are no settings. */
const OF_SCRIPTS = new Set(['BERTH_TOKEN', 'BERTH_API_TOKEN'])

const KNOWN = [...Object.keys(SETTINGS.shape), ...[...SECRET].map((name) => `${name}_FILE`)]
const UNIT = /_(SECONDS|HOURS|MS|KB|MB)$/
/** A third of a name may be misspelt. */
const MISSPELT = 1 / 3

interface UnknownSettings {
  /** Settings that are misspelt or have another name now: what is meant would silently not apply. */
  problems: string[]
  /** Variables that resemble no setting. */
  ignored: string[]
}

/** The variables that begin as settings do and are none. Their values may be secrets, and are not shown. */
export function unknownSettings(environment: NodeJS.ProcessEnv): UnknownSettings {
  const problems: string[] = []
  const ignored: string[] = []
  for (const [name, value] of Object.entries(environment)) {
    if (!value?.trim() || !/^berth_/i.test(name) || KNOWN.includes(name) || isOfOthers(name, value)) continue
    const meant = FORMER[name] ? `is now ${FORMER[name]}` : suggestion(name)
    if (meant) problems.push(`  ${name}: ${meant}`)
    else ignored.push(name)
  }
  return { problems, ignored }
}

const isOfOthers = (name: string, value: string): boolean =>
  OF_OTHERS.test(name) || OF_A_SERVICE.test(name) || (name.endsWith('_PORT') && ADDRESS_OF_A_SERVICE.test(value))

function suggestion(name: string): string | null {
  if (OF_SCRIPTS.has(name)) return null
  const given = bare(name)
  const [nearest] = KNOWN.map((setting) => ({ setting, mistakes: mistakesIn(given, bare(setting)) }))
    .filter(({ mistakes }) => mistakes < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.mistakes - b.mistakes)
  return nearest ? `is not a setting; did you mean ${nearest.setting}?` : null
}

/** Some settings have a usual name without the prefix, and the prefix counts for none. */
const bare = (name: string): string => name.toUpperCase().replace(/^BERTH_/, '')

/** Infinite where the names do not resemble each other. A missing or needless unit or `_FILE` is one mistake more. */
function mistakesIn(given: string, setting: string): number {
  const short = setting.replace(UNIT, '')
  const forms = [given, given.replace(UNIT, ''), given.replace(/_FILE$/, '')]
  const pairs = forms.flatMap((form) => [setting, short].map((other) => ({ form, other })))
  const counts = pairs.map(({ form, other }) => {
    const count = edits(form, other) + (form === given && other === setting ? 0 : 1)
    const allowed = Math.max(1, Math.min(form.length, other.length) * MISSPELT)
    return count <= allowed ? count : Number.POSITIVE_INFINITY
  })
  return Math.min(...counts)
}

/** Characters that are missing, added, wrong, or in the wrong order: the optimal string alignment distance. */
function edits(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const differs = a[i - 1] === b[j - 1] ? 0 : 1
      const fewest = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + differs)
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(isSwapped ? Math.min(fewest, (before[j - 2] ?? 0) + 1) : fewest)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

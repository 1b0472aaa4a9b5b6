/** `Mon, Nov 30, 02:00 GMT+1`, in a zone of IANA. */
export function zonedTime(at: string, timeZone: string): string {
  return formatOf(timeZone).format(new Date(at))
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en', {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone,
  })
  formats.set(timeZone, format)
  return format
}

/** The zones that a person chooses between: that of the machine, or UTC. */
export type ChosenZone = 'local' | 'utc'

/** As a field of the type `datetime-local` has it, to the second. */
export function fieldOfMoment(at: Date, zone: ChosenZone): string {
  if (zone === 'utc') return at.toISOString().slice(0, 19)
  const part = (value: number, length = 2) => `${value}`.padStart(length, '0')
  const day = [part(at.getFullYear(), 4), part(at.getMonth() + 1), part(at.getDate())].join('-')
  return `${day}T${[at.getHours(), at.getMinutes(), at.getSeconds()].map((value) => part(value)).join(':')}`
}

/** The moment that a field of the type `datetime-local` names; null for one that is not filled in. */
export function momentOfField(text: string, zone: ChosenZone): Date | null {
  const moment = new Date(zone === 'utc' ? `${text}Z` : text)
  return text === '' || Number.isNaN(moment.getTime()) ? null : moment
}

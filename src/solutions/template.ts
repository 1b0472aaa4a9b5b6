/**
 * Templates in the catalogue: `{{inputs.<name>}}` is the value of an input, `{{<component>.<part>}}` an address or a
 * credential of a component: the references that variables have (domain/references.ts), by the component's key.
 */
const TEMPLATE = /\{\{([^{}]*)\}\}/g
const PART = /^([a-z][a-z0-9]*)\.(internalUrl|externalUrl|host|port|user|password|database)$/
const INPUT = /^inputs\.([A-Za-z0-9]+)$/

interface Found {
  kind: 'input' | 'part'
  name: string
  /** Of a component. */
  part: string
}

export function templatesIn(text: string): (Found | { kind: 'unknown'; name: string })[] {
  return [...text.matchAll(TEMPLATE)].map(([whole, inner = '']) => {
    const input = INPUT.exec(inner)?.[1]
    if (input !== undefined) return { kind: 'input', name: input, part: '' }
    const [, name, part] = PART.exec(inner) ?? []
    return name && part ? { kind: 'part', name, part } : { kind: 'unknown', name: whole }
  })
}

export interface Fill {
  input(name: string): string
  part(component: string, part: string): string
}

/** Fills a template that was checked. */
export const fillTemplate = (text: string, fill: Fill): string =>
  text.replace(TEMPLATE, (whole) => {
    const [found] = templatesIn(whole)
    if (found?.kind === 'input') return fill.input(found.name)
    return found?.kind === 'part' ? fill.part(found.name, found.part) : whole
  })

interface Templated {
  inputs: readonly { name: string; secret: boolean }[]
  components: readonly { key: string; variables: Readonly<Record<string, string>> }[]
  postInstallNote?: string | undefined
}

/** Templates that name nothing; and a note that would show a secret. */
export function templateProblems({ inputs, components, postInstallNote = '' }: Templated): string[] {
  const known = new Map(inputs.map((one) => [one.name, one]))
  const keys = new Set(components.map(({ key }) => key))
  const unknownIn = (where: string, text: string) =>
    templatesIn(text).flatMap((found) => {
      if (found.kind === 'unknown') return [`${where}: ${found.name} is no template`]
      const isKnown = found.kind === 'input' ? known.has(found.name) : keys.has(found.name)
      return isKnown ? [] : [`${where} refers to ${found.name}, which there is not`]
    })
  const shown = templatesIn(postInstallNote).flatMap((found) => {
    const isSecret =
      (found.kind === 'input' && known.get(found.name)?.secret) ||
      (found.kind === 'part' && found.part !== 'externalUrl')
    return isSecret ? [`postInstallNote shows ${found.name}, which may be secret`] : []
  })
  return [
    ...components.flatMap(({ key, variables }) =>
      Object.entries(variables).flatMap(([name, value]) => unknownIn(`${key}.${name}`, value)),
    ),
    ...unknownIn('postInstallNote', postInstallNote),
    ...shown,
  ]
}

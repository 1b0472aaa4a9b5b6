import { type Caller, mayAnywhere } from '../../calls/caller.ts'
import { parseInput } from '../../calls/perform.ts'
import { nearNames } from '../../domain/near-names.ts'
import { outlineOf, withOutlinedAnswer } from './outline.ts'
import { describeOwnTools, findToolInput, type foundTools, OWN_TOOLS } from './own-tools.ts'
import { ToolSearch } from './tool-search.ts'
import { CORE, SETS, setNameOf } from './tool-sets.ts'
import { describeTool, isRead, permissionOf, type Tool, type ToolDescription, tools } from './tools.ts'
import type { WriteOptions } from './write-options.ts'

/** Who looks at the tools, and from where. */
export interface View {
  caller: Caller
  /** The sets that the address names. */
  sets: ReadonlySet<string>
  /** Whether the address only reads. */
  isReadOnly: boolean
}

type Found = typeof foundTools._zod.output

/** Names that `find-tool` answers beside the tools that it shows. */
const MAX_OTHERS = 10

/** Every tool with its description. Each is described when it is first shown: most processes are never asked. */
export class ToolDirectory {
  /** `find-tool` and `call-tool`, where a call may write and where it may not. */
  readonly #own: Readonly<Record<'writing' | 'reading', ToolDescription[]>>
  readonly #described = new Map<string, ToolDescription>()
  #search: ToolSearch | undefined

  constructor(options: WriteOptions) {
    this.#own = {
      writing: describeOwnTools(options, false).map(withOutlinedAnswer),
      reading: describeOwnTools(options, true).map(withOutlinedAnswer),
    }
  }

  /** What `tools/list` shows: tools of the chosen sets that the token may use somewhere. */
  list(view: View): ToolDescription[] {
    const listed = new Map<string, ToolDescription>()
    for (const name of view.sets.has('core') ? CORE : []) {
      const tool = tools.get(name)
      if (tool && isOffered(tool, view)) listed.set(name, outlineOf(this.#describe(tool)))
    }
    for (const tool of tools.values()) {
      if (isInSets(tool, view.sets) && isOffered(tool, view))
        listed.set(tool.name, withOutlinedAnswer(this.#describe(tool)))
    }
    return [...(view.isReadOnly ? this.#own.reading : this.#own.writing), ...listed.values()]
  }

  /** What `find-tool` answers. Throws INVALID_INPUT. */
  find(view: View, given: unknown): Found {
    const { query, limit } = parseInput(findToolInput, given)
    const exact = tools.get(query)
    if (exact && isOffered(exact, view)) {
      const { outputSchema } = this.#describe(exact)
      return { tools: [{ ...this.#shown(exact), outputSchema }], others: [], notPermitted: [] }
    }
    this.#search ??= new ToolSearch(
      [...tools.values()].map((tool) => ({ ...this.#describe(tool), set: tool.route.group })),
    )
    const names = this.#search.find(query, (name) => isIn(name, view))
    const permitted = names.filter((name) => mayUse(name, view.caller))
    const shown = permitted.slice(0, limit).flatMap((name) => tools.get(name) ?? [])
    const answer: Found = {
      tools: shown.map((tool) => this.#shown(tool)),
      others: permitted.slice(limit, limit + MAX_OTHERS),
      // Among the likeliest, because a word may fit many.
      notPermitted: names.slice(0, limit).filter((name) => !permitted.includes(name)),
    }
    return names.length > 0 ? answer : { ...answer, sets: Object.fromEntries(SETS) }
  }

  #describe(tool: Tool): ToolDescription {
    const known = this.#described.get(tool.name)
    if (known) return known
    const description = describeTool(tool)
    this.#described.set(tool.name, description)
    return description
  }

  #shown(tool: Tool): Found['tools'][number] {
    const { name, title, description, annotations, inputSchema } = this.#describe(tool)
    return { name, title, set: setNameOf(tool.route.group), description, annotations: { ...annotations }, inputSchema }
  }
}

const isInSets = ({ route }: Tool, sets: ReadonlySet<string>): boolean =>
  sets.has('all') || sets.has(setNameOf(route.group))

/** Whether the address has the tool at all. */
const isIn = (name: string, { isReadOnly }: View): boolean => {
  const tool = tools.get(name)
  return tool !== undefined && (!isReadOnly || isRead(tool))
}

/** Roles, scopes and kinds of token decide here as they do for a call; on what it acts, only the call itself knows. */
const mayUse = (name: string, caller: Caller): boolean => {
  const tool = tools.get(name)
  return tool !== undefined && mayAnywhere(caller, permissionOf(tool))
}

const isOffered = ({ name }: Tool, view: View): boolean => isIn(name, view) && mayUse(name, view.caller)

/** What to do about a name that no tool has. */
export function unknownTool(name: string): string {
  const near = nearNames(name, [...tools.keys(), ...OWN_TOOLS])
  return `There is no tool "${name.slice(0, 100)}"; ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'find-tool finds one by words'}`
}

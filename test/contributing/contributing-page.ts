import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './scratch-copy.ts'

const PAGE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
const PATH = /^[\w.-]+\/[\w./-]*$/
const NAME = /^[A-Za-z]+$/

const unique = (values: readonly string[]) => [...new Set(values)]
const codeSpans = [...PAGE.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

/** The paths in its code: `src/services/<noun>/` names src/services/, and a command names the program that it runs. */
export const namedPaths = unique(
  codeSpans.map((code) => code.replace(/^node /, '').replace(/<.*/, '')).filter((code) => PATH.test(code)),
)

export const namedScripts = unique([...PAGE.matchAll(/\bnpm run ([a-z:]+)/g)].map(([, name = '']) => name))

/** Types, functions and enums that it names, such as `ContainerRuntime` or `lifecycleOperation({ … })`. */
export const namedInCode = unique(
  codeSpans.map((code) => code.replace(/\(.*/, '')).filter((code) => NAME.test(code) && /[a-z][A-Z]/.test(code)),
)

const [, afterTitle = ''] = PAGE.split('\n## Checklists\n')
const [checklists = ''] = afterTitle.split('\n## ')

export const checklistHeadings = [...checklists.matchAll(/^\*\*(.+)\*\*$/gm)].map(([, heading = '']) => heading)

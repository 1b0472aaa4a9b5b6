import { callTool, type McpDependencies, type ToolCaller } from './call-tool.ts'
import { DOCUMENTS } from './documents.ts'
import { tools } from './tools.ts'

const DOCUMENT_TYPE = 'text/markdown'
const LOG_TYPE = 'text/plain'

/** Lines of a log that a resource has: the newest. */
const LOG_LINES = 300

const documentUri = (name: string): string => `berth://docs/${name}`

export interface ResourceDescription {
  uri: string
  name: string
  title: string
  description: string
  mimeType: string
}

export type TemplateDescription = Omit<ResourceDescription, 'uri'> & { uriTemplate: string }

export interface ResourceContent {
  uri: string
  mimeType: string
  text: string
}

/** Why a resource cannot be read, in words; `isMissing` where there is none. */
export interface ResourceProblem {
  problem: string
  isMissing: boolean
}

export const resources: readonly ResourceDescription[] = DOCUMENTS.map(({ name, title, description }) => ({
  uri: documentUri(name),
  name,
  title,
  description,
  mimeType: DOCUMENT_TYPE,
}))

export const resourceTemplates: readonly TemplateDescription[] = [
  {
    uriTemplate: 'berth://environments/{appEnvId}/logs',
    name: 'logs',
    title: 'Logs of an environment',
    description: `What the containers of an environment wrote: the newest ${LOG_LINES} lines, oldest first.`,
    mimeType: LOG_TYPE,
  },
  {
    uriTemplate: 'berth://environments/{appEnvId}/build-logs',
    name: 'build-logs',
    title: 'Build logs of an environment',
    description: `What the builds of an environment wrote: the newest ${LOG_LINES} lines, oldest first.`,
    mimeType: LOG_TYPE,
  },
]

const LOG_URI = /^berth:\/\/environments\/([a-z0-9_]{1,100})\/(logs|build-logs)$/

/** Reads a document, or a log through the tool that reads logs. */
export async function readResource(
  dependencies: McpDependencies,
  uri: string,
  from: ToolCaller,
): Promise<ResourceContent | ResourceProblem> {
  const document = DOCUMENTS.find(({ name }) => documentUri(name) === uri)
  if (document) return { uri, mimeType: DOCUMENT_TYPE, text: document.write() }
  const [, appEnvId, kind] = LOG_URI.exec(uri) ?? []
  if (appEnvId === undefined) return { isMissing: true, problem: missing(uri) }
  return readLog(dependencies, { uri, appEnvId, ofBuilds: kind === 'build-logs' }, from)
}

const missing = (uri: string): string =>
  `There is no resource "${uri.slice(0, 200)}"; there are ${[
    ...resources.map((one) => one.uri),
    ...resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  ].join(', ')}`

interface WantedLog {
  uri: string
  appEnvId: string
  ofBuilds: boolean
}

interface Line {
  timestamp: string
  containerName: string
  message: string
}

async function readLog(
  dependencies: McpDependencies,
  { uri, appEnvId, ofBuilds }: WantedLog,
  from: ToolCaller,
): Promise<ResourceContent | ResourceProblem> {
  const tool = tools.get('get-logs')
  if (!tool) throw new Error('There is no tool that reads logs')
  from.onTool(tool.name)
  const input = { appEnvId, size: LOG_LINES, type: ofBuilds ? 'BUILD' : undefined }
  const { content, structuredContent, isError } = await callTool(dependencies, tool, input, from)
  if (isError) {
    const { detail, code } = JSON.parse(content[0]?.text ?? '{}') as { detail: string; code: string }
    return { problem: `${code}: ${detail}`, isMissing: code === 'NOT_FOUND' }
  }
  const { logs } = structuredContent as { logs: Line[] }
  return { uri, mimeType: LOG_TYPE, text: logs.toReversed().map(lineOf).join('') }
}

const lineOf = ({ timestamp, containerName, message }: Line): string => `${timestamp} [${containerName}] ${message}\n`

import { TAR_END, tarHeader, tarPadding } from '../../../text/tar.ts'
import { client } from '../graphql/client.ts'
import { PAUSES_MS } from '../graphql/persistent-fetch.ts'
import { NO_ANSWER, type Refusal, refusalOf, refusalsOf } from '../graphql/refusal.ts'
import { NotifyCodeUpload, RequestStorageKey } from './documents.ts'
import { type Folder, isUploaded, uploadRules } from './upload-rules.ts'

/** What a person chose to upload. */
export type Chosen =
  | { kind: 'archive'; name: string; file: File; extension: '.zip' | '.tgz' | '.tar' }
  | {
      kind: 'folder'
      name: string
      files: readonly SourceFile[]
      bytes: number
      /** Files and whole folders that the rules leave out. */
      leftOut: number
      hasRules: boolean
    }

interface SourceFile {
  path: string
  file: File
}

const ARCHIVE = /\.(?:zip|tgz|tar\.gz|tar)$/i
const IGNORE_FILE = '.dockerignore'
const MAX_FILES = 100_000

/** From `<input type="file">`: an archive, or the files of a folder with their paths in it. */
export async function chosenFrom(list: readonly File[]): Promise<Chosen | null> {
  const [only] = list
  if (!only) return null
  if (list.length === 1 && ARCHIVE.test(only.name) && only.webkitRelativePath === '') return archiveOf(only)
  const root = only.webkitRelativePath.split('/', 1)[0] ?? ''
  const all = list.map((file) => ({ path: file.webkitRelativePath.slice(root.length + 1) || file.name, file }))
  const written = all.find(({ path }) => path === IGNORE_FILE)
  const rules = uploadRules(written ? await written.file.text() : null)
  const files = all.filter(({ path }) => isUploaded(rules, path))
  return folderOf(root, files, all.length - files.length, Boolean(written))
}

/** From what was dropped. Folders that the rules leave out are not read. */
export async function chosenFromDrop(data: DataTransfer): Promise<Chosen | null> {
  // The list is empty after the event, so all entries are taken now.
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const [only] = entries
  if (!only) return null
  if (entries.length === 1 && only.isFile) return chosenFrom([await fileOf(only as FileSystemFileEntry)])
  const isFolder = entries.length === 1 && only.isDirectory
  const top = isFolder ? await entriesOf(only as FileSystemDirectoryEntry) : entries
  const written = top.find(({ name, isFile }) => isFile && name === IGNORE_FILE)
  const rules = uploadRules(written ? await (await fileOf(written as FileSystemFileEntry)).text() : null)
  const found = { files: [] as SourceFile[], leftOut: 0 }
  await walk(top, rules, '', found)
  return folderOf(isFolder ? only.name : '', found.files, found.leftOut, Boolean(written))
}

async function walk(
  entries: readonly FileSystemEntry[],
  above: Folder,
  below: string,
  found: { files: SourceFile[]; leftOut: number },
): Promise<void> {
  for (const entry of entries) {
    const path = `${below}${entry.name}`
    const decision = above.below(entry.name)
    if (entry.isDirectory) {
      if (decision.isWholeIgnored) found.leftOut += 1
      else await walk(await entriesOf(entry as FileSystemDirectoryEntry), decision, `${path}/`, found)
    } else if (decision.isIgnored) found.leftOut += 1
    else found.files.push({ path, file: await fileOf(entry as FileSystemFileEntry) })
  }
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject))

/** Browsers give a hundred at once. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}

function archiveOf(file: File): Chosen {
  const extension = /\.zip$/i.test(file.name) ? '.zip' : /\.tar$/i.test(file.name) ? '.tar' : '.tgz'
  return { kind: 'archive', name: file.name.replace(ARCHIVE, ''), file, extension }
}

/** Sorted, so that the same files are the same archive. */
function folderOf(name: string, files: readonly SourceFile[], leftOut: number, hasRules: boolean): Chosen {
  if (files.length === 0)
    throw new Error('Nothing is left to upload: the folder is empty, or its rules leave all of it out')
  if (files.length > MAX_FILES)
    throw new Error(`The folder has ${files.length} files; name those that the build does not need in .dockerignore`)
  const sorted = [...files].sort((one, other) => (one.path < other.path ? -1 : 1))
  const bytes = files.reduce((total, { file }) => total + file.size, 0)
  return { kind: 'folder', name, files: sorted, bytes, leftOut, hasRules }
}

/** The archive as it is sent; a folder becomes one. */
export async function packed(chosen: Chosen): Promise<{ archive: Blob; extension: '.zip' | '.tgz' }> {
  if (chosen.kind === 'folder') return { archive: await gzipped(tarOf(chosen.files)), extension: '.tgz' }
  if (chosen.extension === '.tar') return { archive: await gzipped(chosen.file.stream()), extension: '.tgz' }
  return { archive: chosen.file, extension: chosen.extension }
}

const gzipped = (stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Blob> =>
  new Response(stream.pipeThrough(new CompressionStream('gzip'))).blob()

/** One file at a time is in memory, a piece of it at once. */
function tarOf(files: readonly SourceFile[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pieces = piecesOf(files)
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value as Uint8Array<ArrayBuffer>)
    },
  })
}

async function* piecesOf(files: readonly SourceFile[]): AsyncGenerator<Uint8Array> {
  for (const { path, file } of files) {
    yield tarHeader({ path, size: file.size })
    const reader = file.stream().getReader()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value
    yield new Uint8Array(tarPadding(file.size))
  }
  yield TAR_END
}

/** A file was moved, or may not be read. */
export function notReadable(error: unknown): Refusal {
  const why = error instanceof Error ? error.message : String(error)
  return refusalOf({ message: `The folder cannot be read: ${why}`, extensions: { code: 'NOT_READABLE' } })
}

/** Puts the archive, and has it built and deployed. Returns why it was refused, or null. */
export async function uploadSource(
  appEnvId: string,
  { archive, extension }: { archive: Blob; extension: string },
  onProgress: (share: number) => void,
): Promise<Refusal | null> {
  const asked = await client
    .mutation(RequestStorageKey, {
      input: { appEnvId, fileExtension: extension, idempotencyKey: crypto.randomUUID() },
    })
    .toPromise()
  const key = asked.data?.requestStorageKey
  if (!key) return refusalsOf(asked.error)[0] ?? NO_ANSWER
  let refused = await put(key.uploadUrl, archive, onProgress)
  for (const pauseMs of PAUSES_MS) {
    if (refused !== NO_ANSWER) break
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    refused = await put(key.uploadUrl, archive, onProgress)
  }
  if (refused) return refused
  const { data, error } = await client
    .mutation(NotifyCodeUpload, {
      input: { appEnvId, storageKey: key.storageKey, idempotencyKey: crypto.randomUUID() },
    })
    .toPromise()
  return data?.notifyCodeUpload ? null : (refusalsOf(error)[0] ?? NO_ANSWER)
}

/** By XMLHttpRequest: `fetch` reports no progress of uploads. The host is that of this page, also when the address names another. */
function put(uploadUrl: string, archive: Blob, onProgress: (share: number) => void): Promise<Refusal | null> {
  const { pathname, search } = new URL(uploadUrl)
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('PUT', pathname + search)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onerror = () => resolve(NO_ANSWER)
    request.onload = () => resolve(request.status < 300 ? null : problemOf(request.responseText))
    request.send(archive)
  })
}

function problemOf(answer: string): Refusal {
  try {
    const problem = JSON.parse(answer) as { message: string }
    return refusalOf({ message: problem.message, extensions: problem })
  } catch {
    return NO_ANSWER
  }
}
